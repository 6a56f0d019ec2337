// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "braid/config/source_text.h"
#include "braid/config/yaml_node.h"

namespace braid::yaml {

/// Maximum nesting of containers; settings need 6.
inline constexpr std::size_t kMaxDepth = 20;

/// The one document of `source`; an empty node for a text without one. Throws ConfigError for
/// invalid YAML, and for YAML that settings don't use: a second document, a key that is repeated or
/// not a scalar, anchors and aliases (a short file could expand to gigabytes, and a reader would
/// see only one of two places), tags, and more depth than kMaxDepth.
Node parse(const SourceText& source);

}  // namespace braid::yaml
