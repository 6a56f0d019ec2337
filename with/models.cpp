// SPDX-License-Identifier: GPL-2.0-or-later
// The library that reads models' files, which few searches under `braid with` do: the reader of
// YAML takes a process longer to load than some searches take.
#include "braid/config.h"
#include "braid/with/layers.h"

extern "C" __attribute__((visibility("default"))) void braid_with_load_model(
    const char* name, braid::FusionModel& model) {
    model = braid::load_model(name);
}
