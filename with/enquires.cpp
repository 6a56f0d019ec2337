// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/with/enquires.h"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <pthread.h>

namespace braid::with {
namespace {

Surroundings around;

/// A std::string of libstdc++'s, which this library isn't linked to.
struct Text {
    char* data;
    std::size_t size;
    char local[16];

    bool is_local() const { return data == local; }
};

/// A Text that a function of Xapian returns. Like std::string it has a destructor, so functions
/// return it by a hidden pointer. `release` must be called.
struct Returned {
    Returned(const Returned&) = delete;
    ~Returned() {}
    Text text;
};

constexpr char kModelKey[] = "braid:model";  // kFusionModelKey of plugin/store/keys.h.
static_assert(sizeof kModelKey <= sizeof Text::local);

constexpr std::size_t kMostDatabase = 64;
constexpr std::size_t kMostScheme = 128;

/// What an Enquire has been told, shared by its copies as Xapian shares it.
struct Watched {
    Search search;
    unsigned handles;  ///< Enquires.
    /// Of the Enquire: another one at the same address is told apart by it.
    const void* internals;
    bool is_writable;
    bool has_other_scheme;
    bool is_by_other;  ///< Sorted by a value or key.
    bool is_cut_off;
    bool is_looked_at;
    bool has_model;
    char scheme[kMostScheme];
    alignas(16) unsigned char database[kMostDatabase];
};

struct Entry {
    const Xapian::Enquire* enquire;
    Watched* watched;
    Entry* next;
};

constexpr std::size_t kBuckets = 256;
Entry* buckets[kBuckets];
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

class Locked {
  public:
    Locked() { pthread_mutex_lock(&lock); }
    ~Locked() { pthread_mutex_unlock(&lock); }
    Locked(const Locked&) = delete;
    Locked& operator=(const Locked&) = delete;
};

/// While it lives, the thread's calls of Xapian's functions are not watched, and it isn't
/// cancelled: that would pass through `catch (...)`, which the C library forbids.
class Inside {
  public:
    Inside() : flag_(around.preloaded->is_inside()), before_(*flag_) {
        *flag_ = true;
        pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state_);
    }
    ~Inside() {
        pthread_setcancelstate(state_, &state_);
        *flag_ = before_;
    }
    Inside(const Inside&) = delete;
    Inside& operator=(const Inside&) = delete;

