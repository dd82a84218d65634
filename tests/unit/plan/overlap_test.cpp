// Whether two strided tensors share a byte, compared with a search through all of their bytes.
#include "src/plan/bind/overlap.hpp"

#include <cstdint>
#include <random>
#include <set>

#include "tests/catch.hpp"

namespace {

using ricci::plan::footprint;

std::set<std::intptr_t> bytes_of(const footprint& f) {
    std::set<std::intptr_t> result;
    std::vector<std::int64_t> at(f.extents.size());
    for (const std::int64_t n : f.extents)
        if (n == 0) return result;
    for (;;) {
        std::int64_t offset = 0;
        for (std::size_t k = 0; k < at.size(); ++k) offset += at[k] * f.strides[k];
        const auto size = static_cast<std::int64_t>(f.element_size);
        for (std::int64_t byte = 0; byte < size; ++byte)
            result.insert(reinterpret_cast<std::intptr_t>(f.data) + offset * size + byte);
        std::size_t k = 0;
        while (k < at.size() && ++at[k] == f.extents[k]) at[k++] = 0;
        if (k == at.size()) return result;
    }
}

bool shares_a_byte(const footprint& a, const footprint& b) {
    const auto of_b = bytes_of(b);
    for (const auto byte : bytes_of(a))
        if (of_b.contains(byte)) return true;
    return false;
}

class drawing {
public:
    footprint tensor() {
        static constexpr std::size_t sizes[] = {2, 4, 8, 16};
        footprint f;
        f.element_size = sizes[number(0, 3)];
        // Addresses on any grid: what a caller casts may lie between elements of another.
        f.data =
            reinterpret_cast<const void*>(static_cast<std::intptr_t>(4096 + 2 * number(0, 60)));
        for (std::int64_t rank = number(0, 3); rank > 0; --rank) {
            f.extents.push_back(number(0, 9) == 0 ? 0 : number(1, 4));
            f.strides.push_back(number(-9, 9));
        }
        return f;
    }

private:
    std::int64_t number(std::int64_t least, std::int64_t most) {
        return std::uniform_int_distribution<std::int64_t>(least, most)(engine_);
    }
    std::mt19937 engine_{7};
};

}  // namespace

TEST_CASE("overlap of tensors of all widths is exact", "[overlap]") {
    drawing draw;
    int wrong = 0, shared = 0;
    for (int trial = 0; trial < 20000; ++trial) {
        const footprint a = draw.tensor(), b = draw.tensor();
        const bool expected = shares_a_byte(a, b);
        wrong += ricci::plan::overlap(a, b) != expected;
        shared += expected;
    }
    CHECK(wrong == 0);
    CHECK(shared > 2000);
    CHECK(shared < 18000);
}
