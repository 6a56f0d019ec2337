// SPDX-License-Identifier: GPL-2.0-or-later
// Preloaded into Xapian's server, it makes every Xapian::Registry know Braid's classes: the server
// makes one, and has no option for more.
#include <cstdlib>
#include <dlfcn.h>

#include "braid/sources.h"

extern "C" __attribute__((visibility("default"))) void registry_constructor(void* registry) __asm__(
    "_ZN6Xapian8RegistryC1Ev");

// The constructor of Xapian::Registry, for all that is linked to it by that name.
void registry_constructor(void* registry) {
    using Constructor = void (*)(void*);
    void* const found = dlsym(RTLD_NEXT, "_ZN6Xapian8RegistryC1Ev");
    if (found == nullptr) std::abort();
    reinterpret_cast<Constructor>(found)(registry);
    braid::register_all(*static_cast<Xapian::Registry*>(registry));
}
