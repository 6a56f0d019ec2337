// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

/// Exports a symbol from the shared libraries; all others are hidden.
#define BRAID_API __attribute__((visibility("default")))
