// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <string>

#include "braid/progress.h"
#include "braid/tests/support/support.h"

namespace braid::test {

/// Appends each warning and a newline to `*warnings`; where that is null, a warning fails the test.
inline WarningSink joined_into(std::string* warnings) {
    return [warnings](const std::string& message) {
        if (warnings == nullptr) FAIL("unexpected warning: " + message);
        *warnings += message + "\n";
    };
}

}  // namespace braid::test
