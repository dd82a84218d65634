// A map with memory of its own, which is run and compared with brute force.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "src/map/map.hpp"
#include "tests/catch.hpp"
#include "tests/unit/map/elementwise_oracle.hpp"
#include "tests/unit/guarded.hpp"

namespace ricci::test {

using elementwise::prepared_map;
using steps::fold;
using steps::instruction;
using steps::opcode;

/// A map that owns its description and its memory. Buffers hold exactly what the operands reach.
template <class T>
struct problem {
    fold folding = fold::none;
    std::vector<std::int64_t> extents;
    std::int32_t folded = 0;
    std::vector<std::vector<std::int64_t>> strides;
    std::vector<std::int64_t> offsets;
    std::vector<instruction> program;
    std::vector<testing::guarded_array<T>> memory;
    std::vector<void*> bases;

    std::vector<steps::operand> operands;

    steps::map map() {
        operands.clear();
        for (std::size_t k = 0; k < strides.size(); ++k)
            operands.push_back({offsets[k], strides[k]});
        return {element_v<T>, folding, extents, folded, operands, program};
    }

    /// Gives operand k memory of its own, filled by `next`.
    template <class Next>
    void allocate(std::size_t k, Next next) {
        std::int64_t low = offsets[k], high = offsets[k];
        bool empty = false;
        for (std::size_t i = 0; i < extents.size(); ++i) {
            empty = empty || (extents[i] == 0 && strides[k][i] != 0);
            const std::int64_t reach = strides[k][i] * std::max<std::int64_t>(extents[i] - 1, 0);
            (reach < 0 ? low : high) += reach;
        }
        memory[k] =
            testing::guarded_array<T>(empty ? 0 : static_cast<std::size_t>(high - low + 1),
                                      (k + extents.size()) % 2 == 0 ? testing::guarded_end::last
                                                                    : testing::guarded_end::first);
        for (T& x : memory[k]) x = static_cast<T>(next());
        bases[k] = memory[k].data() - low;
    }

    void set_operands(std::size_t count) {
        strides.resize(count);
        offsets.resize(count, 0);
        memory.resize(count);
        bases.resize(count, nullptr);
    }
};

inline std::string digits(long double x) {
    std::ostringstream text;
    text.precision(12);
    text << x;
    return text.str();
}

inline std::string describe(const std::vector<instruction>& program) {
    std::ostringstream text;
    for (const instruction& n : program) {
        text << static_cast<int>(n.code) << '(' << n.first << ' ' << n.second << ' ' << n.third
             << " #" << n.operand << ' ' << n.value << ") ";
    }
    return text.str();
}

/// Runs a problem and compares every element of the output's memory; returns what it wrote.
template <class T>
testing::guarded_array<T> check(problem<T>& p) {
    const steps::map map = p.map();
    const prepared_map prepared(map);
    const testing::guarded_array<T> before = p.memory[0];
    std::vector<bounded> expected(before.size());
    std::vector<bool> written(before.size(), false);
    brute_force<T>(map, p.bases.data(), [&](std::int64_t at, bounded value) {
        const auto i =
            static_cast<std::size_t>(static_cast<T*>(p.bases[0]) + at - p.memory[0].data());
        expected[i] = value;
        written[i] = true;
    });
    prepared.run(p.bases.data());
    for (std::size_t i = 0; i < before.size(); ++i) {
        const T got = p.memory[0][i];
        if (!written[i]) {
            REQUIRE(std::memcmp(&got, &before[i], sizeof got) == 0);
        } else if (!agrees(got, expected[i])) {
            CAPTURE(i, describe(p.program), digits(got), digits(expected[i].value),
                    digits(expected[i].error));
            REQUIRE(agrees(got, expected[i]));
        }
    }
    return p.memory[0];
}

inline instruction load(std::int32_t operand) {
    instruction n;
    n.code = opcode::load;
    n.operand = operand;
    return n;
}

inline instruction operation(opcode code, std::int32_t first, std::int32_t second = -1) {
    instruction n;
    n.code = code;
    n.first = first;
    n.second = second;
    return n;
}

/// A fold over a rows x columns matrix, along columns (inner) or rows (outer).
template <class T>
problem<T> matrix_fold(fold folding, std::int64_t rows, std::int64_t columns, bool inner,
                       std::uint32_t seed) {
    problem<T> p;
    p.folding = folding;
    p.folded = 1;
    p.extents =
        inner ? std::vector<std::int64_t>{rows, columns} : std::vector<std::int64_t>{columns, rows};
    p.set_operands(2);
    p.strides[1] =
        inner ? std::vector<std::int64_t>{columns, 1} : std::vector<std::int64_t>{1, columns};
    p.strides[0] = folding == fold::softmax ? p.strides[1] : std::vector<std::int64_t>{1, 0};
    p.program = {load(1)};
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> values(-4, 4);
    p.allocate(0, [] { return 7; });
    p.allocate(1, [&] { return values(random); });
    return p;
}

}  // namespace ricci::test
