// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/indexer/formats/document_sequence.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <dirent.h>
#include <filesystem>
#include <memory>
#include <sys/stat.h>
#include <utility>

#include "braid/indexer/formats/debian_documents.h"
#include "braid/indexer/formats/document_reader.h"
#include "braid/indexer/formats/json_documents.h"
#include "braid/indexer/formats/text_cleaning.h"
#include "braid/indexer/formats/text_documents.h"

namespace braid {
namespace {

using Directory = std::unique_ptr<DIR, int (*)(DIR*)>;

// Absolute and without links; "" if it can't be told.
std::string real_path(const std::string& path) {
    const std::unique_ptr<char, decltype(&std::free)> real(realpath(path.c_str(), nullptr),
                                                           &std::free);
    return real == nullptr ? "" : real.get();
}

bool is_link(const std::string& path) {
    struct stat status {};
    return lstat(path.c_str(), &status) == 0 && S_ISLNK(status.st_mode);
}

}  // namespace

FolderWalk::FolderWalk(const std::string& folder, const ReaderContext& context)
    : folder_(folder), context_(context) {
    while (folder_.size() > 1 && folder_.ends_with('/')) folder_.pop_back();
    real_folder_ = real_path(folder_);
    if (!enter("")) {
        throw FormatError({folder, 0}, std::string("can't read: ") + std::strerror(errno));
    }
}

bool FolderWalk::leads_inside(const std::string& link) const {
    const std::string target = real_path(link);
    const std::string inside = real_folder_.ends_with('/') ? real_folder_ : real_folder_ + '/';
    return target == real_folder_ || target.starts_with(inside);
}

// Puts the names in the folder `prefix` on the stack; false, with errno, if it can't be read.
bool FolderWalk::enter(const std::string& prefix) {
    const std::string path = prefix.empty() ? folder_ : full_path(prefix);
    struct stat status {};
    if (stat(path.c_str(), &status) != 0) return false;
    const bool is_new =
        entered_.insert(std::to_string(status.st_dev) + ':' + std::to_string(status.st_ino)).second;
    if (!is_new) {
        context_.warn({path, 0}, "folder skipped: it was read already, by another path");
        return true;
    }
    const Directory directory(opendir(path.c_str()), &closedir);
    if (directory == nullptr) return false;
    Level level{prefix, {}};
    while (const dirent* entry = readdir(directory.get())) {
        std::string name = entry->d_name;
        if (name.starts_with('.')) continue;
        const std::string entry_path = full_path(prefix + name);
        if (stat(entry_path.c_str(), &status) != 0) {
            context_.warn({entry_path, 0}, "file skipped: can't be read", std::strerror(errno));
        } else if (S_ISDIR(status.st_mode)) {
            if (is_link(entry_path) && leads_inside(entry_path)) continue;
            level.names.push_back(std::move(name) + '/');
        } else if (S_ISREG(status.st_mode)) {
            level.names.push_back(std::move(name));
        } else {
            context_.warn({entry_path, 0}, "file skipped: neither a file nor a folder");
        }
    }
    std::sort(level.names.begin(), level.names.end(), std::greater<>());
    levels_.push_back(std::move(level));
    return true;
}

bool FolderWalk::next(std::string& path) {
    while (!levels_.empty()) {
        Level& level = levels_.back();
        if (level.names.empty()) {
            levels_.pop_back();
            continue;
        }
        path = level.prefix + level.names.back();
        level.names.pop_back();
        if (!path.ends_with('/')) return true;
        if (!enter(path)) {
            context_.warn({full_path(path), 0}, "folder skipped: can't be read",
                          std::strerror(errno));
        }
    }
    return false;
}

std::string SourceDocument::text_of(std::string_view name) const {
    std::string result;
    for (const SourceField& field : fields) {
        if (field.name != name) continue;
        if (!result.empty()) result += '\n';
        result += field.text;
    }
    return result;
}

namespace {

std::unique_ptr<DocumentReader> open_text(Input input, const DocumentFormat& format,
                                          const ReaderContext& context) {
    const std::size_t nul = input.peek(kPeekedBytes).find('\0');
    if (nul != std::string_view::npos) {
        throw FormatError({input.path(), 0},
                          "is binary (byte " + std::to_string(nul + 1) + " is NUL); expected text");
    }
    return format.open(std::move(input), context);
}

// The error's message without the path that it begins with.
std::string reason_of(const FormatError& error, const std::string& path) {
    const std::string message = error.what();
    return message.starts_with(path + ": ") ? message.substr(path.size() + 2) : message;
}

}  // namespace

DocumentSequence::DocumentSequence(std::vector<Part> parts, const ReaderContext& context)
    : context_(context), parts_(std::move(parts)) {}

DocumentSequence::DocumentSequence(std::unique_ptr<DocumentReader> joined, const std::string& name,
                                   const ReaderContext& context)
    : context_(context), part_path_(name), reader_(std::move(joined)) {}

std::uint64_t DocumentSequence::bytes_read() const {
    return bytes_of_closed_ + (reader_ ? reader_->bytes_read() : 0);
}

void DocumentSequence::close() {
    if (reader_) bytes_of_closed_ += reader_->bytes_read();
    reader_.reset();
    documents_of_file_ = 0;
}

// Opens the next file of the current folder; false if there is none.
bool DocumentSequence::open_next_in_folder() {
    const Part& part = parts_[next_part_ - 1];
    while (walk_->next(path_in_folder_)) {
        const std::string path = part.path + '/' + path_in_folder_;
        try {
            reader_ = open_text(Input(path), *part.format, context_);
            return true;
        } catch (const FormatError& error) {
            context_.warn({path, 0}, "file skipped", reason_of(error, path));
        }
    }
    walk_.reset();
    return false;
}

// Opens the next input; false at the end of all.
bool DocumentSequence::open_next() {
    for (;;) {
        if (walk_ && open_next_in_folder()) return true;
        if (!part_path_.empty() && documents_of_part_ == 0) {
            context_.warn({part_path_, 0}, "no documents found");
        }
        part_path_.clear();
        if (next_part_ == parts_.size()) return false;
        Part& part = parts_[next_part_++];
        part_path_ = part.path;
        documents_of_part_ = 0;
        if (part.is_folder) {
            walk_ = std::make_unique<FolderWalk>(part.path, context_);
            continue;
        }
        Input input = part.input ? std::move(*part.input) : Input(part.path);
        part.input.reset();
        reader_ = open_text(std::move(input), *part.format, context_);
        return true;
    }
}

// The current reader's next document. In a folder, a file that gives none may be of any kind, and
// failing there is no reason to stop.
bool DocumentSequence::read(SourceDocument& document) {
    if (!walk_ || documents_of_file_ > 0) return reader_->next(document);
    try {
        return reader_->next(document);
    } catch (const FormatError& error) {
        const std::string path = parts_[next_part_ - 1].path + '/' + path_in_folder_;
        context_.warn({path, 0}, "file skipped", reason_of(error, path));
        return false;
    }
}

bool DocumentSequence::next(SourceDocument& document) {
    for (;;) {
        if (!reader_ && !open_next()) {
            context_.warnings->report_totals();
            return false;
        }
        if (read(document)) {
            ++documents_of_file_;
            ++documents_of_part_;
            if (walk_ && parts_[next_part_ - 1].format->one_per_file) {
                document.id = path_in_folder_;
            }
            if (!document.id.empty()) document.id.insert(0, context_.options.id_prefix);
            return true;
        }
        close();
    }
}

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
    inputs.reserve(parts.size());
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

namespace {

constexpr int kCertainEnough = 50;

template <typename Reader, auto... arguments>
std::unique_ptr<DocumentReader> open_reader(Input input, const ReaderContext& context) {
    return std::make_unique<Reader>(std::move(input), context, arguments...);
}

std::vector<DocumentFormat> list_formats() {
    return {
        {"smart", "SMART collections (.I .T .A .B .W ...), such as MED, CRAN, CISI, CACM", false,
         SmartDocuments::recognise, open_reader<SmartDocuments>},
        {"trec", "TREC collections: SGML records <DOC> <DOCNO> ... </DOC>", false,
         TrecDocuments::recognise, open_reader<TrecDocuments>},
        {"jsonl", "JSON lines: one object a line, such as BEIR's corpus.jsonl", false,
         JsonDocuments::recognise, open_reader<JsonDocuments>},
        {"csv", "tables under a header line, separated by , ; | or tabs, quoted as in RFC 4180",
         false, CsvDocuments::recognise, open_reader<CsvDocuments, '\0'>},
        {"tsv", "tables under a header line, separated by tabs, mostly without quotes", false,
         CsvDocuments::recognise_tabs, open_reader<CsvDocuments, '\t'>},
        {"text", "plain text files; each is one document, named by its path", true,
         TextDocuments::recognise, open_reader<TextDocuments>},
        {"debian", "Debian package lists: Packages, Translation-en, apt-cache dumpavail", false,
         DebianDocuments::recognise, open_reader<DebianDocuments>, DebianJoin::belong_together,
         [](std::vector<Input> inputs, const ReaderContext& context) {
             return std::make_unique<DebianJoin>(std::move(inputs), context);
         }},
    };
}

}  // namespace

const Registry<DocumentFormat>& document_formats() {
    static const Registry<DocumentFormat> formats("document format", list_formats());
    return formats;
}

const DocumentFormat& guess_document_format(const std::string& path, std::string_view head) {
    if (head.empty()) throw FormatError({path, 0}, "is empty: its format can't be told");
    const DocumentFormat* best = nullptr;
    int best_score = 0;
    std::string rivals;
    std::string known;
    for (const DocumentFormat& format : document_formats()) {
        known += (known.empty() ? "" : ", ") + format.name;
        const int score = format.recognise(path, head);
        if (score < kCertainEnough || score < best_score) continue;
        if (score > best_score) rivals.clear();
        rivals += (rivals.empty() ? "" : ", ") + format.name;
        best = &format;
        best_score = score;
    }
    if (best == nullptr) {
        throw FormatError({path, 0}, "can't tell its format; give one of: " + known);
    }
    if (rivals != best->name) {
        throw FormatError({path, 0}, "may be one of: " + rivals + "; say which");
    }
    return *best;
}

}  // namespace braid