  private:
    bool* flag_;
    bool before_;
    int state_ = 0;
};

/// The same of a std::string_view. Functions take it by value.
struct View {
    std::size_t size;
    const char* data;
};

enum Name : unsigned {
    kCopy,
    kDestroy,
    kGetMetadata,        ///< Of Xapian 1.4, whose key is a string.
    kGetMetadataByView,  ///< From 1.5 on.
    kSerialise,
    kDelete,
    kNames
};
constexpr const char* kSymbols[kNames] = {
    "_ZN6Xapian8DatabaseC1ERKS0_",
    "_ZN6Xapian8DatabaseD1Ev",
    "_ZNK6Xapian8Database12get_metadataERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE",
    "_ZNK6Xapian8Database12get_metadataB5cxx11ESt17basic_string_viewIcSt11char_traitsIcEE",
    "_ZNK6Xapian10BM25Weight9serialiseB5cxx11Ev",
    "_ZdlPv",
};

/// Null if there is none.
template <typename Function>
Function function_of(Name name) {
    static void* functions[kNames];
    void* found = __atomic_load_n(&functions[name], __ATOMIC_RELAXED);
    if (found == nullptr) {
        found = around.symbol(kSymbols[name]);
        __atomic_store_n(&functions[name], found, __ATOMIC_RELAXED);
    }
    return reinterpret_cast<Function>(found);
}

void release(Text& text) {
    if (text.is_local()) return;
    const auto free_it = function_of<void (*)(void*)>(kDelete);
    if (free_it != nullptr) free_it(text.data);
}

/// The name of an object's class, from the type_info that its table of virtual functions has.
const char* class_of(const void* object) {
    const void* const* functions = nullptr;
    std::memcpy(&functions, object, sizeof functions);
    const auto* const type = static_cast<const char* const*>(functions[-1]);
    return type[1];
}

bool is_a(const void* object, const char* name) { return std::strcmp(class_of(object), name) == 0; }

/// An Enquire's only member, in all of Xapian's versions.
const void* internals_of(const Xapian::Enquire* enquire) {
    const void* internals = nullptr;
    std::memcpy(&internals, enquire, sizeof internals);
    return internals;
}

Entry** entry_of(const Xapian::Enquire* enquire) {
    const std::uintptr_t address = reinterpret_cast<std::uintptr_t>(enquire);
    Entry** entry = &buckets[(address >> 4) % kBuckets];
    while (*entry != nullptr && (*entry)->enquire != enquire) entry = &(*entry)->next;
    return entry;
}

Watched* find(const Xapian::Enquire* enquire) {
    const Locked locked;
    const Entry* const entry = *entry_of(enquire);
    if (entry == nullptr || entry->watched->internals != internals_of(enquire)) return nullptr;
    return entry->watched;
}

/// Removes the entry. Returns what nobody else has.
Watched* take(const Xapian::Enquire* enquire) {
    const Locked locked;
    Entry** const place = entry_of(enquire);
    Entry* const entry = *place;
    if (entry == nullptr) return nullptr;
    Watched* const watched = entry->watched;
    *place = entry->next;
    std::free(entry);
    return --watched->handles == 0 ? watched : nullptr;
}

void end(Watched* watched) {
    if (watched == nullptr) return;
    if (watched->search.state != nullptr) around.end_state(watched->search.state);
    const auto destroy = function_of<void (*)(void*)>(kDestroy);
    if (destroy != nullptr) destroy(watched->database);
    std::free(watched);
}

/// Without memory for an entry, the Enquire stays unknown.
bool put(const Xapian::Enquire* enquire, Watched* watched) {
    auto* const added = static_cast<Entry*>(std::malloc(sizeof(Entry)));
    if (added == nullptr) return false;
    const Locked locked;
    Entry** const place = entry_of(enquire);
    *added = {enquire, watched, *place};
    *place = added;
    ++watched->handles;
    return true;
}

bool read_whether_model(const Watched& watched) {
    const auto is_there = [](Returned value) {
        const bool is = value.text.size > 0;
        release(value.text);
        return is;
    };
    constexpr std::size_t kSize = sizeof kModelKey - 1;
    const auto by_view = function_of<Returned (*)(const void*, View)>(kGetMetadataByView);
    if (by_view != nullptr) return is_there(by_view(watched.database, {kSize, kModelKey}));
    const auto by_text = function_of<Returned (*)(const void*, const Text*)>(kGetMetadata);
    if (by_text == nullptr) return false;
    Text key;
    std::memcpy(key.local, kModelKey, sizeof kModelKey);
    key.data = key.local;
    key.size = kSize;
    return is_there(by_text(watched.database, &key));
}

const char* refusal_of(Watched& watched) {
    if (watched.is_by_other) return "sorted by a value or a key";
    if (watched.has_other_scheme) return "another weighting scheme than BM25";
    if (watched.is_cut_off) return "a cut-off is set";
    if (watched.is_writable) return "the database is open for writing";
    if (around.preloaded->model != nullptr || around.preloaded->sidecars != nullptr) return nullptr;
    if (!watched.is_looked_at) {
        const Inside inside;
        try {
            watched.has_model = read_whether_model(watched);
            watched.is_looked_at = true;
        } catch (...) {
            return "whether the database has an installed model can't be read";
        }
    }
    return watched.has_model ? nullptr : "the database has no installed model";
}

}  // namespace

void begin_watching(const Surroundings& surroundings) { around = surroundings; }

