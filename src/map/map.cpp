// prepared_map: checks a description, simplifies it, and picks the strategy of its element type.

#include "src/map/map.hpp"

#include <complex>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "src/map/tiled_map.hpp"
#include "src/tile/loops.hpp"
#include "src/copy/permutation.hpp"
#include "src/tile/program.hpp"

namespace ricci::elementwise {
namespace {

/// Refuses what the element type does not have; the planner has said so in better words before.
void check_kernels(const steps::map& map, const std::vector<node>& program) {
    const auto refuse = [&] {
        throw std::invalid_argument(
            fmt::format("an operation that {} does not have", name_of(map.type)));
    };
    const auto check = [&](const auto& kernels) {
        for (const node& n : program) {
            if (kernels::arity(n.op) > 0 && kernels.apply[n.op][0] == nullptr) refuse();
        }
        switch (map.folding) {
            case steps::fold::none:
            case steps::fold::sum:
            case steps::fold::product:
                break;
            case steps::fold::mean:
                if (is_integer(map.type)) refuse();
                break;
            case steps::fold::maximum:
            case steps::fold::minimum:
                if (kernels.maximum == nullptr) refuse();
                break;
            case steps::fold::logsumexp:
            case steps::fold::softmax:
            case steps::fold::excess:
                if (kernels.exp_sum == nullptr) refuse();
                break;
        }
    };
    if (map.type == element::i32) check(kernels::elementwise<std::int32_t>());
    if (map.type == element::i64) check(kernels::elementwise<std::int64_t>());
    if (map.type == element::c64) check(kernels::elementwise<std::complex<float>>());
    if (map.type == element::c128) check(kernels::elementwise<std::complex<double>>());
}

std::unique_ptr<const map_strategy> make_strategy(const steps::map& map) {
    std::vector<node> program = simplify(map.program, map.type);
    std::vector<bool> used(map.operands.size(), false);
    if (!used.empty()) used[0] = true;
    for (const node& n : program) {
        if (!is(n, steps::opcode::load) && !is(n, steps::opcode::position)) continue;
        if (n.operand < 0 || static_cast<std::size_t>(n.operand) >= used.size()) {
            throw std::invalid_argument("an instruction reads an operand that the map lacks");
        }
        used[static_cast<std::size_t>(n.operand)] = true;
    }
    loop_nest nest = canonical_loops(map, used);
    if (map.folding == steps::fold::none && map.folded != 0) {
        throw std::invalid_argument("a map with folded loops and no fold");
    }
    check_kernels(map, program);
    if (auto copy = make_permutation(map, program, nest)) return copy;
    switch (map.type) {
        case element::f32:
            return std::make_unique<tiled_map<float>>(map, std::move(program), std::move(nest));
        case element::f64:
            return std::make_unique<tiled_map<double>>(map, std::move(program), std::move(nest));
        case element::i32:
            return std::make_unique<tiled_map<std::int32_t>>(map, std::move(program),
                                                             std::move(nest));
        case element::i64:
            return std::make_unique<tiled_map<std::int64_t>>(map, std::move(program),
                                                             std::move(nest));
        case element::bf16:
            return std::make_unique<tiled_map<float, bf16>>(map, std::move(program),
                                                            std::move(nest));
        case element::f16:
            return std::make_unique<tiled_map<float, f16>>(map, std::move(program),
                                                           std::move(nest));
        case element::c64:
            return std::make_unique<tiled_map<std::complex<float>>>(map, std::move(program),
                                                                    std::move(nest));
        case element::c128:
            return std::make_unique<tiled_map<std::complex<double>>>(map, std::move(program),
                                                                     std::move(nest));
        case element::boolean:
            break;
    }
    return nullptr;
}

}  // namespace

prepared_map::prepared_map(const steps::map& map) : strategy_(make_strategy(map)) {}
prepared_map::prepared_map(prepared_map&&) noexcept = default;
prepared_map& prepared_map::operator=(prepared_map&&) noexcept = default;
prepared_map::~prepared_map() = default;

void prepared_map::run(void* const* bases) const { strategy_->run(bases); }

runtime::loan_list prepared_map::loans() const {
    return {{strategy_->lent_bytes(), std::numeric_limits<std::int64_t>::max()}};
}

}  // namespace ricci::elementwise
