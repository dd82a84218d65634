// What a thread remembers of a call tells everything apart that its plan depends on: also what the
// public face never asks for, hence requests that are written by hand.
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include <ricci/ricci.hpp>
#include <ricci/engine/executable.hpp>

#include "tests/catch.hpp"

namespace {

using namespace ricci::literals;
using size1 = std::array<std::size_t, 1>;
using size2 = std::array<std::size_t, 2>;

constexpr auto rows = R"(Y^{ia} = E^{x_i a})"_eq;

ricci::tensor<float, 2> numbered(std::size_t n, std::size_t m) {
    ricci::tensor<float, 2> t(size2{n, m});
    for (std::size_t k = 0; k < t.size(); ++k) t.data()[k] = static_cast<float>(k);
    return t;
}

template <class I>
ricci::tensor<I, 1> places(const std::vector<int>& values) {
    ricci::tensor<I, 1> t(size1{values.size()});
    for (std::size_t k = 0; k < values.size(); ++k) t(k) = static_cast<I>(values[k]);
    return t;
}

// Which row of E each row of the result is.
template <class I>
std::vector<int> rows_of(const ricci::tensor<float, 2>& e, const std::vector<int>& at) {
    const auto x = places<I>(at);
    const auto r = rows("E"_t = e, "x"_t = x);
    std::vector<int> result;
    for (std::size_t i = 0; i < at.size(); ++i)
        result.push_back(static_cast<int>(r["Y"_t](i, 0)) / static_cast<int>(e.extent(1)));
    return result;
}

}  // namespace

TEST_CASE("positions of 32 and of 64 bits are calls of their own", "[remembered]") {
    const auto e = numbered(9, 3);
    const std::vector<int> at{4, 0, 8, 3, 7};
    for (int round = 0; round < 2; ++round) {
        CHECK(rows_of<std::int32_t>(e, at) == at);
        CHECK(rows_of<std::int64_t>(e, at) == at);
    }
    const std::vector<int> other{2, 2, 5, 1, 0, 6, 7};
    CHECK(rows_of<std::int64_t>(e, other) == other);
    CHECK(rows_of<std::int32_t>(e, other) == other);
}

TEST_CASE("places may be floats, too, of the tensors' own type", "[remembered]") {
    const std::vector<int> at{3, 1, 3};
    for (int round = 0; round < 2; ++round) {
        const auto f = places<float>(at);
        const auto i = places<std::int32_t>(at);
        const auto l = places<std::int64_t>(at);
        const ricci::tensor<float, 2> e = numbered(5, 2);
        CHECK(rows("E"_t = e, "x"_t = f)["Y"_t](1, 1) == 3);
        CHECK(rows("E"_t = e, "x"_t = l)["Y"_t](0, 1) == 7);
        CHECK(rows("E"_t = e, "x"_t = i)["Y"_t](2, 0) == 6);
    }
}

TEST_CASE("positions of another width next to an output are no overlap", "[remembered]") {
    // Eight bytes each; as floats they would seem to end before the output, and as their own type
    // they reach into it.
    std::array<std::int64_t, 16> memory{};
    const ricci::tensor<float, 2> e = numbered(6, 2);
    const auto view = [&](std::size_t n) {
        return ricci::tensor_view<const std::int64_t, 1>(memory.data(), {n});
    };
    memory[0] = 1, memory[1] = 5, memory[2] = 3;
    auto* const behind = reinterpret_cast<float*>(memory.data() + 3);
    const ricci::tensor_view<float, 2> out(behind, {3, 2});
    auto step = ricci::prepare(rows, "E"_t = e, "x"_t = view(3), "Y"_t = out);
    step();
    CHECK(behind[0] == 2);
    CHECK(behind[2] == 10);
    CHECK(behind[5] == 7);
    CHECK_THROWS_AS(ricci::prepare(rows, "E"_t = e, "x"_t = view(4),
                                   "Y"_t = ricci::tensor_view<float, 2>(behind, {4, 2})),
                    ricci::error);
}

namespace {

// One request that both fuses and stores every intermediate: the sums of the two round differently.
struct attention {
    static constexpr auto program = R"(
        S^{ij} = Q^{ia} K^{ja}
        A^{ij} = \operatorname{softmax}_j(S^{ij})
        O^{ic} = A^{ij} V^{jc}
    )"_eq;
    static constexpr std::int64_t rows_of_all = 200, columns_of_all = 8;

    explicit attention(bool fuse) {
        r.program = program.program();
        r.program_key = decltype(program)::hash;
        for (std::size_t k = 0; k < 4; ++k) {
            operands[k].name = r.program.find({&"QKVO"[k], 1});
            operands[k].rank = 2;
            operands[k].data = memory[k].data();
            operands[k].extents = extents.data();
            operands[k].strides = strides.data();
            for (std::size_t n = 0; n < memory[k].size(); ++n)
                memory[k][n] = static_cast<float>((n * 37 + k * 11) % 101) / 50;
        }
        r.inputs = operands.data();
        r.input_count = 3;
        r.outputs = operands.data() + 3;
        r.output_count = 1;
        r.fuse = fuse;
        r.allocate = [](void*, ricci::ir::ref, std::int32_t, const std::int64_t*) -> void* {
            return nullptr;
        };
    }
    attention(const attention&) = delete;
    attention& operator=(const attention&) = delete;

    std::vector<float> planned() {
        ricci::engine::executable(r).run();
        return memory[3];
    }
    std::vector<float> called() {
        ricci::engine::run(r);
        return memory[3];
    }

    std::array<std::int64_t, 2> extents{rows_of_all, columns_of_all}, strides{columns_of_all, 1};
    std::array<std::vector<float>, 4> memory = [] {
        std::array<std::vector<float>, 4> made;
        for (auto& m : made) m.resize(rows_of_all * columns_of_all);
        return made;
    }();
    std::array<ricci::engine::operand, 4> operands;
    ricci::engine::request r;
};

}  // namespace

TEST_CASE("a call that stores every intermediate is none that fuses", "[remembered]") {
    attention fused(true), stored(false);
    const auto of_fused = fused.planned(), of_stored = stored.planned();
    REQUIRE(of_fused != of_stored);
    CHECK(fused.called() == of_fused);
    CHECK(stored.called() == of_stored);
    CHECK(fused.called() == of_fused);
}
