// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "braid/bench/texts/scores.h"
#include "braid/core/topics/topic_models.h"

namespace braid::bench {

/// A ranker with the settings it may have; which is best is for training queries to say.
struct RankerFamily {
    std::string name;                   ///< "lsa"
    std::vector<std::string> variants;  ///< "lsa tf-idf K=50"
};

/// The families of one ranker of each kind.
std::vector<std::string> one_of_each_kind();

/// What help says of the cache.
constexpr const char* kCacheHelp = "A folder that keeps rankers' scores, each computed once";

/// The scores of one text collection by many rankers, each computed once and kept in files
/// below a folder. Words of two documents and more for topic models, all words for others.
class TextRankers {
  public:
    /// `data` as read_collection; `cache` is made where it is not there.
    TextRankers(const std::string& data, const std::string& collection, const std::string& cache,
                Executor& executor);
    ~TextRankers();

    const Collection& collection() const;
    const std::vector<RankerFamily>& families() const { return families_; }

    /// In single precision, as the file has them.
    ScoreTable scores(const std::string& variant);

    /// Each query's average precision by that ranker alone.
    std::vector<double> precisions(const std::string& variant);

  private:
    struct Texts;
    using Make = std::function<ScoreTable()>;

    void add(const std::string& family, const std::string& variant, const Make& make);
    void add_lexical();
    void add_term_feedback();
    void add_topics();
    void add_topic_model(const std::string& family, const std::string& label,
                         const std::string& model, const TopicOptions& options,
                         const std::vector<TopicFeedback>& feedback);
    const TopicModel& model(const std::string& name, const TopicOptions& options);
    std::string file_of(const std::string& variant, const std::string& ending) const;

    std::unique_ptr<Texts> texts_;
    std::string cache_;
    Executor& executor_;
    std::vector<RankerFamily> families_;
    std::vector<std::pair<std::string, Make>> makers_;
};

}  // namespace braid::bench
