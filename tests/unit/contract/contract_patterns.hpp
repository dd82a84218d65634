// Random contractions: loops with strides, as tests of the kernels walk them one iteration at a
// time.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

#include "src/steps/contraction.hpp"

namespace ricci::testing {

using steps::contraction_loop;
using loops = std::vector<contraction_loop>;

struct pattern {
    loops batch, m, n, k;
};

using stride = std::int64_t contraction_loop::*;

// The lowest and the highest offset that an operand reaches; none where it has no elements.
struct reach {
    std::int64_t low = 0, high = 0;
    std::int64_t count() const { return high - low + 1; }
};

inline std::vector<const loops*> groups_of(const pattern& p) {
    return {&p.batch, &p.m, &p.n, &p.k};
}

inline reach reach_of(const pattern& p, stride member) {
    reach r;
    for (const loops* group : groups_of(p)) {
        for (const contraction_loop& loop : *group) {
            const std::int64_t step = (loop.extent - 1) * loop.*member;
            if (loop.extent == 0 && loop.*member != 0) return {0, -1};
            if (loop.extent > 0) (step < 0 ? r.low : r.high) += step;
        }
    }
    return r;
}

// Calls body(a, b, c) for every iteration of the loops.
template <class Body>
void walk(const std::vector<contraction_loop>& all, std::size_t depth, std::int64_t a,
          std::int64_t b, std::int64_t c, Body& body) {
    if (depth == all.size()) {
        body(a, b, c);
        return;
    }
    const contraction_loop& loop = all[depth];
    for (std::int64_t i = 0; i < loop.extent; ++i) {
        walk(all, depth + 1, a + i * loop.a, b + i * loop.b, c + i * loop.c, body);
    }
}

// Gives every loop strides in a, b and c as if the operands were arrays whose indices are in random
// order, now and then with gaps, negative steps, or a broadcast operand.
inline pattern random_pattern(std::mt19937& random, std::int64_t largest) {
    const auto pick = [&](int low, int high) {
        return std::uniform_int_distribution<int>(low, high)(random);
    };
    pattern p;
    std::vector<contraction_loop*> in_a, in_b, in_c;
    std::int64_t total = 1;
    const auto add = [&](loops& group, int count) {
        for (int i = 0; i < count; ++i) {
            contraction_loop loop;
            const int kind = pick(0, 9);
            loop.extent = pick(0, 60) == 0 ? 0
                          : kind == 0      ? 1
                          : kind < 6       ? pick(2, 6)
                                           : pick(7, 70);
            while (loop.extent > 1 && total * loop.extent > largest) --loop.extent;
            total *= std::max<std::int64_t>(loop.extent, 1);
            group.push_back(loop);
        }
    };
    const int most = pick(0, 14) == 0 ? 4 : 2;  // loops of a group: up to twelve in an operand
    add(p.m, pick(0, most));
    add(p.n, pick(0, most));
    add(p.k, pick(0, most));
    add(p.batch, pick(0, most));
    for (auto& loop : p.batch) in_a.push_back(&loop), in_b.push_back(&loop), in_c.push_back(&loop);
    for (auto& loop : p.m) in_a.push_back(&loop), in_c.push_back(&loop);
    for (auto& loop : p.n) in_b.push_back(&loop), in_c.push_back(&loop);
    for (auto& loop : p.k) in_a.push_back(&loop), in_b.push_back(&loop);
    const auto lay_out = [&](std::vector<contraction_loop*>& members, stride member, bool output) {
        std::shuffle(members.begin(), members.end(), random);
        std::int64_t step = pick(0, 5) == 0 ? 2 : 1;
        for (contraction_loop* loop : members) {
            const bool broadcast = !output && pick(0, 14) == 0;
            loop->*member = broadcast ? 0 : pick(0, 9) == 0 ? -step : step;
            if (!broadcast)
                step = step * std::max<std::int64_t>(loop->extent, 1) + (pick(0, 5) == 0 ? 3 : 0);
        }
    };
    lay_out(in_a, &contraction_loop::a, false);
    lay_out(in_b, &contraction_loop::b, false);
    lay_out(in_c, &contraction_loop::c, true);
    return p;
}

inline pattern product(std::int64_t m, std::int64_t n, std::int64_t k, bool a_turned = false,
                       bool b_turned = false, bool c_turned = false) {
    return {{},
            {{m, a_turned ? 1 : k, 0, c_turned ? 1 : n}},
            {{n, 0, b_turned ? k : 1, c_turned ? m : 1}},
            {{k, a_turned ? m : 1, b_turned ? 1 : n, 0}}};
}

}  // namespace ricci::testing
