// SPDX-License-Identifier: GPL-2.0-or-later
// The library that `braid with` preloads (LD_PRELOAD). It is in every process that the program
// starts, so it is linked to the C library alone, and does nothing where no Xapian is.
//
// This file stands in front of functions of Xapian::Enquire and Xapian::Registry, by their symbols.
// Each calls Xapian's own, and tells enquires.cpp.
#include "braid/with/enquires.h"
#include "braid/with/layers.h"
#include "braid/with/xapians.h"

/// As far as its callers see: the destructor makes that functions return it by a hidden pointer, as
/// they do Xapian's. Never made or copied here.
class Xapian::MSet {
  public:
    MSet(const MSet&) = delete;
    ~MSet();

  private:
    void* internal_;
};

#define BRAID_MAKE "_ZN6Xapian7EnquireC1ERKNS_8DatabaseE"
#define BRAID_MAKE_WITH_HANDLER "_ZN6Xapian7EnquireC1ERKNS_8DatabaseEPNS_12ErrorHandlerE"
#define BRAID_COPY "_ZN6Xapian7EnquireC1ERKS0_"
#define BRAID_MOVE "_ZN6Xapian7EnquireC1EOS0_"
#define BRAID_ASSIGN "_ZN6Xapian7EnquireaSERKS0_"
#define BRAID_MOVE_ASSIGN "_ZN6Xapian7EnquireaSEOS0_"
#define BRAID_END "_ZN6Xapian7EnquireD1Ev"
#define BRAID_SET_QUERY "_ZN6Xapian7Enquire9set_queryERKNS_5QueryEj"
#define BRAID_SET_SCHEME "_ZN6Xapian7Enquire20set_weighting_schemeERKNS_6WeightE"
#define BRAID_BY_RELEVANCE "_ZN6Xapian7Enquire21set_sort_by_relevanceEv"
#define BRAID_BY_VALUE "_ZN6Xapian7Enquire17set_sort_by_valueEjb"
#define BRAID_BY_KEY "_ZN6Xapian7Enquire15set_sort_by_keyEPNS_8KeyMakerEb"
#define BRAID_BY_VALUE_FIRST "_ZN6Xapian7Enquire32set_sort_by_value_then_relevanceEjb"
#define BRAID_BY_KEY_FIRST "_ZN6Xapian7Enquire30set_sort_by_key_then_relevanceEPNS_8KeyMakerEb"
#define BRAID_BY_VALUE_LAST "_ZN6Xapian7Enquire32set_sort_by_relevance_then_valueEjb"
#define BRAID_BY_KEY_LAST "_ZN6Xapian7Enquire30set_sort_by_relevance_then_keyEPNS_8KeyMakerEb"
#define BRAID_SET_CUTOFF "_ZN6Xapian7Enquire10set_cutoffEid"
#define BRAID_GET_MSET "_ZNK6Xapian7Enquire8get_msetEjjjPKNS_4RSetEPKNS_12MatchDeciderE"
#define BRAID_MAKE_REGISTRY "_ZN6Xapian8RegistryC1Ev"

#define BRAID_FRONT(name, symbol) name __asm__(symbol) __attribute__((visibility("default")))
#define BRAID_ALIAS(name, symbol, of) \
    name __asm__(symbol) __attribute__((alias(of), visibility("default")))
#define BRAID_CALL(front, symbol) \
    call_of(braid::with::Front::front, symbol, __builtin_return_address(0))

using braid::with::Call;
using braid::with::call_of;

