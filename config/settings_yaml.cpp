// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/config/settings_yaml.h"

namespace braid {}
