// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <limits>
#include <string>

#include <xapian.h>

#include "braid/core/topics/topic_models.h"
#include "braid/plugin/store/topic_record.h"
#include "braid/progress.h"
#include "braid/tests/core/topics/random_counts.h"
#include "braid/tests/support/support.h"

namespace braid::test {

/// A record in which no part has its default.
inline TopicRecord sample_record() {
    TopicRecord record;
    record.name = "my lda";
    record.header = {"lda", 300, TopicVectorKind::kProbability, {0.5, -1e300, 0}};
    record.coding = VectorCoding::kFloat16;
    record.slot = 0xfffffffeU;
    record.form = WordForm::kWords;
    record.stemmer = "german";
    record.options = {.dimensions = 400,
                      .seed = std::numeric_limits<std::uint64_t>::max(),
                      .words_per_topic = 7,
                      .parameters = {{"alpha", 0.1}, {"beta", -2}},
                      .choices = {{"weighting", "raw"}, {"prior", ""}}};
    record.clusters = 64;
    record.limits = {.min_documents = 5, .max_document_share = 0.25, .max_terms = 1234567};
    record.documents = 1ULL << 40;
    record.vocabulary = 99;
    record.words = 1e9;
    record.unknown_words = 0.5;
    record.trained_at = 1234567890;
    record.training = {.iterations = 12,
                       .stop_reason = "converged",
                       .objective_name = "perplexity",
                       .objective = std::numeric_limits<double>::infinity(),
                       .trace = {3, 2, 1},
                       .warnings = {"dimensions lowered", ""}};
    return record;
}

inline TopicSummary sample_summary() {
    return {{{{{"cat", 0.5}, {"dog", -0.25}}, 0.75}, {{}, 0.25}}, {0.5, -1}};
}

/// The record that an adoption would make of `model`.
inline TopicRecord record_of(const TopicModel& model, const std::string& name) {
    TopicRecord record;
    record.name = name;
    record.header = model.header;
    record.coding = model.header.kind == TopicVectorKind::kSigned ? VectorCoding::kSigned8
                                                                  : VectorCoding::kUnsigned8;
    record.slot = 1000;
    record.form = WordForm::kWords;
    record.training = model.training;
    return record;
}

/// A small model of a random collection.
inline TopicModel fit_sample(const std::string& name, const TermDocumentCounts& counts,
                             std::uint64_t seed = kDefaultSeed, std::size_t dimensions = 5) {
    const auto executor = make_executor(1);
    return fit_topic_model(name, counts, {.dimensions = dimensions, .seed = seed}, *executor);
}

/// Databases in memory can't list their metadata's keys; a DiskDatabase can.
inline Xapian::WritableDatabase memory_database() {
    return Xapian::WritableDatabase("", Xapian::DB_BACKEND_INMEMORY);
}

class DiskDatabase {
  public:
    Xapian::WritableDatabase& operator*() { return database_; }

  private:
    TemporaryFolder folder_;
    Xapian::WritableDatabase database_{(folder_ / "db").string(),
                                       Xapian::DB_CREATE | Xapian::DB_NO_SYNC};
};

}  // namespace braid::test
