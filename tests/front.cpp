#include "tests/front.hpp"

#include <stdexcept>
#include <utility>

#include <ricci/detail/bind/parse_and_prove.hpp>
#include <ricci/derive/gradient.hpp>
#include <ricci/derive/jacobian.hpp>
#include <ricci/derive/prove.hpp>
#include <ricci/derive/tangent.hpp>
#include <ricci/ir/eliminate.hpp>
#include <ricci/ir/print.hpp>
#include <ricci/ir/prove.hpp>
#include <ricci/notation/recognise.hpp>
#include <ricci/notation/parse.hpp>

#include "src/base/texts.hpp"

namespace ricci::testing {
namespace {

using detail::view_of;

outcome outcome_of(derive::derived&& d) { return {std::move(d.program), std::move(d.mistake)}; }

}  // namespace

outcome read_equations(const std::string& text) {
    auto r = notation::parse_equations(view_of(text));
    return {std::move(r.program), std::move(r.mistake)};
}

outcome read_program(const std::string& text) {
    auto r = detail::parse_and_prove(view_of(text));
    return {std::move(r.program), std::move(r.mistake)};
}

outcome gradient_of(const ir::program_view& program, const std::string& of,
                    const std::vector<std::string>& wrt, bool with_value, const std::string& loss) {
    std::vector<detail::text_view> names;
    for (const auto& name : wrt) names.push_back(view_of(name));
    derive::gradient_request request;
    request.of = view_of(of);
    request.wrt = names.data();
    request.wrt_count = static_cast<std::int32_t>(names.size());
    request.with_value = with_value;
    request.loss = view_of(loss);
    return outcome_of(derive::gradient(program, request));
}

outcome tangent_of(const ir::program_view& program, const std::string& by) {
    const detail::text_view name = view_of(by);
    return outcome_of(derive::tangent(program, &name, 1));
}

outcome jacobian_of(const ir::program_view& program, const std::string& of, const std::string& by) {
    const detail::text_view name = view_of(by);
    return outcome_of(derive::jacobian(program, view_of(of), &name, 1));
}

bool proves(const ir::program& program, const ir::program& claims, ir::equation* refuted) {
    const auto j = derive::judge(program, claims);
    if (j.verdict == derive::verdict::proved) return true;
    *refuted = claims.equations[j.claim];
    return false;
}

namespace {

/// A place a+0, which the reader may make of an index, is that index.
void simplify_places(ir::program& p) {
    for (ir::position& q : p.positions) {
        if (q.kind != ir::position_kind::affine || q.offset != 0 || q.terms.count != 1) continue;
        const ir::affine_term term = p.affine_terms[q.terms.first];
        if (term.coefficient == 1) q = ir::index_position(term.index);
    }
}

}  // namespace

std::string difference_of(const ir::program& a, const ir::program& b) {
    if (a.equations.size() != b.equations.size()) return "not as many equations";
    ir::program both(a.view());
    ir::program other(b.view());
    simplify_places(both);
    simplify_places(other);
    ir::importer copy(both, other);
    for (ir::ref e = 0; e < a.equations.size(); ++e) {
        ir::equation first = both.equations[e];
        ir::ref k = b.name(b.equations[e].name) == both.name(first.name) ? e : 0;
        while (k < b.equations.size() && !(b.name(b.equations[k].name) == both.name(first.name)))
            ++k;
        if (k == b.equations.size()) return "gone: " + latex_of(a, a.equations[e]);
        const ir::equation second = copy.import(other.equations[k]);
        ir::index_map renamed;
        bool same = ir::align_left_sides(both, second.positions, first.positions, renamed);
        if (same) {
            // what the reader makes of a sum of exponentials, and of deltas
            const auto read = [&](ir::ref n) {
                return ir::eliminate_deltas(both, notation::recognise(both, n));
            };
            const ir::ref body =
                ir::rename_indices(both, ir::freshen_bound(both, second.body), renamed);
            same = ir::normaliser(both).equal(read(first.body), read(body));
        }
        if (!same)
            return "not the same: " + latex_of(a, a.equations[e]) + "\nread " +
                   latex_of(b, b.equations[k]);
    }
    return {};
}

std::string latex_of(const ir::program_view& program, const ir::equation& equation) {
    detail::text_builder line;
    ir::to_latex(program, equation, line);
    const auto words = line.view();
    return {words.begin(), words.end()};
}

ir::program program_of(outcome&& made) {
    if (!made.mistake) return std::move(made.program);
    const auto words = made.mistake.words.view();
    throw std::logic_error(std::string(words.begin(), words.end()));
}

}  // namespace ricci::testing
