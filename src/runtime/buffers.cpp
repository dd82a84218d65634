// Memory for packed panels and tiles: a fixed piece for each worker, and larger pieces that are
// lent.
#include "src/runtime/buffers.hpp"

#include <algorithm>
#include <mutex>
#include <new>
#include <vector>

#include <sys/mman.h>

#include "src/runtime/forks.hpp"
#include "src/runtime/parallel.hpp"

namespace ricci::runtime {
namespace {

constexpr std::size_t huge_page = std::size_t{2} << 20;

// Whole, aligned huge pages where the system grants them: packed panels are walked with strides of
// many kilobytes, and small pages would cost a table walk for each.
std::byte* map_pages(std::size_t bytes) {
    void* mapped = mmap(nullptr, bytes + huge_page, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (mapped == MAP_FAILED) throw std::bad_alloc();
    auto* start = static_cast<std::byte*>(mapped);
    const std::size_t past = reinterpret_cast<std::uintptr_t>(start) % huge_page;
    const std::size_t skip = past == 0 ? 0 : huge_page - past;
    if (skip > 0) munmap(start, skip);
    if (huge_page - skip > 0) munmap(start + skip + bytes, huge_page - skip);
    madvise(start + skip, bytes, MADV_HUGEPAGE);
    return start + skip;
}

struct piece {
    std::byte* data = nullptr;
    std::size_t bytes = 0;
    bool lent = false;
};

struct memory_pool {
    forked_mutex mutex;
    std::vector<piece> pieces;
    std::vector<memory_pieces> held;  // by size, the largest first, each size once
};

// Never destroyed: a thread may still be computing while the program ends.
memory_pool& pool() {
    static auto* instance = new memory_pool;
    return *instance;
}

// In the place of a free piece that is smaller, if there is one: so what is held is still there.
// The pool is locked.
piece& add_piece(memory_pool& from, std::size_t bytes) {
    const std::size_t size = (bytes + huge_page - 1) / huge_page * huge_page;
    auto at = std::find_if(from.pieces.begin(), from.pieces.end(),
                           [&](const piece& old) { return !old.lent && old.bytes < size; });
    if (at == from.pieces.end()) at = from.pieces.insert(at, piece{});
    piece added{map_pages(size), size, false};
    std::swap(*at, added);
    if (added.data != nullptr) munmap(added.data, added.bytes);
    return *at;
}

// There is room for another size. The pool is locked.
void count_held(memory_pool& in, const memory_pieces& more) {
    const auto at = std::find_if(in.held.begin(), in.held.end(),
                                 [&](const memory_pieces& one) { return one.bytes <= more.bytes; });
    if (at != in.held.end() && at->bytes == more.bytes) at->count += more.count;
    else in.held.insert(at, more);
}

// The pool is locked.
void uncount_held(memory_pool& in, std::span<const memory_pieces> pieces) {
    for (const memory_pieces& gone : pieces)
        for (memory_pieces& one : in.held)
            if (one.bytes == gone.bytes) one.count -= gone.count;
    std::erase_if(in.held, [](const memory_pieces& one) { return one.count == 0; });
}

// A piece may serve for what is smaller. The smallest that is large enough is lent, so that those
// who hold smaller pieces take no more of the larger ones than are there for them. The pool is
// locked.
void provide_held(memory_pool& in) {
    std::int64_t wanted = 0;
    for (const memory_pieces& one : in.held) {
        wanted += one.count;
        const auto is_large = [&](const piece& each) { return each.bytes >= one.bytes; };
        const auto present = std::count_if(in.pieces.begin(), in.pieces.end(), is_large);
        for (std::int64_t k = present; k < wanted; ++k) add_piece(in, one.bytes);
    }
}

}  // namespace

std::byte* worker_memory(int worker) {
    static std::byte* const memory =
        map_pages(static_cast<std::size_t>(runtime::worker_slots()) * worker_bytes);
    return memory + static_cast<std::size_t>(worker) * worker_bytes;
}

lent_memory::lent_memory(std::size_t bytes) {
    if (bytes == 0) return;
    memory_pool& from = pool();
    const std::lock_guard guard(from.mutex);
    piece* best = nullptr;
    for (piece& each : from.pieces) {
        if (!each.lent && each.bytes >= bytes && (!best || each.bytes < best->bytes)) best = &each;
    }
    if (!best) best = &add_piece(from, bytes);
    best->lent = true;
    data_ = best->data;
}

lent_memory::~lent_memory() {
    if (!data_) return;
    memory_pool& from = pool();
    const std::lock_guard guard(from.mutex);
    for (piece& each : from.pieces) {
        if (each.data == data_) each.lent = false;
    }
}

void lent_memory::hold(std::span<const memory_pieces> pieces) {
    memory_pool& in = pool();
    const std::lock_guard guard(in.mutex);
    in.held.reserve(in.held.size() + pieces.size());
    for (const memory_pieces& more : pieces) count_held(in, more);
    try {
        provide_held(in);
    } catch (...) {
        uncount_held(in, pieces);
        throw;
    }
}

void lent_memory::let_go(std::span<const memory_pieces> pieces) noexcept {
    memory_pool& in = pool();
    const std::lock_guard guard(in.mutex);
    uncount_held(in, pieces);
}

}  // namespace ricci::runtime
