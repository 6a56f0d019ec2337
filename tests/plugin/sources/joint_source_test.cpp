// SPDX-License-Identifier: GPL-2.0-or-later
// Searches by a JointSource: every part's bounds for all documents, and the best by them.
#include "braid/plugin/sources/joint_source.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "braid/core/topics/neighbours.h"
#include "braid/plugin/query/bag_of_words.h"
#include "braid/plugin/store/keys.h"
#include "braid/plugin/store/table_file.h"
#include "braid/plugin/store/topic_store.h"
#include "braid/plugin/tables/neighbour_table.h"
#include "braid/tests/plugin/topic_search.h"
#include "braid/tests/support/support.h"

using namespace braid;
using namespace braid::test;
using Xapian::Query;

namespace {

constexpr std::size_t kDocuments = 240;
constexpr std::size_t kEach = 4;
const std::string kId = "0123456789abcdef";

// TopicCorpus on disk, with random neighbours: some documents have none, damaged ones, ones that
// aren't there or one twice; some documents are deleted, and the last has a far higher number.
class JointCorpus {
  public:
    JointCorpus(Random& random, const TemporaryFolder& folder, std::size_t shards, bool far = false)
        : topics_(random, kDocuments, 30) {
        for (std::size_t number = 0; number < shards; ++number) {
            const std::string path = (folder / std::to_string(number)).string();
            Xapian::WritableDatabase shard(path, Xapian::DB_CREATE);
            topics_.write_shard(shard, number, shards);
            add_neighbours(random, shard);
            shard.delete_document(3);
            shard.replace_document(shard.get_lastdocid() + 2, Xapian::Document());  // Empty.
            if (far) shard.replace_document(1'000'000, shard.get_document(1));
            shard.commit();
            database_.add_database(Xapian::Database(path));
        }
    }

    const Xapian::Database& database() const { return database_; }
    const TopicCorpus& topics() const { return topics_; }
    std::vector<std::string> random_words(Random& random) const {
        return topics_.corpus().random_words(random, 4);
    }

  private:
    static void add_neighbours(Random& random, Xapian::WritableDatabase& shard) {
        constexpr Xapian::valueno kSlot = 1010;
        const auto last = static_cast<std::int32_t>(shard.get_lastdocid());
        for (std::int32_t docid = 1; docid <= last; ++docid) {
            if (docid % 9 == 0) continue;
            std::vector<std::int32_t> away;
            for (std::size_t k = 0; k < random.below(kEach + 1); ++k) {
                const auto there = static_cast<std::int32_t>(1 + random.below(last + 5));
                if (there != docid) away.push_back(there - docid);
            }
            away.resize(kEach);
            Xapian::Document document = shard.get_document(static_cast<Xapian::docid>(docid));
            std::string bytes = encode_numbers(
                {VectorCoding::kFloat32, topic_model_tag(kId), shard.get_doclength(docid)}, away);
            if (docid % 13 == 0) bytes.pop_back();
            document.add_value(kSlot, bytes);
            shard.replace_document(static_cast<Xapian::docid>(docid), document);
        }
        TopicRecord record;
        record.name = kNeighboursModel;
        record.header = {.model = kNeighboursModel, .dimensions = kEach};
        record.coding = VectorCoding::kFloat32;
        record.slot = kSlot;
        record.form = WordForm::kWords;
        record.stemmer = "none";
        record.documents = shard.get_doccount();
        record.words = shard.get_avlength() * shard.get_doccount();
        write_topic_model(shard, kId, record, {}, {});
        publish_topic_model(shard, {kNeighboursModel, kId});
    }

