// SPDX-License-Identifier: GPL-2.0-or-later
// A library to preload into a process (LD_PRELOAD). It numbers the calls by which the process
// changes files, from 1 on, and lets something happen at the one that BRAID_FAULT_AT names:
//
//   BRAID_FAULT=kill    the process is killed before the call
//   BRAID_FAULT=torn    it is killed when BRAID_FAULT_KEEP thousandths of the write are done
//   BRAID_FAULT=fail    this call and all later ones fail with BRAID_FAULT_ERROR, an errno. With
//                       ENOSPC only those fail that need room.
//
// It numbers calls of malloc, which operator new makes, too, apart from these, from main on:
//
//   BRAID_FAULT=null    the one that BRAID_FAULT_AT names fails, and no other
//   BRAID_FAULT=memory  from that one on the system gives the process no more memory; what it frees
//                       it can use again
//
//   BRAID_FAULT_COUNT=FILE     at exit, write the numbers of calls to FILE: of those that change
//                              files, and of malloc
//   BRAID_FAULT_NO_EXCHANGE=1  two folders can't be exchanged, as on some file systems
//
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

// glibc's own, behind the name that this library takes.
extern "C" void* __libc_malloc(size_t size);  // NOLINT(bugprone-reserved-identifier)

namespace {

enum class Kind { kNone, kKill, kTorn, kFail, kNull, kMemory };
/// What a call does to a disk: those that need room fail on a full one.
enum class Need { kRoom, kNoRoom };

struct Plan {
    Kind kind = Kind::kNone;
    long at = 0;
    std::size_t keep = 0;
    int error = 0;
    const char* count_file = nullptr;
    bool no_exchange = false;
    std::atomic<long> calls = 0;
    std::atomic<long> allocations = 0;

