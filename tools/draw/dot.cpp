// The language of Graphviz.
#include "draw/dot.hpp"

#include <fmt/format.h>

namespace ricci::draw {
namespace {

std::string escaped(const std::string& text, bool html) {
    std::string all;
    for (const char c : text) {
        if (html && c == '<') all += "&lt;";
        else if (html && c == '>') all += "&gt;";
        else if (html && c == '&') all += "&amp;";
        else if (!html && (c == '"' || c == '\\')) (all += '\\') += c;
        else if (static_cast<unsigned char>(c) >= 0x20) all += c;
    }
    return all;
}

std::string html(const label& words) {
    if (words.empty()) return "\"\"";
    std::string all = "<";
    for (const run& r : words) {
        const char* tag = r.level < 0 ? "sub" : r.level > 0 ? "sup" : nullptr;
        const std::string text = escaped(r.text, true);
        if (text.empty()) continue;
        all += tag ? fmt::format("<{0}>{1}</{0}>", tag, text) : text;
    }
    return all.size() == 1 ? "\"\"" : all + ">";
}

const char* style_of(shape s) {
    switch (s) {
        case shape::tensor:
            return "shape=circle";
        case shape::use:
            return "shape=circle, style=bold";
        case shape::argument:
            return "shape=circle, width=0.2, margin=0.02";
        case shape::value:
            return "shape=plaintext";
        case shape::function:
            return "shape=box, style=rounded";
        case shape::stored:
            return "shape=box, style=\"rounded,bold\"";
        case shape::dot:
            return "shape=point, width=0.09";
        case shape::fork:
            return "shape=point, width=0.05";
        case shape::end:
            return "shape=plaintext, width=0.1, height=0.1, margin=0.02";
    }
    return "";
}

}  // namespace

std::string to_dot(const std::vector<diagram>& all) {
    std::string text = "digraph ricci {\n  rankdir=LR;\n  edge [dir=none];\n";
    for (std::size_t k = 0; k < all.size(); ++k) {
        const diagram& d = all[k];
        text += fmt::format("  subgraph cluster_{} {{\n    color=none;\n    label=\"{}\";\n", k,
                            escaped(d.title, false));
        for (std::size_t n = 0; n < d.nodes.size(); ++n)
            text += fmt::format("    p{}_{} [{}, label={}];\n", k, n, style_of(d.nodes[n].shape),
                                html(d.nodes[n].text));
        for (const edge& e : d.edges) {
            label words = e.text;
            if (!e.step.empty()) append(words, {{fmt::format(" ({})", e.step), 0}});
            const auto [left, right] = left_and_right(d, e);
            const label& before = (left == e.from ? e.tail : e.head).mark;
            const label& behind = (left == e.from ? e.head : e.tail).mark;
            text += fmt::format("    p{0}_{1} -> p{0}_{2} [label={3}{4}", k, left, right,
                                html(words), e.arrow ? ", dir=forward" : "");
            if (!before.empty()) text += fmt::format(", taillabel={}", html(before));
            if (!behind.empty()) text += fmt::format(", headlabel={}", html(behind));
            if (e.strands == 0) text += ", style=dashed";
            if (e.strands > 1) text += ", color=\"black:invis:black\"";
            text += "];\n";
        }
        text += "  }\n";
    }
    return text + "}\n";
}

}  // namespace ricci::draw
