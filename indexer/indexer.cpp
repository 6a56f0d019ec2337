#include "braid/indexer/indexer.h"
