// prepared_map: checks a description, simplifies it, and picks the engine of its element type.

#include "src/elementwise/map.hpp"

#include <stdexcept>
#include <utility>
#include <vector>

#include "src/elementwise/engine.hpp"
#include "src/elementwise/loops.hpp"
#include "src/elementwise/program.hpp"

namespace ricci::elementwise {
namespace {

std::unique_ptr<const map_engine> make_engine(const plan::map& map) {
    std::vector<node> program = simplify(map.program);
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
    if (map.type == element::f32) {
        return std::make_unique<engine<float>>(map, std::move(program), std::move(nest));
    }
    return std::make_unique<engine<double>>(map, std::move(program), std::move(nest));
}

}  // namespace

prepared_map::prepared_map(const plan::map& map) : engine_(make_engine(map)) {}
prepared_map::prepared_map(prepared_map&&) noexcept = default;
prepared_map& prepared_map::operator=(prepared_map&&) noexcept = default;
prepared_map::~prepared_map() = default;

void prepared_map::run(void* const* bases) const { engine_->run(bases); }

}  // namespace ricci::elementwise
