#include "tests/front.hpp"

#include <stdexcept>
#include <utility>

#include <ricci/bind/parse_and_prove.hpp>
#include <ricci/derive/gradient.hpp>
#include <ricci/derive/jacobian.hpp>
#include <ricci/derive/prove.hpp>
#include <ricci/derive/tangent.hpp>
#include <ricci/ir/print.hpp>
#include <ricci/notation/parse.hpp>

namespace ricci::testing {
namespace {

detail::text_view view_of(const std::string& s) {
    return {s.data(), static_cast<std::int32_t>(s.size())};
}

outcome outcome_of(derive::derived&& d) { return {std::move(d.program), std::move(d.mistake)}; }

}  // namespace

outcome read_equations(const std::string& text) {
    auto r = notation::parse_equations(view_of(text));
    return {std::move(r.program), std::move(r.mistake)};
}

outcome read_program(const std::string& text) {
    auto r = parse_and_prove(view_of(text));
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