    TopicCorpus topics_;
    Xapian::Database database_;
};

FusionModel random_model(Random& random) {
    const auto weight = [&] { return random.below(6) == 0 ? 0 : 0.1 + 8 * random.uniform(); };
    FusionModel model{
        .rankers = {{.ranker = "bm25", .weight = 0.1 + random.uniform()},
                    {.ranker = "lsa", .weight = weight()},
                    {.ranker = "lm-neighbours",
                     .parameters = {{"mu", 1 + 40 * random.uniform()}, {"longest", 300}},
                     .weight = 0.1 + 3 * random.uniform()},
                    {.ranker = "lbdm",
                     .parameters = {{"mu", 1 + 40 * random.uniform()}, {"longest", 300}},
                     .weight = weight()},
                    {.ranker = "all-words", .weight = 10 * weight()}}};
    if (random.below(4) == 0) {
        model.rankers.push_back({.ranker = "filter", .field = "w1", .weight = weight()});
    }
    return model;
}

// Those of `all` that must be among the best, and nothing else, whatever the order of equal ones.
void check_best(const SearchResult& found, const SearchResult& all, const SearchRequest& request) {
    const std::size_t begin = std::min<std::size_t>(request.first, all.hits.size());
    const std::size_t size = std::min<std::size_t>(request.count, all.hits.size() - begin);
    REQUIRE(found.hits.size() == size);
    for (std::size_t i = 0; i < size; ++i) {
        CHECK_THAT(found.hits[i].score, WithinRel(all.hits[begin + i].score, 1e-9));
        const bool is_tied =
            (begin + i > 0 && all.hits[begin + i - 1].score - all.hits[begin + i].score < 1e-9) ||
            (begin + i + 1 < all.hits.size() &&
             all.hits[begin + i].score - all.hits[begin + i + 1].score < 1e-9);
        if (!is_tied) CHECK(found.hits[i].docid == all.hits[begin + i].docid);
    }
}

SearcherOptions with_tables(bool vectors, bool postings) {
    SearcherOptions options;
    options.vectors = vectors ? std::make_shared<VectorTables>() : nullptr;
    options.postings = postings ? std::make_shared<PostingTables>() : nullptr;
    return options;
}

// A part that takes long to bound, and counts how often it was asked to. Copies share the count.
class SlowPart final : public DocumentSource {
  public:
    explicit SlowPart(int& asked) : asked_(&asked) {}

    void init(const Xapian::Database& shard) override {
        set_maxweight(1);
        begin(shard, shard, 0, true);
    }
    bool prepare_ranges(const Xapian::Database& /*shard*/, bool /*now*/) override { return true; }
    PartRange other_range() const override { return {0, 1}; }
    void lift(std::span<float> /*lifts*/) const override {}
    std::size_t range_cost() const override { return 1; }
    void ranges(std::span<const Xapian::docid> /*documents*/,
                std::span<PartRange> result) override {
        ++*asked_;
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
        std::fill(result.begin(), result.end(), PartRange{0, 1});
    }
    SlowPart* clone() const override { return new SlowPart(*asked_); }

  protected:
    double weigh(Xapian::docid /*docid*/, Xapian::termcount /*length*/,
                 std::string_view /*value*/) override {
        return 1;
    }

  private:
    int* asked_;
};

// Calls `check(corpus, searcher, shards, round)` by tables and by the database itself.
template <typename Check>
void for_joint_searches(Random& random, int rounds, const Check& check) {
    for (const Xapian::doccount shards : {1U, 3U}) {
        const TemporaryFolder folder;
        const JointCorpus corpus(random, folder, shards);
        for (const bool in_memory : {true, false}) {
            Searcher searcher(corpus.database(), with_tables(in_memory, in_memory));
            for (int round = 0; round < rounds; ++round) check(corpus, searcher, shards, round);
        }
    }
}

}  // namespace

TEST_CASE("JointSource: the best of all documents, or of those with a word, as without pruning",
          "[property]") {
    Random random(seed());
    std::uint64_t pruned = 0;
    for (const std::size_t shards : {1U, 3U}) {
        for (const bool far : {false, true}) {
            const TemporaryFolder folder;
            const JointCorpus corpus(random, folder, shards, far);
            const Searcher plain(corpus.database());
            for (const auto& options :
                 {SearcherOptions(), with_tables(true, true), with_tables(true, false),
                  with_tables(false, true), with_tables(false, false)}) {
                Searcher searcher(corpus.database(), options);
                for (int round = 0; round < 12; ++round) {
                    const FusionModel model = random_model(random);
                    searcher.rank_by(model);
                    SearchRequest request = request_of(bag_of_words(corpus.random_words(random)));
                    request.candidates =
                        random.below(4) == 0 ? Candidates::kWords : Candidates::kAll;
                    request.count = 2 * kDocuments * static_cast<Xapian::doccount>(shards);
                    request.path = SearchRequest::Path::kPlain;
                    const SearchResult all = searcher.search(request);
                    request.path = SearchRequest::Path::kPruned;
                    for (const Xapian::doccount count : {1U, 3U, 10U, 50U, 2000U}) {
                        request.first = static_cast<Xapian::doccount>(random.below(2) * count);
                        request.count = count;
                        INFO(request.query->get_description() << ", " << request.first << " on");
                        const SearchResult found = searcher.search(request);
                        check_best(found, all, request);
                        pruned += found.run.pruned ? 1 : 0;
                    }
                    request.first = 0;
                    request.count = 10;
                    if (all.hits.size() < 6) continue;
                    request.min_score = all.hits[5].score * (1 - 1e-9);
                    CHECK(searcher.search(request).hits.size() >= 6);
                    CHECK(searcher.search(request).hits.back().score >= request.min_score);
                }
            }
        }
    }
    CHECK(pruned > 1000);
}