void made(const Xapian::Enquire* enquire, const Xapian::Database* database) {
    const auto copy = function_of<void (*)(void*, const Xapian::Database*)>(kCopy);
    auto* const watched = static_cast<Watched*>(std::calloc(1, sizeof(Watched)));
    if (copy == nullptr || watched == nullptr) return std::free(watched);
    const Inside inside;
    try {
        copy(watched->database, database);
    } catch (...) {
        return std::free(watched);
    }
    watched->search.database = reinterpret_cast<const Xapian::Database*>(watched->database);
    watched->internals = internals_of(enquire);
    watched->is_writable = is_a(database, "N6Xapian16WritableDatabaseE");
    end(take(enquire));  // Of an Enquire that ended unseen.
    if (!put(enquire, watched)) end(watched);
}

void copied(const Xapian::Enquire* enquire, const Xapian::Enquire* from) {
    if (enquire == from) return;
    Watched* const watched = find(from);
    if (watched != nullptr) {
        const Locked locked;
        ++watched->handles;  // It stays while the former one of `enquire` goes, even if it is that.
    }
    end(take(enquire));
    if (watched == nullptr) return;
    put(enquire, watched);
    bool is_last = false;
    {
        const Locked locked;
        is_last = --watched->handles == 0;
    }
    if (is_last) end(watched);
}

void moved(const Xapian::Enquire* enquire, const Xapian::Enquire* from) {
    if (enquire == from) return;
    end(take(enquire));
    const Locked locked;
    Entry** const place = entry_of(from);
    Entry* const entry = *place;
    if (entry == nullptr) return;
    *place = entry->next;
    entry->enquire = enquire;
    Entry** const other = entry_of(enquire);
    entry->next = *other;
    *other = entry;
}

void ended(const Xapian::Enquire* enquire) { end(take(enquire)); }

void query_set(const Xapian::Enquire* enquire, unsigned length) {
    Watched* const watched = find(enquire);
    if (watched == nullptr) return;
    watched->search.length = length;
    ++watched->search.queries;
}

void scheme_set(const Xapian::Enquire* enquire, const Xapian::Weight* scheme) {
    Watched* const watched = find(enquire);
    if (watched == nullptr) return;
    watched->has_other_scheme = true;
    if (!is_a(scheme, "N6Xapian10BM25WeightE")) return;
    const auto serialise = function_of<Returned (*)(const Xapian::Weight*)>(kSerialise);
    if (serialise == nullptr) return;
    try {
        Returned bytes = serialise(scheme);
        if (bytes.text.size <= kMostScheme) {
            std::memcpy(watched->scheme, bytes.text.data, bytes.text.size);
            watched->search.bm25 = watched->scheme;
            watched->search.bm25_size = static_cast<unsigned>(bytes.text.size);
            watched->has_other_scheme = false;
        }
        release(bytes.text);
    } catch (...) {  // Then it is no scheme that could be set again.
    }
}

void order_set(const Xapian::Enquire* enquire, bool by_relevance) {
    Watched* const watched = find(enquire);
    if (watched != nullptr) watched->is_by_other = !by_relevance;
}

void cut_off(const Xapian::Enquire* enquire, int percent, double weight) {
    Watched* const watched = find(enquire);
    if (watched != nullptr) watched->is_cut_off = percent > 0 || weight > 0;
}

Search* search_of(const Xapian::Enquire* enquire) {
    Watched* const watched = find(enquire);
    if (watched == nullptr) return nullptr;
    const char* const refusal = refusal_of(*watched);
    if (refusal == nullptr) return &watched->search;
    if (around.preloaded->logs) around.preloaded->log("untouched", refusal, nullptr);
    return nullptr;
}

void lock_enquires() { pthread_mutex_lock(&lock); }
void unlock_enquires() { pthread_mutex_unlock(&lock); }

}  // namespace braid::with
