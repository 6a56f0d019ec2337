// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "braid/config/source_text.h"
#include "braid/config/yaml_node.h"

namespace braid::yaml {

/// Containers within containers; settings need 6.
inline constexpr std::size_t kMaxDepth = 20;

/// The one document of `source`; an empty node for a text without any. Throws ConfigError for what
/// is not YAML, and for what YAML has but settings don't: a second document, a key that comes
/// twice or is no scalar, anchors and aliases (a short file could unfold to gigabytes, and a
/// reader would see only one of two places), tags, and more depth than kMaxDepth.
Node parse(const SourceText& source);

}  // namespace braid::yaml
