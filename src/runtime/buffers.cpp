// Memory for packed panels and tiles: a fixed piece for each worker, and larger pieces that are
// lent.
#include "src/runtime/buffers.hpp"

#include <algorithm>
#include <mutex>
#include <new>
#include <vector>

#include <sys/mman.h>

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
    std::mutex mutex;
    std::vector<piece> pieces;
};

// Never destroyed: a thread may still be computing while the program ends.
memory_pool& pool() {
    static auto* instance = new memory_pool;
    return *instance;
}

// Drops pieces that a new, larger one makes useless. The pool is locked.
void add_piece(memory_pool& from, std::size_t bytes, bool lent) {
    const std::size_t size = (bytes + huge_page - 1) / huge_page * huge_page;
    std::erase_if(from.pieces, [&](const piece& old) {
        const bool useless = !old.lent && old.bytes < size;
        if (useless) munmap(old.data, old.bytes);
        return useless;
    });
    from.pieces.push_back({map_pages(size), size, lent});
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
    if (!best) {
        add_piece(from, bytes, true);
        best = &from.pieces.back();
    }
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

void lent_memory::reserve(std::size_t bytes, std::int64_t pieces) {
    if (bytes == 0) return;
    memory_pool& from = pool();
    const std::lock_guard guard(from.mutex);
    const auto present = std::count_if(from.pieces.begin(), from.pieces.end(),
                                       [&](const piece& each) { return each.bytes >= bytes; });
    for (std::int64_t k = present; k < pieces; ++k) add_piece(from, bytes, false);
}

}  // namespace ricci::runtime
