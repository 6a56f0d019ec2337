// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "braid/config/types.h"
#include "braid/config/yaml.h"
#include "braid/error.h"

namespace braid::yaml {

/// The keys of a map that is read into a Struct: reading, writing, messages and the reference all
/// use this declaration. Missing keys have the values of a new Struct.
template <typename Struct>
class Schema {
  public:
    /// Which keys are written: all, so that a file keeps its meaning when a default changes; or
    /// only those that differ from the default, for long lists.
    enum class Writing { kAll, kChanged };

    explicit Schema(Writing writing = Writing::kAll) : writing_(writing) {}

    template <typename Member>
    Schema& key(std::string name, Member Struct::*member, Type<Member> type, std::string summary) {
        add(std::move(name), member, std::move(type), std::move(summary), false);
        return *this;
    }

    /// A mandatory key.
    template <typename Member>
    Schema& required(std::string name, Member Struct::*member, Type<Member> type,
                     std::string summary) {
        add(std::move(name), member, std::move(type), std::move(summary), true);
        return *this;
    }

    /// `check` throws InvalidSetting for a value whose keys are valid one by one but not together.
    /// It also gets the place, for its own messages.
    Schema& check(std::function<void(const Struct&, const Place&)> check) {
        check_ = std::move(check);
        return *this;
    }

    Type<Struct> type() const {
        Type<Struct> result;
        result.values = "a map of " + comma_list(names_);
        result.keys = info_;
        // Shared, since a Type is copied into each Type that contains it.
        const auto schema = std::make_shared<const Schema>(*this);
        result.read = [schema, values = result.values](const Place& place) {
            return schema->read(place, values);
        };
        result.write = [schema](const Struct& value) { return schema->write(value); };
        return result;
    }

  private:
    struct Key {
        std::string name;
        std::string values;
        std::string comment;
        bool required;
        std::function<void(const Place&, Struct&)> read;
        std::function<Node(const Struct&)> write;
        std::function<bool(const Struct&)> is_default;
    };

    template <typename Member>
    void add(std::string name, Member Struct::*member, Type<Member> type,
             const std::string& summary, bool required) {
        KeyInfo info{.path = name,
                     .values = type.values,
                     .default_value = format_inline(type.write(Struct{}.*member)),
                     .required = required,
                     .summary = summary,
                     .keys = std::move(type.keys)};
        if (!info.keys.empty() || required) info.default_value.clear();
        Key key{.name = name,
                .values = type.values,
                .comment = comment_of(info),
                .required = required,
                .read = [member, read = type.read](const Place& place,
                                                   Struct& value) { value.*member = read(place); },
                .write = [member,
                          write = type.write](const Struct& value) { return write(value.*member); },
                .is_default =
                    [member](const Struct& value) { return value.*member == Struct{}.*member; }};
        // The keys of a list's items begin with "[]", which follows the name without a dot.
        const bool of_items = !info.keys.empty() && info.keys.front().path.starts_with('[');
        prefix_paths(of_items ? name : name + ".", info.keys);
        info_.push_back(std::move(info));
        keys_.push_back(std::move(key));
        names_.push_back(std::move(name));
    }

    // An empty value counts as an empty map: all keys of a section may be commented out.
    Struct read(const Place& place, const std::string& values) const {
        const Node& node = place.node();
        if (node.kind != Node::Kind::kMap && node.kind != Node::Kind::kEmpty) place.fail(values);
        Struct result;
        for (const Entry& entry : node.entries) {
            find(place, entry).read(place.entry(entry), result);
        }
        for (const Key& key : keys_) {
            if (key.required && !has_entry(node, key.name)) {
                place.fail_below(key.name, "found nothing, expected " + key.values);
            }
        }
        if (!check_) return result;
        try {
            check_(result, place);
        } catch (const InvalidSetting& error) {
            place.fail_below(error.path(), error.problem());
        }
        return result;
    }

    const Key& find(const Place& place, const Entry& entry) const {
        for (const Key& key : keys_) {
            if (key.name == entry.key) return key;
        }
        place.fail_unknown(entry, names_);
    }

    Node write(const Struct& value) const {
        Node node = Node::map(false);
        for (const Key& key : keys_) {
            Node written = key.write(value);
            const bool hollow = written.kind != Node::Kind::kScalar && written.items.empty() &&
                                written.entries.empty();
            if ((writing_ == Writing::kChanged || hollow) && key.is_default(value)) continue;
            node.entries.push_back(
                {.key = key.name, .value = std::move(written), .comment = key.comment});
        }
        return node;
    }

    Writing writing_;
    std::vector<Key> keys_;
    std::vector<std::string> names_;
    std::vector<KeyInfo> info_;
    std::function<void(const Struct&, const Place&)> check_;
};

}  // namespace braid::yaml
