// prepared_map: checks a description, simplifies it, and picks the engine of its element type.

#include "src/elementwise/map.hpp"

#include <complex>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "src/elementwise/engine.hpp"
#include "src/elementwise/loops.hpp"
#include "src/elementwise/permutation.hpp"
#include "src/elementwise/program.hpp"

namespace ricci::elementwise {
namespace {

/// Refuses what the element type does not have; the planner has said so in better words before.
void check_kernels(const plan::map& map, const std::vector<node>& program) {
    const auto refuse = [&] {
        throw std::invalid_argument(std::string("an operation that ") + name_of(map.type) +
                                    " does not have");
    };
    const auto check = [&](const auto& kernels) {
        for (const node& n : program) {
            if (kernels::arity(n.op) > 0 && kernels.apply[n.op][0] == nullptr) refuse();
        }
        switch (map.folding) {
            case plan::fold::none:
            case plan::fold::sum:
            case plan::fold::product:
                break;
            case plan::fold::mean:
                if (is_integer(map.type)) refuse();
                break;
            case plan::fold::maximum:
            case plan::fold::minimum:
                if (kernels.maximum == nullptr) refuse();
                break;
            case plan::fold::logsumexp:
            case plan::fold::softmax:
                if (kernels.exp_sum == nullptr) refuse();
                break;
        }
    };
    if (map.type == element::i32) check(kernels::elementwise<std::int32_t>());
    if (map.type == element::i64) check(kernels::elementwise<std::int64_t>());
    if (map.type == element::c64) check(kernels::elementwise<std::complex<float>>());
    if (map.type == element::c128) check(kernels::elementwise<std::complex<double>>());
}

std::unique_ptr<const map_engine> make_engine(const plan::map& map) {
    std::vector<node> program = simplify(map.program, map.type);
    std::vector<bool> used(map.operands.size(), false);
    if (!used.empty()) used[0] = true;
    for (const node& n : program) {
        if (!is(n, plan::opcode::load) && !is(n, plan::opcode::position)) continue;
        if (n.operand < 0 || static_cast<std::size_t>(n.operand) >= used.size()) {
            throw std::invalid_argument("an instruction reads an operand that the map lacks");
        }
        used[static_cast<std::size_t>(n.operand)] = true;
    }
    loop_nest nest = canonical_loops(map, used);
    if (map.folding == plan::fold::none && map.folded != 0) {
        throw std::invalid_argument("a map with folded loops and no fold");
    }
    check_kernels(map, program);
    if (auto copy = make_permutation(map, program, nest)) return copy;
    switch (map.type) {
        case element::f32:
            return std::make_unique<engine<float>>(map, std::move(program), std::move(nest));
        case element::f64:
            return std::make_unique<engine<double>>(map, std::move(program), std::move(nest));
        case element::i32:
            return std::make_unique<engine<std::int32_t>>(map, std::move(program), std::move(nest));
        case element::i64:
            return std::make_unique<engine<std::int64_t>>(map, std::move(program), std::move(nest));
        case element::bf16:
            return std::make_unique<engine<float, bf16>>(map, std::move(program), std::move(nest));
        case element::f16:
            return std::make_unique<engine<float, f16>>(map, std::move(program), std::move(nest));
        case element::c64:
            return std::make_unique<engine<std::complex<float>>>(map, std::move(program),
                                                                 std::move(nest));
        case element::c128:
            return std::make_unique<engine<std::complex<double>>>(map, std::move(program),
                                                                  std::move(nest));
        case element::boolean:
            break;
    }
    return nullptr;
}

}  // namespace

prepared_map::prepared_map(const plan::map& map) : engine_(make_engine(map)) {}
prepared_map::prepared_map(prepared_map&&) noexcept = default;
prepared_map& prepared_map::operator=(prepared_map&&) noexcept = default;
prepared_map::~prepared_map() = default;

void prepared_map::run(void* const* bases) const { engine_->run(bases); }

}  // namespace ricci::elementwise
