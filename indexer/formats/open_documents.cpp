// SPDX-License-Identifier: GPL-2.0-or-later
#include <algorithm>
#include <filesystem>
#include <utility>

#include "braid/indexer/formats/document_sequence.h"

namespace braid {
namespace {

// How many files of a folder are looked at to tell what it holds.
constexpr int kFilesLookedAt = 16;

using Part = DocumentSequence::Part;

const DocumentFormat* guess_or_null(const std::string& path) {
    try {
        return &guess_document_format(path, Input(path).peek(kPeekedBytes));
    } catch (const FormatError&) {
        return nullptr;
    }
}

// What the first files of a folder are in, if all agree; plain text, if none is in a format of
// records. A mixture is not for us to decide.
const DocumentFormat& guess_folder(const std::string& folder) {
    const DocumentFormat& text = document_formats().find("text");
    const ReaderContext silent{{}, std::make_shared<WarningCounter>(nullptr)};
    FolderWalk walk(folder, silent);
    const DocumentFormat* found = nullptr;
    std::string path;
    for (int i = 0; i < kFilesLookedAt && walk.next(path); ++i) {
        path.insert(0, folder + '/');
        const DocumentFormat* format = guess_or_null(path);
        if (format == nullptr || format->one_per_file) format = &text;
        if (found == nullptr) found = format;
        if (format == found) continue;
        throw FormatError({folder, 0}, "holds files of several formats (" + found->name + ", " +
                                           format->name + "); give the format to read all in");
    }
    return found == nullptr ? text : *found;
}

// Describes an input, guessing its format where none is given. `head` gets its first bytes where
// they had to be looked at or may be needed.
Part make_part(const std::string& path, const DocumentFormat* format, std::string& head) {
    std::error_code ignored;
    if (path != "-" && std::filesystem::is_directory(path, ignored)) {
        std::string folder = path;
        while (folder.size() > 1 && folder.ends_with('/')) folder.pop_back();
        return {folder, true, format != nullptr ? format : &guess_folder(folder)};
    }
    Part part{path, false, format, Input(path)};
    if (format == nullptr || format->belong_together) head = part.input->peek(kPeekedBytes);
    if (format == nullptr) part.format = &guess_document_format(path, head);
    // Thousands of files can't all stay open.
    if (std::filesystem::is_regular_file(path, ignored)) part.input.reset();
    return part;
}

std::unique_ptr<DocumentReader> open_parts(std::vector<Part> parts,
                                           const std::vector<std::string>& heads,
                                           const ReaderOptions& options) {
    const ReaderContext context{options, std::make_shared<WarningCounter>(options.warn)};
    const bool may_join =
        parts.size() > 1 && std::all_of(parts.begin(), parts.end(), [&](const Part& part) {
            return !part.is_folder && part.format == parts[0].format && part.format->open_together;
        });
    if (!may_join || !parts[0].format->belong_together(heads)) {
        return std::make_unique<DocumentSequence>(std::move(parts), context);
    }
    std::vector<Input> inputs;
    for (Part& part : parts) {
        inputs.push_back(part.input ? std::move(*part.input) : Input(part.path));
    }
    return std::make_unique<DocumentSequence>(
        parts[0].format->open_together(std::move(inputs), context), parts[0].path, context);
}

const DocumentFormat* find_or_null(const std::string& format) {
    return format.empty() ? nullptr : &document_formats().find(format);
}

}  // namespace

std::unique_ptr<DocumentReader> open_documents(const std::vector<std::string>& paths,
                                               const std::string& format,
                                               const ReaderOptions& options) {
    std::vector<Part> parts;
    std::vector<std::string> heads(paths.size());
    for (std::size_t i = 0; i < paths.size(); ++i) {
        parts.push_back(make_part(paths[i], find_or_null(format), heads[i]));
    }
    return open_parts(std::move(parts), heads, options);
}

std::unique_ptr<DocumentReader> open_documents(const std::string& path, const std::string& format,
                                               const ReaderOptions& options) {
    return open_documents(std::vector<std::string>{path}, format, options);
}

std::unique_ptr<DocumentReader> open_documents(Input input, const std::string& format,
                                               const ReaderOptions& options) {
    const DocumentFormat* given = find_or_null(format);
    const std::string path = input.path();
    const DocumentFormat& chosen =
        given != nullptr ? *given : guess_document_format(path, input.peek(kPeekedBytes));
    std::vector<Part> parts;
    parts.push_back({path, false, &chosen, std::move(input)});
    return open_parts(std::move(parts), {""}, options);
}

}  // namespace braid
