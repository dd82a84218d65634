// Running a prepared program allocates nothing: this executable counts every operator new.
#include "tests/catch.hpp"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <new>

#include <ricci/network.hpp>

#include "tests/unit/bound_program.hpp"

namespace {

std::atomic<long> allocations{0};

void* counted(std::size_t size, std::size_t alignment) {
    ++allocations;
    void* memory = nullptr;
    if (alignment < sizeof(void*)) alignment = sizeof(void*);
    if (posix_memalign(&memory, alignment, size ? size : 1) != 0) throw std::bad_alloc();
    return memory;
}

void* counted_or_null(std::size_t size, std::size_t alignment) noexcept {
    try {
        return counted(size, alignment);
    } catch (const std::bad_alloc&) {
        return nullptr;
    }
}

// Not inlined: compilers otherwise take std::free on memory of operator new for a mistake.
[[gnu::noinline]] void release(void* memory) { std::free(memory); }

}  // namespace

void* operator new(std::size_t size) { return counted(size, alignof(std::max_align_t)); }
void* operator new[](std::size_t size) { return counted(size, alignof(std::max_align_t)); }
void* operator new(std::size_t size, std::align_val_t a) {
    return counted(size, static_cast<std::size_t>(a));
}
void* operator new[](std::size_t size, std::align_val_t a) {
    return counted(size, static_cast<std::size_t>(a));
}
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
    return counted_or_null(size, alignof(std::max_align_t));
}
void* operator new[](std::size_t size, const std::nothrow_t&) noexcept {
    return counted_or_null(size, alignof(std::max_align_t));
}
void operator delete(void* memory) noexcept { release(memory); }
void operator delete[](void* memory) noexcept { release(memory); }
void operator delete(void* memory, std::size_t) noexcept { release(memory); }
void operator delete[](void* memory, std::size_t) noexcept { release(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { release(memory); }
void operator delete[](void* memory, std::align_val_t) noexcept { release(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { release(memory); }
void operator delete[](void* memory, std::size_t, std::align_val_t) noexcept { release(memory); }

TEST_CASE("running allocates nothing") {
    using namespace ricci;
    for (const element type : {element::f32, element::f64}) {
        testing::bound_program p(R"(
            S^{hij} = \frac{1}{\sqrt{d}} Q^{hia} K^{hja} + b^{j}
            A^{hij} = \operatorname{softmax}_j(S^{hij})
            Y^{id} = \sum_{h,c} O^{hic} W^{hcd} + \sum_{h} \max_j(A^{hij})
            O^{hic} = A^{hij} V^{hjc}
        )",
                                 type, 1);
        p.input("Q", {2, 150, 16})
            .input("K", {2, 150, 16})
            .input("V", {2, 150, 24})
            .input("W", {2, 24, 40});
        p.input("b", {150});
        auto& d = p.allocate({});
        d.set(0, 16);
        p.input("d", d);
        auto step = p.prepare();
        // Threads, and what the threading library keeps for each, are started by the first run.
        step.run();
        const long before = allocations;
        for (int k = 0; k < 5; ++k) step.run();
        CHECK(allocations - before == 0);
    }
}

TEST_CASE("running a prepared scaled network allocates nothing, whatever the values") {
    using namespace ricci;
    network n;
    for (int k = 0; k < 12; ++k) n.add(array(element::f64, {3, 7, 7}), {100, k, k + 1});
    n.keep({0, 12});
    std::vector<std::pair<std::size_t, std::size_t>> one_by_one{{0, 1}};
    for (std::size_t k = 2; k < 12; ++k) one_by_one.push_back({10 + k, k});
    prepared_network p = prepare(n, contraction_order::from_ssa(n, one_by_one), {.scaled = true});
    p();
    array other(element::f64, {3, 7, 7});
    for (const double value : {1.0, 1e-200, 1e300}) {
        std::fill_n(static_cast<double*>(other.data()), other.size(), value);
        for (std::size_t k = 0; k < 12; ++k) p.bind(k, other);
        const long before = allocations;
        p();
        CHECK(allocations == before);
        CHECK(p.exponent10() > (value < 1 ? -2400 : 8));
    }
}

TEST_CASE("running a prepared network allocates nothing") {
    using namespace ricci;
    network n;
    for (int k = 0; k < 12; ++k) n.add(array(element::f64, {7, 7}), {k, k + 1});
    n.keep({0, 12});
    std::vector<std::pair<std::size_t, std::size_t>> one_by_one{{0, 1}};
    for (std::size_t k = 2; k < 12; ++k) one_by_one.push_back({10 + k, k});
    prepared_network p = prepare(n, contraction_order::from_ssa(n, one_by_one));
    p();
    const array other(element::f64, {7, 7});
    for (const std::size_t changed : {std::size_t{0}, std::size_t{11}}) {
        p.bind(changed, other);
        const long before = allocations;
        p();
        CHECK(allocations == before);
    }
}
