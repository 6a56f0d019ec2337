// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/with/xapians.h"

#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <unistd.h>
#include <unwind.h>

#include <climits>

#include "braid/with/enquires.h"

namespace braid::with {
namespace {

/// One of the process's objects, its program or a library, and the Xapian that it calls.
struct Caller {
    const link_map* object;
    bool is_watched;
    void* functions[static_cast<unsigned>(Front::kCount)];
};

constexpr unsigned kMostCallers = 64;
Caller callers[kMostCallers];
unsigned known_callers;  // Grows under the lock; read without.

pthread_mutex_t loading = PTHREAD_MUTEX_INITIALIZER;
void* xapian;  // The handle of the one that Braid was built for, once an Enquire of it was made.
const Ranker* ranker;
char problem[PATH_MAX + 256];  // Why there is no ranker, once it was looked for.
const char* log_file;
Preloaded preloaded;

thread_local bool is_inside __attribute__((tls_model("initial-exec")));

bool* inside() { return &is_inside; }

void* symbol_of_xapian(const char* name) { return dlsym(xapian, name); }
void end_state(void* state) { ranker->end(state); }  // Only the ranker has made one.

bool is_lost;  // In a child of a process whose `loading` another thread held: it is held for ever.
thread_local bool has_loading __attribute__((tls_model("initial-exec")));  // For a fork.

/// A library whose constructors search while one thread loads it, and another thread that loads
/// ours, would wait for each other: false after a second, and Braid stays out of it.
bool lock_loading() {
    if (is_lost) return false;
    timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    ++until.tv_sec;
    return pthread_mutex_timedlock(&loading, &until) == 0;
}

void before_fork() {
    has_loading = lock_loading();
    lock_enquires();
}

void after_fork() {
    unlock_enquires();
    if (has_loading) pthread_mutex_unlock(&loading);
}

void after_fork_in_child() {
    after_fork();
    is_lost = !has_loading;
}

// From the start: a fork may meet the first search of another thread.
__attribute__((constructor)) void watch_forks() {
    pthread_atfork(before_fork, after_fork, after_fork_in_child);
}

const link_map* object_of(void* address) {
    dl_find_object found;
    return _dl_find_object(address, &found) == 0 ? found.dlfo_link_map : nullptr;
}

/// As the loader binds it: by all objects that are seen everywhere, after this one, and then by
/// what only the caller has below it.
void* function_for(const link_map* caller, const char* symbol) {
    void* const found = dlsym(RTLD_NEXT, symbol);
    if (found != nullptr || caller == nullptr || caller->l_name[0] == '\0') return found;
    void* const handle = dlopen(caller->l_name, RTLD_LAZY | RTLD_NOLOAD);
    return handle == nullptr ? nullptr : dlsym(handle, symbol);
}

void begin() {
    preloaded = {inside,
                 secure_getenv("BRAID_WITH_MODEL"),
                 secure_getenv("BRAID_WITH_SERVED"),
                 secure_getenv("BRAID_WITH_SIDECARS"),
                 false,
                 log};
    log_file = secure_getenv("BRAID_WITH_LOG");
    preloaded.logs = log_file != nullptr;
    begin_watching({symbol_of_xapian, end_state, &preloaded});
}

constexpr char kRankerFile[] = "/libbraid-with-rank.so";

/// The ranking library's searches are Braid's own, also where Xapian calls it back.
bool is_ranker(const link_map* object) {
    const char* const slash = object == nullptr ? nullptr : std::strrchr(object->l_name, '/');
    return slash != nullptr && std::strcmp(slash, kRankerFile) == 0;
}

/// Under the lock.
const Caller* learn_caller(const link_map* object) {
    const unsigned known = known_callers;
    for (unsigned i = 0; i < known; ++i) {
        if (callers[i].object == object) return &callers[i];
    }
    if (known == kMostCallers) return nullptr;
    Caller& added = callers[known];
    added.object = object;
    // The ranking library is linked to the Xapian of this name, and to no other. Which one the
    // caller has shows by a function that nobody stands in front of.
    void* const expected = dlopen(BRAID_XAPIAN_SONAME, RTLD_LAZY | RTLD_NOLOAD);
    void* const theirs = function_for(object, "_ZN6Xapian8Database6reopenEv");
    added.is_watched = expected != nullptr && theirs != nullptr && object_of(theirs) == expected &&
                       !is_ranker(object);
    if (added.is_watched && xapian == nullptr) {
        xapian = expected;
        begin();
    }
    __atomic_store_n(&known_callers, known + 1, __ATOMIC_RELEASE);
    return &added;
}

/// The path of the ranking library, which is beside this one, behind any links. False if it is too
/// long.
bool find_ranker(char* path) {
    const link_map* const self = object_of(reinterpret_cast<void*>(&find_ranker));
    if (self == nullptr || realpath(self->l_name, path) == nullptr) return false;
    char* const slash = std::strrchr(path, '/');
    if (slash == nullptr || slash - path + sizeof kRankerFile > PATH_MAX) return false;
    std::memcpy(slash, kRankerFile, sizeof kRankerFile);
    return true;
}

/// Under the lock.
void open_ranker() {
    char path[PATH_MAX];
    if (!find_ranker(path)) {
        std::strcpy(problem, "the ranking library isn't beside the preloaded one");
        return;
    }
    void* const library = dlopen(path, RTLD_LAZY | RTLD_LOCAL);
    void* const function = library == nullptr ? nullptr : dlsym(library, kRankerFunction);
    if (function != nullptr) ranker = reinterpret_cast<RankerFunction>(function)(&preloaded);
    if (ranker != nullptr) return;
    const char* const error = dlerror();
    std::snprintf(problem, sizeof problem, "%s",
                  error == nullptr ? "the ranking library doesn't begin" : error);
}

/// Writes `text` to `line` from `at` on, what isn't printable as a question mark. Returns where it
/// ends, at `most` at the latest.
std::size_t append(char* line, std::size_t at, std::size_t most, const char* text) {
    for (; *text != '\0' && at < most; ++text) {
        const auto c = static_cast<unsigned char>(*text);
        line[at++] = c < ' ' || c == 0x7f ? '?' : *text;
    }
    return at;
}

}  // namespace

Call call_of(Front front, const char* symbol, void* address) {
    const link_map* const object = object_of(address);
    const unsigned known = __atomic_load_n(&known_callers, __ATOMIC_ACQUIRE);
    Caller* caller = nullptr;
    for (unsigned i = 0; i < known && caller == nullptr; ++i) {
        if (callers[i].object == object) caller = &callers[i];
    }
    void** const place =
        caller == nullptr ? nullptr : &caller->functions[static_cast<unsigned>(front)];
    void* function = place == nullptr ? nullptr : __atomic_load_n(place, __ATOMIC_RELAXED);
    if (function == nullptr) {
        function = function_for(object, symbol);
        if (function == nullptr) std::abort();
        if (place != nullptr) __atomic_store_n(place, function, __ATOMIC_RELAXED);
    }
    if (is_inside) return {function, false};
    if (caller != nullptr) return {function, caller->is_watched};
    if (!lock_loading()) return {function, false};
    const Caller* const learned = learn_caller(object);
    pthread_mutex_unlock(&loading);
    return {function, learned != nullptr && learned->is_watched};
}

const Ranker* load_ranker(const char** why) {
    *why = problem;
    const Ranker* const known = __atomic_load_n(&ranker, __ATOMIC_ACQUIRE);
    if (known != nullptr) return known;
    if (!lock_loading()) {
        *why = "another thread loads libraries";
        return nullptr;
    }
    if (ranker == nullptr && problem[0] == '\0') open_ranker();
    const Ranker* const found = ranker;
    pthread_mutex_unlock(&loading);
    return found;
}

// One write a line, so that the lines of several processes stay whole.
void log(const char* what, const char* how, const char* query) {
    if (log_file == nullptr) return;
    const int before = errno;
    constexpr mode_t kAccess = 0666;
    const int file =
        open(log_file, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOCTTY | O_NONBLOCK, kAccess);
    if (file >= 0) {
        char line[4096];
        constexpr std::size_t kMost = sizeof line - 1;
        char process[64];
        std::snprintf(process, sizeof process, "%.40s[%d] ", program_invocation_short_name,
                      static_cast<int>(getpid()));
        std::size_t end = append(line, 0, kMost, process);
        end = append(line, end, kMost, what);
        end = append(line, end, kMost, ": ");
        end = append(line, end, kMost, how);
        if (query != nullptr) {
            end = append(line, end, kMost, "; ");
            end = append(line, end, kMost, query);
        }
        line[end++] = '\n';
        [[maybe_unused]] const ssize_t written = write(file, line, end);
        close(file);
    }
    errno = before;
}

}  // namespace braid::with

