#include "src/plan/trees/canonical.hpp"

#include <utility>

#include "src/spelling/canonical.hpp"

namespace ricci::plan {

canonical_form canonical(const ir::program_view& program, ir::ref expression,
                         const std::function<std::int64_t(ir::ref)>& extent) {
    ir::canonical_form made = ir::canonical_spelling(program, expression, extent);
    return {std::move(made.spelling), std::move(made.free)};
}

}  // namespace ricci::plan
