// Programs of the run-time face: what they say of themselves.
#include <ricci/program.hpp>

#include <algorithm>

#include <ricci/detail/bind/check.hpp>
#include <ricci/detail/bind/keep.hpp>
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

using detail::string_of;
using detail::text_builder;
using detail::view_of;

void write_indices(const ir::program_view& p, ir::range at, ir::range numbers, char between,
                   text_builder& out) {
    for (std::int32_t k = 0; k < at.count; ++k) {
        const ir::position& q = p.at(at, k);
        if (k > 0 && between != '\0') out << between;
        if (q.kind != ir::position_kind::gathered) {
            ir::plain_printer(p, out).one_place(q);
            continue;
        }
        const ir::node& says = p.nodes[p.links[numbers.first + q.offset]];
        out << p.name(says.name) << (says.positions.count == 1 ? "_" : "_{");
        write_indices(p, says.positions, says.children, '\0', out);
        if (says.positions.count != 1) out << '}';
    }
}

// The indices of a list of positions, with commas; `numbers`: what gathered ones read, in links,
// which is written as x_{bi}, without commas of its own.
std::string indices_of(const ir::program_view& p, ir::range at, ir::range numbers = {}) {
    text_builder out;
    write_indices(p, at, numbers, ',', out);
    return string_of(out);
}

std::string latex_of(const ir::program_view& p, const ir::equation& e) {
    text_builder out;
    ir::to_latex(p, e, out);
    return string_of(out);
}

// Where each name stands first: an equation that is no claim, and the node in it.
struct first_use {
    const ir::equation* in = nullptr;
    ir::ref node = ir::none;
};
std::vector<first_use> first_uses(const ir::program_view& p) {
    std::vector<first_use> all(static_cast<std::size_t>(p.names.size()));
    for (const ir::equation& e : p.equations) {
        if (e.claim) continue;
        ir::for_each_node(p, e.body, [&](ir::ref n) {
            const ir::node& x = p.nodes[n];
            if (x.kind != ir::op::tensor) return;
            first_use& first = all[static_cast<std::size_t>(x.name)];
            if (first.in == nullptr) first = {&e, n};
        });
    }
    return all;
}

// An equation for each of its many inputs: a long one is cut, so that they take no square of it.
std::string shortened(std::string latex) {
    constexpr std::size_t longest = 2000;
    if (latex.size() > longest) latex.replace(longest, latex.size() - longest, " ...");
    return latex;
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
    const ir::roles roles(view_);
    for (const ir::equation& e : view_.equations)
        if (!e.claim && roles.is_output(view_, e.name)) outputs_.push_back(e.name);
}

}  // namespace detail

program::program(ir::program equations) : body_(new detail::program_body(std::move(equations))) {}
program::program(const program& other) noexcept : body_(other.body_) { body_->share(); }
program::~program() { body_->leave(); }
ir::program_view program::view() const { return body_->view(); }

tensor_list program::inputs() const {
    const ir::program_view p = view();
    const std::vector<first_use> uses = first_uses(p);
    tensor_list all;
    const ir::equation* printed = nullptr;
    std::string latex;
    const ir::roles roles(p);
    for (ir::ref n = 0; n < p.names.size(); ++n) {
        if (!roles.is_input(n)) continue;
        tensor_info info{string_of(p.name(n)), 0, {}, {}};
        const first_use& use = uses[static_cast<std::size_t>(n)];
        if (use.in != nullptr) {
            const ir::node& x = p.nodes[use.node];
            if (use.in != printed) latex = shortened(latex_of(p, *use.in));
            printed = use.in;
            info.rank = static_cast<std::size_t>(x.positions.count);
            info.indices = indices_of(p, x.positions, x.children);
            info.equation = latex;
        }
        // of one that is bound for its shape alone at least the axes that are named
        for (const ir::index_symbol& i : p.indices)
            if (use.in == nullptr && i.along.tensor == n)
                info.rank = std::max(info.rank, static_cast<std::size_t>(i.along.number) + 1);
        all.push_back(std::move(info));
    }
    return all;
}

tensor_list program::outputs() const {
    const ir::program_view p = view();
    tensor_list all;
    ir::ref e = 0;  // outputs are in the order of the equations
    for (const ir::ref n : body_->outputs()) {
        while (p.equations[e].name != n || p.equations[e].claim) ++e;
        all.push_back(info_of_definition(p, p.equations[e]));
    }
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
        if (const auto mistake = detail::keep_name(more, view_of(spelled)))
            detail::refuse(mistake.words);
    }
    if (const auto* const layers = body_->layers()) {
        // what goes among the layers alone stays hidden
        for (ir::ref n = 0; n < more.names.size(); ++n)
            more.names[n].shape_only = view().names[n].shape_only;
        return detail::program_of_layers(std::move(more), detail::copied(*layers));
    }
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