// What catching an exception takes of the C++ library. Where a function of Xapian throws, that is
// there, but maybe where only Xapian sees it. No other library sees these four.
// NOLINTBEGIN(bugprone-reserved-identifier,readability-identifier-naming): the compiler calls them.
extern "C" {

#define BRAID_RUNTIME(name)      \
    static const auto function = \
        reinterpret_cast<decltype(&(name))>(braid::with::symbol_of_xapian(#name))

_Unwind_Reason_Code __gxx_personality_v0(int version, _Unwind_Action actions,
                                         _Unwind_Exception_Class of, _Unwind_Exception* exception,
                                         _Unwind_Context* context) {
    BRAID_RUNTIME(__gxx_personality_v0);
    return function(version, actions, of, exception, context);
}

void* __cxa_begin_catch(void* exception) noexcept {
    BRAID_RUNTIME(__cxa_begin_catch);
    return function(exception);
}

void __cxa_end_catch() {
    BRAID_RUNTIME(__cxa_end_catch);
    function();
}

void _Unwind_Resume(_Unwind_Exception* exception) {
    BRAID_RUNTIME(_Unwind_Resume);
    function(exception);
    std::abort();  // It doesn't return.
}

}  // extern "C"
// NOLINTEND(bugprone-reserved-identifier,readability-identifier-naming)
