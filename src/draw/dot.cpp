// The language of Graphviz.
#include "draw/dot.hpp"

#include <sstream>

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
        all += tag ? std::string("<") + tag + ">" + text + "</" + tag + ">" : text;
    }
    return all.size() == 1 ? "\"\"" : all + ">";
}

const char* style_of(shape s) {
    switch (s) {
        case shape::tensor:
            return "shape=circle";
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
    std::ostringstream out;
    out << "digraph ricci {\n  rankdir=LR;\n  edge [dir=none];\n";
    for (std::size_t k = 0; k < all.size(); ++k) {
        const diagram& d = all[k];
        out << "  subgraph cluster_" << k << " {\n    color=none;\n    label=\""
            << escaped(d.title, false) << "\";\n";
        const std::string name = "p" + std::to_string(k) + "_";
        for (std::size_t n = 0; n < d.nodes.size(); ++n)
            out << "    " << name << n << " [" << style_of(d.nodes[n].shape)
                << ", label=" << html(d.nodes[n].text) << "];\n";
        for (const edge& e : d.edges) {
            label words = e.text;
            if (!e.step.empty()) append(words, {{" (" + e.step + ")", 0}});
            out << "    " << name << e.from << " -> " << name << e.to << " [label=" << html(words);
            if (e.arrow) out << ", dir=forward";
            if (!e.sign.empty()) out << ", headlabel=\"" << e.sign << '"';
            if (e.strands == 0) out << ", style=dashed";
            if (e.strands > 1) out << ", color=\"black:invis:black\"";
            out << "];\n";
        }
        out << "  }\n";
    }
    out << "}\n";
    return out.str();
}

}  // namespace ricci::draw
