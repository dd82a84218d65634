// The language of Graphviz, to be written to files, and to ask the program `dot` for places.
#include "draw/dot.hpp"

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <system_error>
#include <unistd.h>

#include "draw/layout.hpp"

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
            if (e.strands == 0) out << ", style=dashed";
            if (e.strands > 1) out << ", color=\"black:invis:black\"";
            out << "];\n";
        }
        out << "  }\n";
    }
    out << "}\n";
    return out.str();
}

std::vector<point> dot_places(const diagram& d, const component& c,
                              const std::vector<point>& sizes) {
    std::error_code none;
    std::string file = (std::filesystem::temp_directory_path(none) / "ricci-draw-XXXXXX").string();
    // the shell reads the name
    const bool plain = !none && file.find('\'') == std::string::npos;
    const int descriptor = plain ? mkstemp(file.data()) : -1;
    if (descriptor < 0) return {};
    std::vector<std::size_t> place(d.nodes.size(), c.nodes.size());
    std::ostringstream text;
    text << "digraph g { rankdir=LR; nodesep=0.4; ranksep=0.55; edge [dir=none]; node "
            "[fixedsize=true, "
            "label=\"\", shape=box];\n";
    for (std::size_t k = 0; k < c.nodes.size(); ++k) {
        place[c.nodes[k]] = k;
        // with room for the ends of open legs
        const point s = sizes[c.nodes[k]];
        text << 'n' << k << " [width=" << s.x / 72 << ", height=" << s.y / 72 << "];\n";
    }
    for (const edge& e : d.edges) {
        const std::size_t from = place[static_cast<std::size_t>(e.from)];
        const std::size_t to = place[static_cast<std::size_t>(e.to)];
        if (from < c.nodes.size() && to < c.nodes.size() && from != to)
            text << 'n' << from << " -> n" << to << ";\n";
    }
    text << "}\n";
    const std::string words = text.str();
    const bool written =
        write(descriptor, words.data(), words.size()) == static_cast<ssize_t>(words.size());
    close(descriptor);
    std::vector<point> places(c.nodes.size());
    std::size_t found = 0;
    if (written) {
        const std::string command = "dot -Tplain '" + file + "' 2>/dev/null";
        if (FILE* from = popen(command.c_str(), "r")) {
            char line[4096];
            while (std::fgets(line, sizeof line, from)) {
                std::istringstream read(line);
                std::string what, name;
                point q;
                if (read >> what >> name >> q.x >> q.y && what == "node" && name.size() > 1) {
                    const auto k = static_cast<std::size_t>(std::atoi(name.c_str() + 1));
                    if (k < places.size()) places[k] = {q.x * 72, -q.y * 72}, ++found;
                }
            }
            pclose(from);
        }
    }
    unlink(file.c_str());
    if (found != c.nodes.size()) return {};
    return places;
}

}  // namespace ricci::draw
