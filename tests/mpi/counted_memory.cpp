// Memory that C++ asks for is counted.
#include <cstdlib>
#include <new>

#include "tests/mpi/counted_mpi.hpp"

namespace {

std::int64_t counted = 0;

}  // namespace

std::int64_t ricci::testing::take_counted_allocations() {
    const std::int64_t times = counted;
    counted = 0;
    return times;
}

void* operator new(std::size_t size) {
    ++counted;
    if (void* const memory = std::malloc(size > 0 ? size : 1)) return memory;
    throw std::bad_alloc();
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
