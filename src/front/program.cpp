// Programs of the run-time face: what they say of themselves.
#include <ricci/program.hpp>

#include <algorithm>

#include <ricci/bind/check.hpp>
#include <ricci/bind/keep.hpp>
#include <ricci/derive/prove.hpp>
#include <ricci/ir/print.hpp>
#include <ricci/ir/print_plain.hpp>
#include <ricci/notation/cursor.hpp>
#include <ricci/notation/warnings.hpp>

#include "src/front/call_operands.hpp"
#include "src/text/program_body.hpp"
#include "src/text/reading.hpp"
#include "src/base/texts.hpp"

namespace ricci {
namespace {

using detail::text_builder;
using detail::text_view;

using detail::string_of;
using detail::view_of;

// The indices of a list of positions, in plain text.
std::string indices_of(const ir::program_view& p, ir::range at) {
    text_builder out;
    for (std::int32_t k = 0; k < at.count; ++k) {
        if (k > 0) out << ',';
        ir::plain_printer(p, out).one_place(p.at(at, k));
    }
    return string_of(out);
}

std::string latex_of(const ir::program_view& p, const ir::equation& e) {
    text_builder out;
    ir::to_latex(p, e, out);
    return string_of(out);
}

// Where a tensor that nothing defines stands first.
tensor_info info_of_input(const ir::program_view& p, ir::ref name) {
    tensor_info info{string_of(p.name(name)), 0, {}, {}};
    for (const ir::equation& e : p.equations) {
        ir::ref use = ir::none;
        if (e.claim) continue;
        ir::for_each_node(p, e.body, [&](ir::ref n) {
            const ir::node& x = p.nodes[n];
            if (use == ir::none && x.kind == ir::op::tensor && x.name == name) use = n;
        });
        if (use == ir::none) continue;
        const ir::range at = p.nodes[use].positions;
        info.rank = static_cast<std::size_t>(at.count);
        info.indices = indices_of(p, at);
        info.equation = latex_of(p, e);
        break;
    }
    return info;
}

tensor_info info_of_definition(const ir::program_view& p, const ir::equation& e) {
    return {string_of(p.name(e.name)), static_cast<std::size_t>(e.positions.count),
            indices_of(p, e.positions), latex_of(p, e)};
}

// A claim as a program of its own.
ir::program read_claim(std::string_view claim) {
    auto read = detail::read_equations(view_of(claim));
    if (read.mistake) detail::refuse(read.mistake.words);
    return std::move(read.program);
}

}  // namespace

namespace detail {
namespace {

std::uint64_t next_key() {
    static std::atomic<std::uint64_t> made{0};
    // Keys of programs in the source are hashes: a stride that is odd reaches every number once.
    return 0x9e3779b97f4a7c15u * (++made) ^ 0x5bd1e995c2b2ae35u;
}

}  // namespace

program_body::program_body(ir::program equations, std::unique_ptr<const layers_of_program> layers)
    : equations_(std::move(equations)),
      view_(equations_.view()),
      key_(next_key()),
      layers_(std::move(layers)) {
    for (const ir::equation& e : view_.equations)
        if (!e.claim && is_output(view_, e.name)) outputs_.push_back(e.name);
}

}  // namespace detail

program::program(ir::program equations) : body_(new detail::program_body(std::move(equations))) {}
program::program(const program& other) noexcept : body_(other.body_) { body_->share(); }
program::~program() { body_->leave(); }
ir::program_view program::view() const { return body_->view(); }

tensor_list program::inputs() const {
    const ir::program_view p = view();
    tensor_list all;
    for (ir::ref n = 0; n < p.names.size(); ++n)
        if (is_input(p, n)) all.push_back(info_of_input(p, n));
    return all;
}

tensor_list program::outputs() const {
    const ir::program_view p = view();
    tensor_list all;
    for (const ir::ref n : body_->outputs())
        all.push_back(info_of_definition(p, p.equations[p.definition(n)]));
    return all;
}

tensor_list program::definitions() const {
    const ir::program_view p = view();
    tensor_list all;
    for (const ir::equation& e : p.equations)
        if (!e.claim) all.push_back(info_of_definition(p, e));
    return all;
}

// What layers state, each of them does.
static ir::program_view stated_by(const program& p) {
    const auto* const layers = detail::body_of(p).layers();
    return layers != nullptr ? layers->stated.view() : p.view();
}

program program::keep(std::initializer_list<std::string_view> names) const {
    ir::program more(view());
    for (const std::string_view name : names) {
        const std::string spelled = canonical_name(name);
        if (const auto mistake = keep_name(more, view_of(spelled))) detail::refuse(mistake.words);
    }
    if (const auto* const layers = body_->layers())
        return detail::program_of_layers(std::move(more), detail::copied(*layers));
    return program(std::move(more));
}

bool program::states(std::string_view claim) const {
    return detail::proves_claims(stated_by(*this), read_claim(claim));
}

judgement program::judge(std::string_view claim) const {
    const derive::judgement found = detail::judge_claims(stated_by(*this), read_claim(claim));
    judgement out;
    if (found.verdict == derive::verdict::proved) return out;
    out.verdict = found.verdict == derive::verdict::refuted ? verdict::refuted : verdict::unproved;
    out.words = string_of(derive::words_of(found));
    return out;
}

mistake_list program::warnings() const {
    mistake_list all;
    for (const ir::mistake& m : notation::warnings(stated_by(*this)))
        all.push_back({m.kind, m.line, m.column, m.begin, m.end, string_of(m.words)});
    return all;
}

std::string canonical_name(std::string_view name) {
    return string_of(notation::canonical_name(view_of(name)));
}

}  // namespace ricci
