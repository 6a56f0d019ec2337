#include "braid/plugin/store/keys.h"