TEST_CASE("JointSource: an AND finds documents that have all words, and weighs no others by words",
          "[property]") {
    Random random(seed(), 5);
    std::size_t hits = 0;
    for_joint_searches(
        random, 40,
        [&](const JointCorpus& corpus, Searcher& searcher, Xapian::doccount shards, int round) {
            std::vector<std::string> words = corpus.random_words(random);
            std::sort(words.begin(), words.end());
            words.erase(std::unique(words.begin(), words.end()), words.end());
            if (round % 8 == 0) words.emplace_back("nowhere");
            searcher.rank_by(random_model(random));
            SearchRequest request = request_of(Query(Query::OP_AND, words.begin(), words.end()));
            request.candidates = round % 2 == 0 ? Candidates::kWords : Candidates::kAll;
            request.count = 2 * kDocuments * shards;
            INFO(request.query->get_description());
            SearchRequest plain = request;
            plain.path = SearchRequest::Path::kPlain;
            const SearchResult all = searcher.search(plain);
            check_equal(scores_of(searcher.search(request)), scores_of(all), 1e-9);
            hits += all.hits.size();
            request.count = 3;
            check_best(searcher.search(request), all, request);
        });
    CHECK(hits > 100);
}

TEST_CASE("JointSource: empty documents with vectors don't raise the floor above their scores") {
    Random random(seed(), 6);
    const TemporaryFolder folder;
    const JointCorpus corpus(random, folder, 1);
    const std::string path = (folder / "0").string();
    Xapian::WritableDatabase writer(path);
    for (Xapian::docid docid = 1; docid <= 60; ++docid) {
        Xapian::Document empty;
        empty.add_value(1000, corpus.topics().value("lsa", docid));
        writer.add_document(empty);
    }
    writer.commit();
    Searcher searcher(Xapian::Database(path), with_tables(true, true));
    const ParameterMap settings = {{"mu", 20}, {"longest", 300}};
    searcher.rank_by(
        {.rankers = {{.ranker = "bm25", .weight = 0.2},
                     {.ranker = "lsa", .weight = 6},
                     {.ranker = "lm-neighbours", .parameters = settings, .weight = 0.5},
                     {.ranker = "lbdm", .parameters = settings, .weight = 3}}});
    for (int round = 0; round < 40; ++round) {
        SearchRequest request = request_of(bag_of_words(corpus.random_words(random)));
        request.candidates = Candidates::kAll;
        SearchRequest plain = request;
        plain.path = SearchRequest::Path::kPlain;
        plain.count = 2 * kDocuments;
        const SearchResult all = searcher.search(plain);
        for (const Xapian::doccount count : {2U, 5U, 20U}) {
            request.count = count;
            check_best(searcher.search(request), all, request);
        }
    }
}

TEST_CASE("JointSource: a page that ends behind the largest docid has all results") {
    Random random(seed(), 7);
    const TemporaryFolder folder;
    const JointCorpus corpus(random, folder, 1);
    Searcher searcher(corpus.database(), with_tables(true, true));
    searcher.rank_by({.rankers = {{.ranker = "bm25"}, {.ranker = "lm-neighbours"}}});
    SearchRequest request = request_of(bag_of_words({"w0", "w1"}), 2 * kDocuments);
    request.candidates = Candidates::kAll;
    const std::size_t all = searcher.search(request).hits.size();
    request.first = 2;
    request.count = std::numeric_limits<Xapian::doccount>::max();
    CHECK(searcher.search(request).hits.size() == all - 2);
}