    Plan() {
        const auto number = [](const char* name) {
            const char* text = std::getenv(name);
            return text == nullptr ? 0L : std::atol(text);
        };
        const char* kind_name = std::getenv("BRAID_FAULT");
        if (kind_name != nullptr) {
            constexpr char kNames[] = "ktfnm";  // In the order of Kind.
            const char* const found = std::strchr(kNames, *kind_name);
            kind = found == nullptr ? Kind::kNone : static_cast<Kind>(found - kNames + 1);
        }
        at = number("BRAID_FAULT_AT");
        keep = static_cast<std::size_t>(number("BRAID_FAULT_KEEP"));
        error = static_cast<int>(number("BRAID_FAULT_ERROR"));
        count_file = std::getenv("BRAID_FAULT_COUNT");
        no_exchange = number("BRAID_FAULT_NO_EXCHANGE") != 0;
    }
    Plan(const Plan&) = delete;
    Plan& operator=(const Plan&) = delete;
    ~Plan() {
        if (count_file == nullptr) return;
        char text[48];
        const int size =
            std::snprintf(text, sizeof text, "%ld\n%ld\n", calls.load(), allocations.load());
        const long file = syscall(SYS_openat, AT_FDCWD, count_file, O_CREAT | O_WRONLY, 0600);
        syscall(SYS_write, file, text, static_cast<std::size_t>(size));
    }
};

Plan& plan() {
    static Plan instance;
    return instance;
}

// At the program's start, so that the destructor runs after those of what was made later.
const Plan& made_early = plan();

// Memory for what happens before main is there: an exception would have nowhere to go.
std::atomic<bool> main_began{false};
using Main = int (*)(int, char**, char**);
Main the_main = nullptr;

int begin_main(int argc, char** argv, char** environment) {
    main_began = true;
    return the_main(argc, argv, environment);
}

// Whether there is memory for one more allocation.
bool may_allocate() {
    if (!main_began) return true;
    Plan& now = plan();
    if (++now.allocations != now.at) return true;
    if (now.kind == Kind::kMemory) {
        rlimit room = {};
        getrlimit(RLIMIT_AS, &room);
        room.rlim_cur = 0;
        setrlimit(RLIMIT_AS, &room);
    }
    return now.kind != Kind::kNull;
}

[[noreturn]] void die() {
    syscall(SYS_kill, getpid(), SIGKILL);
    for (;;) pause();
}

// Runs `call`, or what is planned instead; `torn` does a part of it.
template <typename Call, typename Torn>
long faulty(Need need, const Call& call, const Torn& torn) {
    Plan& now = plan();
    const long number = ++now.calls;
    if (now.kind == Kind::kTorn && number == now.at) {
        torn(now.keep);
        die();
    }
    if (now.kind == Kind::kKill && number == now.at) die();
    const bool hits = now.error != ENOSPC || need == Need::kRoom;
    if (now.kind == Kind::kFail && number >= now.at && hits) {
        errno = now.error;
        return -1;
    }
    return call();
}

template <typename Call>
long faulty(Need need, const Call& call) {
    return faulty(need, call, [](std::size_t) {});
}

std::size_t part(std::size_t size, std::size_t keep) { return size * keep / 1000; }

long open_at(int folder, const char* path, int flags, mode_t mode) {
    const auto call = [&] { return syscall(SYS_openat, folder, path, flags, mode); };
    return (flags & (O_CREAT | O_TRUNC)) != 0 ? faulty(Need::kRoom, call) : call();
}

mode_t mode_of(int flags, va_list rest) {
    return (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(rest, mode_t) : 0;
}

}  // namespace

#define EXPORT __attribute__((visibility("default")))

extern "C" {

// What calls main.
EXPORT int __libc_start_main(Main main, int argc, char** argv, void (*init)(), void (*fini)(),
                             void (*rtld_fini)(), void* stack_end) {
    using Start = int (*)(Main, int, char**, void (*)(), void (*)(), void (*)(), void*);
    the_main = main;
    const auto start = reinterpret_cast<Start>(dlsym(RTLD_NEXT, "__libc_start_main"));
    return start(begin_main, argc, argv, init, fini, rtld_fini, stack_end);
}

EXPORT void* malloc(size_t size) {
    if (may_allocate()) return __libc_malloc(size);
    errno = ENOMEM;
    return nullptr;
}

EXPORT ssize_t write(int file, const void* bytes, size_t size) {
    const auto call = [&] { return syscall(SYS_write, file, bytes, size); };
    if (file <= STDERR_FILENO) return call();
    return faulty(Need::kRoom, call,
                  [&](std::size_t keep) { syscall(SYS_write, file, bytes, part(size, keep)); });
}

EXPORT ssize_t writev(int file, const iovec* pieces, int count) {
    const auto call = [&] { return syscall(SYS_writev, file, pieces, count); };
    if (file <= STDERR_FILENO) return call();
    return faulty(Need::kRoom, call, [&](std::size_t keep) {
        syscall(SYS_write, file, pieces->iov_base, part(pieces->iov_len, keep));
    });
}

EXPORT ssize_t pwrite64(int file, const void* bytes, size_t size, off64_t offset) {
    const auto call = [&] { return syscall(SYS_pwrite64, file, bytes, size, offset); };
    return faulty(Need::kRoom, call, [&](std::size_t keep) {
        syscall(SYS_pwrite64, file, bytes, part(size, keep), offset);
    });
}

EXPORT ssize_t pwrite(int file, const void* bytes, size_t size, off_t offset) {
    return pwrite64(file, bytes, size, offset);
}

EXPORT int fsync(int file) {
    return static_cast<int>(faulty(Need::kRoom, [&] { return syscall(SYS_fsync, file); }));
}

EXPORT int fdatasync(int file) {
    return static_cast<int>(faulty(Need::kRoom, [&] { return syscall(SYS_fdatasync, file); }));
}

EXPORT int ftruncate64(int file, off64_t size) noexcept {
    return static_cast<int>(
        faulty(Need::kNoRoom, [&] { return syscall(SYS_ftruncate, file, size); }));
}

EXPORT int ftruncate(int file, off_t size) noexcept { return ftruncate64(file, size); }

EXPORT int renameat2(int from_folder, const char* from, int to_folder, const char* to,
                     unsigned flags) noexcept {
    if (flags != 0 && plan().no_exchange) {
        errno = EINVAL;
        return -1;
    }
    return static_cast<int>(faulty(Need::kRoom, [&] {
        return syscall(SYS_renameat2, from_folder, from, to_folder, to, flags);
    }));
}

EXPORT int rename(const char* from, const char* to) noexcept {
    return renameat2(AT_FDCWD, from, AT_FDCWD, to, 0);
}

EXPORT int mkdir(const char* path, mode_t mode) noexcept {
    return static_cast<int>(faulty(Need::kRoom, [&] { return syscall(SYS_mkdir, path, mode); }));
}

EXPORT int unlinkat(int folder, const char* path, int flags) noexcept {
    return static_cast<int>(
        faulty(Need::kNoRoom, [&] { return syscall(SYS_unlinkat, folder, path, flags); }));
}

EXPORT int unlink(const char* path) noexcept { return unlinkat(AT_FDCWD, path, 0); }

EXPORT int rmdir(const char* path) noexcept { return unlinkat(AT_FDCWD, path, AT_REMOVEDIR); }

// libc's own would call its own unlink and rmdir.
EXPORT int remove(const char* path) noexcept {
    const int failed = unlink(path);
    return failed != 0 && errno == EISDIR ? rmdir(path) : failed;
}

EXPORT int open(const char* path, int flags, ...) {
    va_list rest;
    va_start(rest, flags);
    const mode_t mode = mode_of(flags, rest);
    va_end(rest);
    return static_cast<int>(open_at(AT_FDCWD, path, flags, mode));
}

EXPORT int open64(const char* path, int flags, ...) __attribute__((alias("open")));

EXPORT int openat(int folder, const char* path, int flags, ...) {
    va_list rest;
    va_start(rest, flags);
    const mode_t mode = mode_of(flags, rest);
    va_end(rest);
    return static_cast<int>(open_at(folder, path, flags, mode));
}

}  // extern "C"
