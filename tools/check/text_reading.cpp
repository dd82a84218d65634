// The only file of the command that knows the front end.
#include "check/text_reading.hpp"

#include <algorithm>
#include <cstdint>

#include "src/base/texts.hpp"
#include "src/text/reading.hpp"

namespace ricci::papers {

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
            const std::string first = u.numerator;
            if (const auto inner = ir::parts_of_derivative(detail::view_of(first));
                !inner.of.empty()) {
                u.numerator = string_of(inner.numerator);
                u.of_inner = string_of(inner.of);
            }
        }
        out.push_back(std::move(u));
    }
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

std::string open_index_of(const reading& r) {
    const std::string key = "the index ";
    if (r.what != reading::trouble::index_once || r.words.rfind(key, 0) != 0) return {};
    return r.words.substr(key.size(), r.words.find(' ', key.size()) - key.size());
}

std::string name_with(const std::string& name, const std::vector<std::string>& indices) {
    if (indices.empty()) return name;
    std::string out = name + "^{";
    for (const std::string& i : indices) out += i + " ";
    out.back() = '}';
    return out;
}

std::vector<std::string> open_indices(const std::string& expression) {
    constexpr std::size_t most = 8;
    std::vector<std::string> open;
    while (open.size() < most) {
        const std::string letter =
            open_index_of(read_text(name_with("\\text{whole}", open) + " = " + expression));
        if (letter.empty() || std::find(open.begin(), open.end(), letter) != open.end()) break;
        open.push_back(letter);
    }
    return open;
}

}  // namespace ricci::papers
