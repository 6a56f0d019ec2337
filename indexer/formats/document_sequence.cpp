// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/indexer/formats/document_sequence.h"

#include <utility>

#include "braid/indexer/formats/text_cleaning.h"

namespace braid {
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
            return true;
        }
        close();
    }
}

}  // namespace braid
