// SPDX-License-Identifier: GPL-2.0-or-later
// For walk_database: with WALK_GUARDED=1 in the environment every block of operator new ends at a
// page that can't be read. A read behind a block, which goes unseen or not by what happens to lie
// there, is then a crash.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <new>
#include <sys/mman.h>

namespace {

constexpr std::size_t kPage = 4096;
constexpr std::size_t kAlignment = alignof(std::max_align_t);

// Before the block stand its mapping's size and place.
struct Mapping {
    std::size_t size;
    char* begin;
};
static_assert(sizeof(Mapping) % kAlignment == 0);

bool is_guarded() {
    static const bool guarded = std::getenv("WALK_GUARDED") != nullptr;
    return guarded;
}

void* guarded(std::size_t size) {
    const std::size_t rounded = (size + kAlignment - 1) / kAlignment * kAlignment;
    const std::size_t used = (rounded + sizeof(Mapping) + kPage - 1) / kPage * kPage;
    void* const place =
        mmap(nullptr, used + kPage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (place == MAP_FAILED) throw std::bad_alloc();
    char* const begin = static_cast<char*>(place);
    mprotect(begin + used, kPage, PROT_NONE);
    char* const block = begin + used - rounded;
    *reinterpret_cast<Mapping*>(block - sizeof(Mapping)) = {used + kPage, begin};
    return block;
}

[[gnu::noinline]] void* take(std::size_t size) {
    if (is_guarded()) return guarded(size);
    void* const memory = std::malloc(size == 0 ? 1 : size);
    if (memory == nullptr) throw std::bad_alloc();
    return memory;
}

[[gnu::noinline]] void release(void* memory) {
    if (memory == nullptr) return;
    if (!is_guarded()) return std::free(memory);
    const Mapping mapping =
        *reinterpret_cast<Mapping*>(static_cast<char*>(memory) - sizeof(Mapping));
    munmap(mapping.begin, mapping.size);
}

}  // namespace

void* operator new(std::size_t size) { return take(size); }
void* operator new[](std::size_t size) { return take(size); }
void operator delete(void* memory) noexcept { release(memory); }
void operator delete[](void* memory) noexcept { release(memory); }
void operator delete(void* memory, std::size_t) noexcept { release(memory); }
void operator delete[](void* memory, std::size_t) noexcept { release(memory); }
