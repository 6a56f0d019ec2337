// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/plugin/sources/title_source.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "braid/core/base/bytes.h"
#include "braid/plugin/query/query_tree.h"
#include "braid/plugin/sources/source_bytes.h"
#include "braid/plugin/store/analysis.h"
#include "braid/plugin/store/terms.h"

namespace braid {
namespace {

// Whether `part` stands for one of several words.
bool is_choice(const Xapian::Query& part) {
    switch (part.get_type()) {
        case Xapian::Query::OP_SYNONYM:
        case Xapian::Query::OP_MAX:
        case Xapian::Query::OP_ELITE_SET:
        case Xapian::Query::OP_WILDCARD:
            return true;
        default:
            return false;
    }
}

bool is_letter_or_digit(char c) {
    return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') ||
           static_cast<unsigned char>(c) >= 0x80;
}

// What is never within a word to Xapian.
bool is_between_words(char c) { return c == '-' || c == ' ' || c == '/' || c == ':'; }

char upper(char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; }
char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

// How the word begins. A stem and its words may differ in the end.
std::string_view start_of(const NameWord& word) {
    const std::string_view start = word.text;
    return start.substr(0, start.size() - (word.is_stem && start.size() > 1 ? 1 : 0));
}

// Whether the value may have all of those words, for less than it takes to know.
bool may_have(std::string_view value, const std::vector<NameWord>& words) {
    auto from = value.begin();
    for (const NameWord& word : words) {
        const std::string_view start = start_of(word);
        const bool is_plain = std::all_of(start.begin(), start.end(), [](char c) {
            return static_cast<unsigned char>(c) < 0x80;
        });
        if (!is_plain) continue;  // Capitals may have other bytes.
        from = std::search(from, value.end(), start.begin(), start.end(),
                           [](char a, char b) { return lower(a) == b; });
        if (from == value.end()) return false;
        from += static_cast<std::ptrdiff_t>(start.size());
    }
    return true;
}

// Those terms of the query, of which each has its position in the text, if any has one. A bag of
// words has its terms in order of bytes; so has a query without positions what this gives.
std::vector<std::string> by_position(const Xapian::Query& query,
                                     const std::vector<std::string>& terms) {
    std::vector<std::string> result;
    for (auto term = query.get_terms_begin(); term != query.get_terms_end(); ++term) {
        if (std::binary_search(terms.begin(), terms.end(), *term)) result.push_back(*term);
    }
    return result.size() == terms.size() ? result : terms;
}

// The first document from there on that has all those terms, to which the lists are moved; 0 for
// none.
Xapian::docid first_common(std::vector<Xapian::PostingIterator>& postings, Xapian::docid from) {
    const Xapian::PostingIterator end;
    for (std::size_t agreed = 0, i = 0; agreed < postings.size(); i = (i + 1) % postings.size()) {
        if (postings[i] != end) postings[i].skip_to(from);
        if (postings[i] == end) return 0;
        agreed = *postings[i] == from ? agreed + 1 : 1;
        from = *postings[i];
    }
    return from;
}

std::vector<Xapian::PostingIterator> postings_of(const Xapian::Database& database,
                                                 const std::vector<std::string>& terms) {
    std::vector<Xapian::PostingIterator> postings;
    postings.reserve(terms.size());
    for (const std::string& term : terms) postings.push_back(database.postlist_begin(term));
    return postings;
}

// How values that begin with the word may begin.
std::set<std::string> starts_of(const NameWord& word) {
    std::string start(start_of(word));
    std::string capital = start;
    capital[0] = upper(capital[0]);
    std::string capitals = start;
    std::transform(capitals.begin(), capitals.end(), capitals.begin(), upper);
    return {start, capital, capitals};
}

}  // namespace

std::vector<NameWord> name_words(const Xapian::Query& query, const AnalysisSettings& analysis) {
    std::vector<NameWord> words;
    if (query.empty() || has_part(query, is_choice)) return words;
    std::vector<std::string> terms;
    for_each_scored_leaf(query, [&](const Xapian::Query& leaf) {
        if (leaf.get_type() == Xapian::Query::LEAF_TERM) terms.push_back(*leaf.get_terms_begin());
    });
    if (std::is_sorted(terms.begin(), terms.end())) terms = by_position(query, terms);
    const bool stems_only = analysis.stemming == AnalysisSettings::Stemming::kAll;
    for (const std::string& term : terms) {
        const std::string_view stem = word_of_term(WordForm::kStems, term);
        const std::string_view word = word_of_term(WordForm::kWords, term);
        if (!stem.empty()) {
            words.push_back({std::string(stem), true});
        } else if (!word.empty()) {
            words.push_back({std::string(word), stems_only});
        }
    }
    return words;
}

TitleMatcher::TitleMatcher(const Xapian::Database& database,
                           std::shared_ptr<const TitleQuery> query)
    : database_(database), query_(std::move(query)), stem_(make_stemmer({query_->stemmer})) {
    if (query_->words.empty()) return;
    if (query_->exact) {
        find_equal();
        return;
    }
    for (const NameWord& word : query_->words) {
        const std::string term = word.is_stem ? "Z" + word.text : word.text;
        std::string in_field = term_in_field(query_->prefix, term);
        // Where there are stems alone they have no mark.
        if (word.is_stem && !database_.term_exists(in_field)) in_field.erase(0, 1);
        if (std::find(terms_.begin(), terms_.end(), in_field) == terms_.end()) {
            terms_.push_back(std::move(in_field));
        }
    }
    look_at_few();
}

void TitleMatcher::look_at_few() {
    std::vector<Xapian::PostingIterator> postings = postings_of(database_, terms_);
    std::vector<Xapian::docid> few;
    for (Xapian::docid at = first_common(postings, 1); at != 0;
         at = first_common(postings, at + 1)) {
        few.push_back(at);
        is_settled_ = few.size() <= kFew;
        if (!is_settled_) return;
    }
    for (const Xapian::docid docid : few) {
        const TitleMatch match = match_words(docid);
        if (query_->scores.of(match) > 0) found_.emplace_back(docid, match);
    }
}

double TitleMatcher::bound() const {
    const TitleScores& scores = query_->scores;
    if (!is_settled_) return std::max({scores.equals, scores.begins, scores.contains});
    double most = 0;
    for (const auto& [docid, match] : found_) most = std::max(most, scores.of(match));
    return most;
}

TitleWord TitleMatcher::title_word(std::string word) const {
    TitleWord result{std::move(word), "", false};
    result.stem = stem_(result.word);
    result.is_stop =
        std::binary_search(query_->stop_words.begin(), query_->stop_words.end(), result.word);
    return result;
}

// As documents' words are made.
std::vector<TitleWord> TitleMatcher::words_of_value(std::string_view value) const {
    Xapian::TermGenerator generator;
    generator.set_max_word_length(kMaxTermBytes);
    generator.index_text(std::string(value));
    std::map<Xapian::termpos, std::string> in_order;
    const Xapian::Document document = generator.get_document();
    for (auto term = document.termlist_begin(); term != document.termlist_end(); ++term) {
        for (auto at = term.positionlist_begin(); at != term.positionlist_end(); ++at) {
            in_order.emplace(*at, *term);
        }
    }
    std::vector<TitleWord> words;
    words.reserve(in_order.size());
    for (auto& [position, word] : in_order) words.push_back(title_word(std::move(word)));
    return words;
}

void TitleMatcher::find_equal() {
    for (const std::string& start : starts_of(query_->words.front())) {
        find_equal(exact_term(query_->prefix, start));
    }
    std::sort(found_.begin(), found_.end());
    found_.erase(std::unique(found_.begin(), found_.end()), found_.end());
}

// Of values that begin with another word, and of longer ones where the query has but one, the first
// is looked at.
void TitleMatcher::find_equal(const std::string& start) {
    const bool one_word = query_->words.size() == 1;
    auto term = database_.allterms_begin(start);
    const auto end = database_.allterms_end(start);
    for (std::size_t looked = 0; term != end && looked < kMostValues; ++looked) {
        const std::string text = *term;
        const std::string_view value = exact_value(query_->prefix, text);
        if (!may_have(value, query_->words)) {
            ++term;
            continue;
        }
        const std::vector<TitleWord> words = words_of_value(value);
        const bool is_equal = match_title(words, query_->words) == TitleMatch::kEquals;
        if (is_equal && (!one_word || words.size() == 1)) {
            const auto last = database_.postlist_end(text);
            for (auto at = database_.postlist_begin(text); at != last; ++at) {
                found_.emplace_back(*at, TitleMatch::kEquals);
            }
        }
        const auto between = std::find_if_not(value.begin(), value.end(), is_letter_or_digit);
        const bool has_more = value.end() - between > 1 && is_between_words(*between) &&
                              is_letter_or_digit(*(between + 1));
        const bool may_skip =
            has_more && !words.empty() && !words.front().is_stop &&
            (one_word ||
             match_title({words.data(), 1}, {query_->words.data(), 1}) == TitleMatch::kNone);
        const auto after = text.size() - static_cast<std::size_t>(value.end() - between) + 1;
        if (may_skip && after >= start.size()) {
            term.skip_to(text.substr(0, after) + '\xff');
        } else {
            ++term;
        }
    }
}

namespace {

// Calls visit(word, term) for each word of a document in the field with that prefix.
template <typename Visit>
void for_words(const Xapian::Database& database, Xapian::docid docid, const std::string& prefix,
               const Visit& visit) {
    auto term = database.termlist_begin(docid);
    const auto end = database.termlist_end(docid);
    for (term.skip_to(prefix); term != end; ++term) {
        const std::string text = *term;
        if (!text.starts_with(prefix)) break;
        if (is_word_of_field(WordForm::kWords, prefix, text)) {
            visit(text.substr(prefix.size()), term);
        }
    }
}

}  // namespace

// The field has that word alone, as its terms tell without their positions; else it contains it.
TitleMatch TitleMatcher::match_one_word(Xapian::docid docid) const {
    std::vector<TitleWord> words;
    bool has_it = false;
    for_words(database_, docid, query_->prefix, [&](std::string word, const auto& term) {
        words.push_back(title_word(std::move(word)));
        has_it = has_it || match_title({&words.back(), 1}, query_->words) != TitleMatch::kNone;
        if (term.get_wdf() > 1) words.push_back(words.back());
    });
    if (!has_it) return TitleMatch::kNone;
    return std::max(TitleMatch::kContains, match_title(words, query_->words) == TitleMatch::kEquals
                                               ? TitleMatch::kEquals
                                               : TitleMatch::kNone);
}

TitleMatch TitleMatcher::match(Xapian::docid docid) const {
    if (!is_settled_) return match_words(docid);
    const auto at = std::lower_bound(
        found_.begin(), found_.end(), docid,
        [](const auto& found, Xapian::docid wanted) { return found.first < wanted; });
    return at != found_.end() && at->first == docid ? at->second : TitleMatch::kNone;
}

TitleMatch TitleMatcher::match_words(Xapian::docid docid) const {
    if (query_->words.size() == 1) return match_one_word(docid);
    std::map<Xapian::termpos, std::string> in_order;
    for_words(database_, docid, query_->prefix, [&](const std::string& word, const auto& term) {
        for (auto at = term.positionlist_begin(); at != term.positionlist_end(); ++at) {
            in_order.emplace(*at, word);
        }
    });
    std::vector<TitleWord> words;
    words.reserve(in_order.size());
    for (auto& [position, word] : in_order) words.push_back(title_word(std::move(word)));
    return match_title(words, query_->words);
}

TitleSource::TitleSource() : TitleSource(TitleQuery{.prefix = "S"}, 0) {}

TitleSource::TitleSource(TitleQuery query, double weight) : weight_(weight) {
    require_weight(weight, "TitleSource");
    make_stemmer({query.stemmer});
    query_ = std::make_shared<const TitleQuery>(std::move(query));
}

TitleSource::~TitleSource() = default;

void TitleSource::end() {
    ended_ = true;
    set_maxweight(0);  // Nothing more to come: the others may prune as without this one.
}

void TitleSource::init(const Xapian::Database& shard) {
    matcher_ = std::make_unique<TitleMatcher>(shard, query_);
    postings_.clear();
    at_ = 0;
    docid_ = 0;
    const double most = weight_ * matcher_->bound();
    ended_ = !(most > 0);
    set_maxweight(possible_bound(most, name()));
    most_ = ended_ ? 0 : static_cast<Xapian::doccount>(matcher_->found().size());
    if (ended_ || matcher_->is_settled()) return;
    most_ = shard.get_doccount();
    postings_ = postings_of(shard, matcher_->terms());
    for (const std::string& term : matcher_->terms()) {
        most_ = std::min(most_, shard.get_termfreq(term));
    }
}

// To the first document from there on that has all words in the field.
void TitleSource::move_to(Xapian::docid docid) {
    if (ended_) return;
    if (matcher_->is_settled()) {
        const auto& found = matcher_->found();
        while (at_ < found.size() && found[at_].first < docid) ++at_;
        if (at_ == found.size()) return end();
        docid_ = found[at_].first;
        return;
    }
    docid_ = first_common(postings_, docid);
    if (docid_ == 0) end();
}

double TitleSource::get_weight() const { return weight_ * matcher_->score(docid_); }

void TitleSource::next(double /*min_weight*/) { move_to(docid_ + 1); }

void TitleSource::skip_to(Xapian::docid docid, double /*min_weight*/) {
    if (docid > docid_) move_to(docid);
}

// No "no": see SlotSource::check.
bool TitleSource::check(Xapian::docid docid, double min_weight) {
    skip_to(docid, min_weight);
    return true;
}

TitleSource* TitleSource::clone() const {
    auto* const copy = new TitleSource;
    copy->query_ = query_;
    copy->weight_ = weight_;
    return copy;
}

std::string TitleSource::get_description() const {
    return fmt::format("braid::TitleSource(prefix={}, words={}, weight={})", query_->prefix,
                       query_->words.size(), weight_);
}

void TitleSource::write_bytes(ByteWriter& out) const {
    out.real(weight_);
    out.text(query_->prefix);
    out.flag(query_->exact);
    out.text(query_->stemmer);
    write_texts(out, query_->stop_words);
    for (const double score :
         {query_->scores.equals, query_->scores.begins, query_->scores.contains}) {
        out.real(score);
    }
    out.varint(query_->words.size());
    for (const NameWord& word : query_->words) {
        out.text(word.text);
        out.flag(word.is_stem);
    }
}

std::unique_ptr<TitleSource> TitleSource::read_bytes(ByteReader& in) const {
    const double weight = in.finite_real("weight");
    TitleQuery query;
    query.prefix = in.text("prefix");
    query.exact = in.flag("exact");
    query.stemmer = in.text("stemmer");
    query.stop_words = read_texts(in, "stop words");
    if (!std::is_sorted(query.stop_words.begin(), query.stop_words.end())) {
        in.fail("stop words", "don't ascend");
    }
    for (double* score : {&query.scores.equals, &query.scores.begins, &query.scores.contains}) {
        *score = in.finite_real("score");
        if (*score < 0 || *score > 1) in.fail("score", "expected 0 to 1");
    }
    query.words.resize(in.count("words", 2));
    for (NameWord& word : query.words) {
        word.text = in.text("word");
        word.is_stem = in.flag("is a stem");
        if (word.text.empty()) in.fail("word", "is empty");
    }
    if (query.prefix.empty()) in.fail("prefix", "is empty");
    return std::make_unique<TitleSource>(std::move(query), weight);
}

}  // namespace braid
