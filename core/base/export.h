// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

/// Marks what a Braid library offers to others; everything else is hidden in the shared objects.
#define BRAID_API __attribute__((visibility("default")))