extern "C" {

void BRAID_FRONT(make(Xapian::Enquire* enquire, const Xapian::Database* database), BRAID_MAKE);
void make(Xapian::Enquire* enquire, const Xapian::Database* database) {
    const Call call = BRAID_CALL(kMake, BRAID_MAKE);
    reinterpret_cast<decltype(&make)>(call.function)(enquire, database);
    if (call.is_watched) braid::with::made(enquire, database);
}
void BRAID_ALIAS(make_base(Xapian::Enquire* enquire, const Xapian::Database* database),
                 "_ZN6Xapian7EnquireC2ERKNS_8DatabaseE", BRAID_MAKE);

void BRAID_FRONT(make_with_handler(Xapian::Enquire* enquire, const Xapian::Database* database,
                                   void* handler),
                 BRAID_MAKE_WITH_HANDLER);
void make_with_handler(Xapian::Enquire* enquire, const Xapian::Database* database, void* handler) {
    const Call call = BRAID_CALL(kMakeWithHandler, BRAID_MAKE_WITH_HANDLER);
    reinterpret_cast<decltype(&make_with_handler)>(call.function)(enquire, database, handler);
    if (call.is_watched) braid::with::made(enquire, database);
}
void BRAID_ALIAS(make_base_with_handler(Xapian::Enquire* enquire, const Xapian::Database* database,
                                        void* handler),
                 "_ZN6Xapian7EnquireC2ERKNS_8DatabaseEPNS_12ErrorHandlerE",
                 BRAID_MAKE_WITH_HANDLER);

void BRAID_FRONT(copy(Xapian::Enquire* enquire, const Xapian::Enquire* from), BRAID_COPY);
void copy(Xapian::Enquire* enquire, const Xapian::Enquire* from) {
    const Call call = BRAID_CALL(kCopy, BRAID_COPY);
    reinterpret_cast<decltype(&copy)>(call.function)(enquire, from);
    if (call.is_watched) braid::with::copied(enquire, from);
}
void BRAID_ALIAS(copy_base(Xapian::Enquire* enquire, const Xapian::Enquire* from),
                 "_ZN6Xapian7EnquireC2ERKS0_", BRAID_COPY);

void BRAID_FRONT(move(Xapian::Enquire* enquire, Xapian::Enquire* from), BRAID_MOVE);
void move(Xapian::Enquire* enquire, Xapian::Enquire* from) {
    const Call call = BRAID_CALL(kMove, BRAID_MOVE);
    reinterpret_cast<decltype(&move)>(call.function)(enquire, from);
    if (call.is_watched) braid::with::moved(enquire, from);
}
void BRAID_ALIAS(move_base(Xapian::Enquire* enquire, Xapian::Enquire* from),
                 "_ZN6Xapian7EnquireC2EOS0_", BRAID_MOVE);

void BRAID_FRONT(assign(Xapian::Enquire* enquire, const Xapian::Enquire* from), BRAID_ASSIGN);
void assign(Xapian::Enquire* enquire, const Xapian::Enquire* from) {
    const Call call = BRAID_CALL(kAssign, BRAID_ASSIGN);
    reinterpret_cast<decltype(&assign)>(call.function)(enquire, from);
    if (call.is_watched) braid::with::copied(enquire, from);
}

void* BRAID_FRONT(move_assign(Xapian::Enquire* enquire, Xapian::Enquire* from), BRAID_MOVE_ASSIGN);
void* move_assign(Xapian::Enquire* enquire, Xapian::Enquire* from) {
    const Call call = BRAID_CALL(kMoveAssign, BRAID_MOVE_ASSIGN);
    void* const result = reinterpret_cast<decltype(&move_assign)>(call.function)(enquire, from);
    if (call.is_watched) braid::with::moved(enquire, from);
    return result;
}

void BRAID_FRONT(end(Xapian::Enquire* enquire), BRAID_END);
void end(Xapian::Enquire* enquire) {
    const Call call = BRAID_CALL(kEnd, BRAID_END);
    if (call.is_watched) braid::with::ended(enquire);
    reinterpret_cast<decltype(&end)>(call.function)(enquire);
}
void BRAID_ALIAS(end_base(Xapian::Enquire* enquire), "_ZN6Xapian7EnquireD2Ev", BRAID_END);

void BRAID_FRONT(set_query(Xapian::Enquire* enquire, const void* query, unsigned length),
                 BRAID_SET_QUERY);
void set_query(Xapian::Enquire* enquire, const void* query, unsigned length) {
    const Call call = BRAID_CALL(kSetQuery, BRAID_SET_QUERY);
    reinterpret_cast<decltype(&set_query)>(call.function)(enquire, query, length);
    if (call.is_watched) braid::with::query_set(enquire, length);
}

void BRAID_FRONT(set_scheme(Xapian::Enquire* enquire, const Xapian::Weight* weight),
                 BRAID_SET_SCHEME);
void set_scheme(Xapian::Enquire* enquire, const Xapian::Weight* weight) {
    const Call call = BRAID_CALL(kSetScheme, BRAID_SET_SCHEME);
    reinterpret_cast<decltype(&set_scheme)>(call.function)(enquire, weight);
    if (call.is_watched) braid::with::scheme_set(enquire, weight);
}

void BRAID_FRONT(set_cutoff(Xapian::Enquire* enquire, int percent, double weight),
                 BRAID_SET_CUTOFF);
void set_cutoff(Xapian::Enquire* enquire, int percent, double weight) {
    const Call call = BRAID_CALL(kSetCutoff, BRAID_SET_CUTOFF);
    reinterpret_cast<decltype(&set_cutoff)>(call.function)(enquire, percent, weight);
    if (call.is_watched) braid::with::cut_off(enquire, percent, weight);
}

void BRAID_FRONT(sort_by_relevance(Xapian::Enquire* enquire), BRAID_BY_RELEVANCE);
void sort_by_relevance(Xapian::Enquire* enquire) {
    const Call call = BRAID_CALL(kSortByRelevance, BRAID_BY_RELEVANCE);
    reinterpret_cast<decltype(&sort_by_relevance)>(call.function)(enquire);
    if (call.is_watched) braid::with::order_set(enquire, true);
}

// NOLINTBEGIN(bugprone-macro-parentheses): a type can have none.
// The orders by a value slot and by a key differ in what comes first.
#define BRAID_ORDER(name, symbol, front, type, by_relevance)                            \
    void BRAID_FRONT(name(Xapian::Enquire* enquire, type by, bool is_reverse), symbol); \
    void name(Xapian::Enquire* enquire, type by, bool is_reverse) {                     \
        const Call call = BRAID_CALL(front, symbol);                                    \
        reinterpret_cast<decltype(&name)>(call.function)(enquire, by, is_reverse);      \
        if (call.is_watched) braid::with::order_set(enquire, by_relevance);             \
    }
// NOLINTEND(bugprone-macro-parentheses)
BRAID_ORDER(by_value, BRAID_BY_VALUE, kSortByValue, unsigned, false)
BRAID_ORDER(by_key, BRAID_BY_KEY, kSortByKey, void*, false)
BRAID_ORDER(by_value_first, BRAID_BY_VALUE_FIRST, kSortByValueThenRelevance, unsigned, false)
BRAID_ORDER(by_key_first, BRAID_BY_KEY_FIRST, kSortByKeyThenRelevance, void*, false)
BRAID_ORDER(by_value_last, BRAID_BY_VALUE_LAST, kSortByRelevanceThenValue, unsigned, true)
BRAID_ORDER(by_key_last, BRAID_BY_KEY_LAST, kSortByRelevanceThenKey, void*, true)

Xapian::MSet BRAID_FRONT(get_mset(const Xapian::Enquire* enquire, unsigned first, unsigned count,
                                  unsigned check, const Xapian::RSet* relevant,
                                  const Xapian::MatchDecider* decider),
                         BRAID_GET_MSET);
Xapian::MSet get_mset(const Xapian::Enquire* enquire, unsigned first, unsigned count,
                      unsigned check, const Xapian::RSet* relevant,
                      const Xapian::MatchDecider* decider) {
    const Call call = BRAID_CALL(kGetMset, BRAID_GET_MSET);
    const auto xapians = reinterpret_cast<decltype(&get_mset)>(call.function);
    braid::with::Search* const search =
        call.is_watched && count > 0 ? braid::with::search_of(enquire) : nullptr;
    if (search != nullptr) {
        const char* problem = nullptr;
        const braid::with::Ranker* const ranker = braid::with::load_ranker(&problem);
        if (ranker != nullptr) {
            return ranker->get_mset(search, enquire, first, count, check, relevant, decider,
                                    xapians);
        }
        braid::with::log("untouched", problem, nullptr);
    }
    return xapians(enquire, first, count, check, relevant, decider);
}

void BRAID_FRONT(make_registry(Xapian::Registry* registry), BRAID_MAKE_REGISTRY);
void make_registry(Xapian::Registry* registry) {
    const Call call = BRAID_CALL(kMakeRegistry, BRAID_MAKE_REGISTRY);
    reinterpret_cast<decltype(&make_registry)>(call.function)(registry);
    const char* problem = nullptr;
    const braid::with::Ranker* const ranker =
        call.is_watched ? braid::with::load_ranker(&problem) : nullptr;
    if (ranker != nullptr) ranker->register_classes(registry);
}
void BRAID_ALIAS(make_registry_base(Xapian::Registry* registry), "_ZN6Xapian8RegistryC2Ev",
                 BRAID_MAKE_REGISTRY);

}  // extern "C"