TEST_CASE("JointSource: a table file with damaged lengths leaves no document out") {
    Random random(seed(), 8);
    const TemporaryFolder folder;
    const JointCorpus corpus(random, folder, 1);
    const std::string path = (folder / "0").string();
    write_table_files({path}, TableFiles::kMake);
    const std::string name = path + "/" + TableFile::kName;
    std::string line;
    {
        const auto file = TableFile::open(path);
        line.assign(reinterpret_cast<const char*>(file->lengths().lines + 3),
                    sizeof(TableFile::Lengths::Line));
    }
    std::ifstream in(name, std::ios::binary);
    std::string bytes{std::istreambuf_iterator<char>(in), {}};
    const std::size_t at = bytes.find(line);
    REQUIRE(at != std::string::npos);
    bytes[at] = static_cast<char>(bytes[at] ^ 1);
    std::ofstream(name + ".new", std::ios::binary) << bytes;
    std::filesystem::rename(name + ".new", name);

    const FusionModel model{
        .rankers = {{.ranker = "bm25"}, {.ranker = "lsa"}, {.ranker = "lm-neighbours"}}};
    const Xapian::Database database(path);
    for (int round = 0; round < 10; ++round) {
        SearcherOptions options = with_tables(false, true);
        options.vectors =
            std::make_shared<VectorTables>(VectorTables::kMostBytes, VectorTables::When::kWorthIt);
        Searcher searcher(database, options);
        searcher.rank_by(model);
        Searcher without(database, with_tables(false, false));
        without.rank_by(model);
        SearchRequest request = request_of(bag_of_words(corpus.random_words(random)));
        request.candidates = Candidates::kAll;
        request.count = 2 * kDocuments;
        const Scores found = scores_of(searcher.search(request));
        request.path = SearchRequest::Path::kPlain;
        check_equal(found, scores_of(without.search(request)), 1e-9);
    }
}

