#include "braid/plugin/plugin.h"
