// The only file of the command that knows the front end.
#include "command/check_engine.hpp"

#include <algorithm>
#include <cstdint>

#include "src/base/texts.hpp"
#include "src/text/reading.hpp"

namespace ricci::command {

namespace {

constexpr std::size_t longest_text = 30000;  // characters that are read at once

reading::trouble trouble_of(const ir::mistake& m, const std::string& words) {
    using kind = ir::mistake_kind;
    using trouble = reading::trouble;
    switch (m.kind) {
        case kind::index_once:
            return trouble::index_once;
        case kind::unknown_function:
            return trouble::unknown_function;
        case kind::index_free:
            return trouble::index_free;
        case kind::rank:
            return trouble::rank;
        case kind::defined_twice:
            return trouble::defined_twice;
        case kind::cycle:
            return trouble::cycle;
        default:
            return words.find("matrix notation") != std::string::npos ? trouble::index_free
                                                                      : trouble::other;
    }
}

/// The sentence of a mistake, without the equation that its place is marked in.
std::string sentence_of(const ir::mistake& m) {
    std::string words = string_of(m.words.view());
    if (m.line == 0) return words;
    const std::size_t mark = words.find("<<<");
    const std::size_t colon = mark == std::string::npos ? mark : words.find(" : ", mark);
    return colon == std::string::npos ? words : words.substr(colon + 3);
}

void note_names(const ir::program_view& p, std::vector<used_name>& out) {
    std::vector<int> rank(static_cast<std::size_t>(p.names.size()), -1);
    for (const ir::node& x : p.nodes)
        if (x.kind == ir::op::tensor) rank[static_cast<std::size_t>(x.name)] = x.positions.count;
    for (const ir::equation& e : p.equations)
        rank[static_cast<std::size_t>(e.name)] = e.positions.count;
    for (ir::ref n = 0; n < p.names.size(); ++n) {
        if (rank[static_cast<std::size_t>(n)] < 0) continue;
        used_name u;
        u.name = string_of(p.name(n));
        u.rank = rank[static_cast<std::size_t>(n)];
        u.defined = p.definition(n) != ir::none;
        u.derivative = p.names[n].kind == ir::name_kind::cotangent;
        if (u.derivative) {
            u.of = string_of(p.name(p.names[n].of));
            u.numerator = string_of(ir::parts_of_derivative(p.name(n)).numerator);
        }
        out.push_back(std::move(u));
    }
}

/// A copy in which softmax and log-sum-exp are written out, as proofs of quotients need them.
ir::ref written_out(ir::program& p, ir::ref n) {
    const ir::ref inside =
        ir::rebuild_children(p, n, [&](ir::ref child) { return written_out(p, child); });
    const ir::node x = p.nodes[inside];
    if (x.kind != ir::op::reduce) return inside;
    const auto kind = static_cast<ir::reduction>(x.detail);
    const bool soft = kind == ir::reduction::softmax;
    if (!soft && kind != ir::reduction::logsumexp) return inside;
    const ir::ref body = p.links[x.children.first];
    ir::index_set taken;
    for (ir::ref i = 0; i < p.indices.size(); ++i) taken.add(i);
    ir::index_map renamed;
    detail::buffer<ir::ref> over;
    for (std::int32_t k = 0; k < x.indices.count; ++k) {
        const ir::ref index = p.links[x.indices.first + k];
        const ir::ref fresh = ir::with_more_primes(p, index, taken);
        taken.add(fresh);
        renamed.set(index, fresh);
        over.push(fresh);
    }
    const ir::ref copy = ir::rename_indices(p, ir::freshen_bound(p, body), renamed);
    const ir::range indices = p.add_links(over);
    const ir::ref sum = p.reduce(ir::reduction::sum, indices, p.apply(ir::function::exp, copy));
    if (!soft) return p.apply(ir::function::log, sum);
    return p.make(ir::op::divide, p.apply(ir::function::exp, body), sum);
}
ir::program written_out(const ir::program_view& view) {
    ir::program p(view);
    for (ir::equation& e : p.equations) {
        const ir::ref body = written_out(p, e.body);
        e.body = body;
    }
    return p;
}

}  // namespace

const used_name* reading::find(const std::string& name) const {
    for (const used_name& u : names)
        if (u.name == name) return &u;
    return nullptr;
}

reading read_text(const std::string& text) {
    reading out;
    if (text.size() > longest_text) {
        out.what = reading::trouble::other;
        out.words = "too long to be read";
        return out;
    }
    const auto result = detail::read_equations(detail::view_of(text));
    if (result.mistake) {
        out.words = sentence_of(result.mistake);
        out.what = trouble_of(result.mistake, out.words);
        if (result.mistake.line > 0)
            out.marked =
                text.substr(static_cast<std::size_t>(result.mistake.begin),
                            static_cast<std::size_t>(result.mistake.end - result.mistake.begin));
        return out;
    }
    const ir::program_view p = result.program.view();
    if (p.equations.size() > 0) {
        // equations are put in order: the one that is asked about is that of the last line
        ir::ref last = 0;
        for (ir::ref e = 0; e < p.equations.size(); ++e)
            if (p.equations[e].source.begin > p.equations[last].source.begin) last = e;
        const ir::equation& e = p.equations[last];
        out.left = string_of(p.name(e.name));
        out.left_rank = e.positions.count;
        out.left_is_derivative = p.names[e.name].kind != ir::name_kind::plain;
    }
    note_names(p, out.names);
    return out;
}

judgement judge_text(const std::string& source, const std::string& claims) {
    judgement out;
    if (source.size() > longest_text || claims.size() > longest_text) {
        out.readable = false;
        out.words = "too long to be judged";
        return out;
    }
    const auto program = detail::define_equations(detail::view_of(source));
    const auto claimed = detail::read_equations(detail::view_of(claims));
    if (program.mistake || claimed.mistake) {
        out.readable = false;
        out.words = sentence_of(program.mistake ? program.mistake : claimed.mistake);
        return out;
    }
    std::vector<used_name> of_source, of_claims;
    note_names(program.program.view(), of_source);
    note_names(claimed.program.view(), of_claims);
    for (const used_name& u : of_source)
        if (!u.defined && !u.derivative) out.source_inputs.push_back(u.name);
    for (const used_name& u : of_claims) {
        if (u.derivative) continue;
        const bool defined =
            std::any_of(of_source.begin(), of_source.end(),
                        [&](const used_name& s) { return s.name == u.name && s.defined; });
        if (!defined) out.claim_inputs.push_back(u.name);
    }
    for (const auto* list : {&of_source, &of_claims})
        for (const used_name& u : *list)
            if (!u.derivative && !u.defined && u.rank == 0) out.numbers.push_back(u.name);
    const auto j = detail::judge_claims(program.program.view(), claimed.program);
    if (j.verdict == derive::verdict::unproved && j.numbers.alike) {
        const ir::program open = written_out(program.program.view()),
                          claim = written_out(claimed.program.view());
        if (detail::proves_claims(open.view(), claim)) {
            out.verdict = judged::proved;
            return out;
        }
    }
    out.words = string_of(j.words.view());
    out.alike = j.numbers.alike;
    out.verdict = j.verdict == derive::verdict::proved    ? judged::proved
                  : j.verdict == derive::verdict::refuted ? judged::refuted
                                                          : judged::unproved;
    if (const std::size_t k = out.words.find("; claim it layer by layer"); k != std::string::npos)
        out.words.erase(k);
    for (const char* prefix : {"refuted: ", "not proved: ", "not proved, "})
        if (out.words.rfind(prefix, 0) == 0)
            out.words.erase(0, std::char_traits<char>::length(prefix));
    return out;
}

std::string plain_name(const std::string& name) {
    const std::size_t bar = name.rfind('_');
    if (bar == std::string::npos || bar == 0) return name;
    const std::string tail = name.substr(bar + 1);
    const bool heights = tail == "upper" || tail == "lower" ||
                         (tail.size() > 1 && tail.find_first_not_of("ul") == std::string::npos);
    return heights ? name.substr(0, bar) : name;
}

}  // namespace ricci::command