TEST_CASE("JointSource: a time limit ends the search for bounds between two parts") {
    Random random(seed());
    const TemporaryFolder folder;
    const JointCorpus corpus(random, folder, 1);
    FusedSource words({.rankers = {{.ranker = "bm25", .weight = 1}}},
                      read_bag_of_words(corpus.database(), bag_of_words({"w0", "w1"})));
    words.use_tables(std::make_shared<VectorTables>());
    words.use_postings(std::make_shared<PostingTables>());
    for (const auto time : {std::chrono::milliseconds(10), std::chrono::milliseconds(100'000)}) {
        const auto limit = std::make_shared<TimeLimit>(TimeLimit::Clock::now() + time);
        words.stop_at(limit);
        int asked = 0;
        const auto part = std::make_shared<SlowPart>(asked);
        JointSource source(words, nullptr, {part, part, part},
                           {.every = true, .best = 10, .limit = limit});
        source.init(corpus.database());
        source.next(0);
        const bool is_short = time.count() == 10;
        CHECK(limit->stopped() == is_short);
        CHECK(source.at_end() == is_short);
        CHECK((asked <= 1) == is_short);
    }
}

TEST_CASE("JointSource: bounds leave most documents unscored") {
    Random random(seed(), 1);
    const TemporaryFolder folder;
    const JointCorpus corpus(random, folder, 1);
    Searcher searcher(corpus.database(), with_tables(true, true));
    searcher.rank_by({.rankers = {{.ranker = "bm25"},
                                  {.ranker = "lm-neighbours", .weight = 2},
                                  {.ranker = "lsa", .weight = 2},
                                  {.ranker = "lbdm"}}});
    std::uint64_t scored = 0;
    for (int round = 0; round < 20; ++round) {
        SearchRequest request = request_of(bag_of_words(corpus.random_words(random)));
        request.candidates = Candidates::kAll;
        request.count = 3;
        const SearchResult found = searcher.search(request);
        CHECK(found.run.pruned);
        scored += found.run.counters.documents_scored;
    }
    CHECK(scored < 20 * kDocuments / 2);  // For ten seeds 18 to 33 %.
}

TEST_CASE("JointSource: all documents in one pass, unless something asks for what it can't") {
    Random random(seed(), 2);
    const TemporaryFolder folder;
    const JointCorpus corpus(random, folder, 1);
    Searcher searcher(corpus.database());
    FusionModel model{.rankers = {{.ranker = "bm25"}, {.ranker = "lsa"}, {.ranker = "lbdm"}}};
    SearchRequest request = request_of(bag_of_words({"w0", "w1"}), 10);
    request.candidates = Candidates::kAll;
    const auto why_not = [&] {
        searcher.rank_by(model);
        return searcher.search(request).run.why_not_pruned;
    };
    CHECK(why_not() == "");
    request.filter = Query("w2");
    CHECK(why_not() ==
          "candidates are all documents that a filter passes, and the source that finds any "
          "document doesn't know which");
    request.filter.reset();
    request.sort = SortBy{.slot = 1};
    CHECK(why_not() == "sorting, collapsing, counting and facets look at all documents");
    request.sort.reset();
    model.rankers.push_back({.ranker = "rm3", .weight = 0.5});
    CHECK(why_not() == "candidates are all documents, and nothing bounds what rm3 gives one");
    model.rankers.back() = {.ranker = "lm-dirichlet", .weight = 0.5};
    CHECK(why_not() ==
          "candidates are all documents, and a ranker of words gives a document a score for its "
          "length alone");
}

// docs/algorithms/boosts.md (1) and (2), of the scores without factors.
TEST_CASE("Factors beside lm-neighbours and lbdm multiply the whole score, pruned or not",
          "[property]") {
    Random random(seed(), 4);
    for_joint_searches(
        random, 15,
        [&](const JointCorpus& corpus, Searcher& searcher, Xapian::doccount shards, int /*round*/) {
            FusionModel model = random_model(random);
            SearchRequest request = request_of(bag_of_words(corpus.random_words(random)));
            request.count = 2 * kDocuments * shards;
            searcher.rank_by(model);
            Scores expected = scores_of(searcher.search(request));
            const double times = random.below(2) == 0 ? 0.2 : 3;
            const double power = 0.5 + random.uniform();
            for (auto& [docid, score] : expected) {
                const Xapian::Document document = corpus.database().get_document(docid);
                auto term = document.termlist_begin();
                term.skip_to("w2");
                const bool has = term != document.termlist_end() && *term == "w2";
                score *= has ? std::pow(times, power) : 1;
            }
            model.rankers.push_back({.ranker = "filter",
                                     .name = "boost",
                                     .field = "w2",
                                     .parameters = {{"times", times}},
                                     .weight = power});
            searcher.rank_by(model);
            request.path = SearchRequest::Path::kPruned;
            check_equal(scores_of(searcher.search(request)), expected, 1e-9);
            request.count = 4;
            const SearchResult best = searcher.search(request);
            CHECK(best.hits.size() == std::min<std::size_t>(4, expected.size()));
            for (const SearchHit& hit : best.hits) {
                CHECK_THAT(hit.score, WithinRel(expected.at(hit.docid), 1e-9));
                CHECK(std::count_if(expected.begin(), expected.end(), [&](const auto& other) {
                          return other.second > hit.score * (1 + 1e-9);
                      }) < 4);
            }
        });
}

TEST_CASE("NeighbourTable: has whose neighbour each document is, and nothing of damaged values") {
    Random random(seed(), 3);
    const TemporaryFolder folder;
    const JointCorpus corpus(random, folder, 1);
    const Xapian::Database& shard = corpus.database();
    const auto table = NeighbourTable::load(shard, {kId, 1010}, kEach, 1 << 20);
    REQUIRE(table != nullptr);
    std::size_t pairs = 0;
    std::size_t beyond = 0;
    for (auto value = shard.valuestream_begin(1010); value != shard.valuestream_end(1010);
         ++value) {
        const Xapian::docid docid = value.get_docid();
        const std::string bytes = *value;
        const auto stored = try_open_vector(bytes, kEach);
        if (!stored) {
            CHECK(table->count(docid) == 0);
            continue;
        }
        std::size_t count = 0;
        while (count < kEach && number_at(*stored, count) != 0) ++count;
        CHECK(table->count(docid) == count);
        for (std::size_t i = 0; i < count; ++i) {
            const auto near = table->of(docid + static_cast<Xapian::docid>(number_at(*stored, i)));
            const bool is_there = std::find(near.begin(), near.end(), docid) != near.end();
            (is_there ? pairs : beyond) += 1;
        }
    }
    std::size_t found = 0;
    for (Xapian::docid docid = 0; docid < table->docids(); ++docid)
        found += table->of(docid).size();
    CHECK(found == pairs);
    CHECK(beyond < 20);
    CHECK(table->of(1'000'000).empty());
    CHECK(NeighbourTable::load(shard, {kId, 1010}, kEach, 1000) == nullptr);
}
