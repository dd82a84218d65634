// Places and lines by the program `dot`, which is asked for a part of a diagram at a time.
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <sstream>
#include <string>
#include <system_error>
#include <unistd.h>

#include <fmt/format.h>

#include "draw/layout_parts.hpp"

namespace ricci::draw {
namespace {

// Inches for the program, and letters of a size that its own words need the room of ours.
std::string question_for(const diagram& d, const std::vector<std::size_t>& nodes,
                         const std::vector<std::size_t>& edges, const layout& out) {
    std::string text =
        "digraph g { rankdir=LR; nodesep=0.28; ranksep=0.45; edge [dir=none]; "
        "node [fixedsize=true, label=\"\", shape=box];\n";
    for (const std::size_t n : nodes) {
        const point s = out.sizes[n];
        const bool round = is_round(d.nodes[n].shape);
        text += fmt::format("n{} [width={:g}, height={:g}{}];\n", n, s.x / 72, s.y / 72,
                            round ? ", shape=ellipse" : "");
    }
    for (const std::size_t e : edges) {
        const auto [first, second] = left_and_right(d, d.edges[e]);
        const double letters = letter_size(d.edges[e]).x;
        text += fmt::format("n{} -> n{} [label=\"{}\", fontsize={}];\n", first, second,
                            letters > 0 ? "M" : "", letters > 24 ? 22 : 12);
    }
    return text + "}\n";
}

std::string answer_to(const std::string& question) {
    std::error_code none;
    std::string file = (std::filesystem::temp_directory_path(none) / "ricci-draw-XXXXXX").string();
    // the shell reads the name
    if (none || file.find('\'') != std::string::npos) return {};
    const int descriptor = mkstemp(file.data());
    if (descriptor < 0) return {};
    const bool written = write(descriptor, question.data(), question.size()) ==
                         static_cast<ssize_t>(question.size());
    close(descriptor);
    std::string answer;
    if (written) {
        const std::string command = fmt::format("dot -Tplain '{}' 2>/dev/null", file);
        if (FILE* from = popen(command.c_str(), "r")) {
            char part[4096];
            while (const std::size_t count = std::fread(part, 1, sizeof part, from))
                answer.append(part, count);
            pclose(from);
        }
    }
    unlink(file.c_str());
    // long lines go on behind a backslash
    for (std::size_t k; (k = answer.find("\\\n")) != std::string::npos;) answer.erase(k, 2);
    return answer;
}

point read_point(std::istream& from) {
    point q;
    from >> q.x >> q.y;
    return {q.x * 72, -q.y * 72};
}

// A box is as high as its lines need on its fuller side.
void make_room_for(const std::vector<std::size_t>& lines, const diagram& d, const component& c,
                   layout& out) {
    for (const std::size_t n : c.nodes) {
        const shape s = d.nodes[n].shape;
        if (s != shape::function && s != shape::stored) continue;
        double before = 0, behind = 0;
        for (const std::size_t e : lines) {
            const auto [first, second] = left_and_right(d, d.edges[e]);
            before += second == static_cast<std::int32_t>(n);
            behind += first == static_cast<std::int32_t>(n);
        }
        out.sizes[n].y = std::max(out.sizes[n].y, std::max(before, behind) * 14);
    }
}

// What the program has said so far.
struct dot_answer {
    std::vector<bool> drawn;  // by edge
    std::size_t nodes = 0;
};

// "node NAME x y ..."
bool take_node(const std::string& name, std::istream& words, dot_answer& read, layout& out) {
    const auto n = static_cast<std::size_t>(std::stoul(name.substr(1)));
    if (n >= out.centres.size()) return false;
    out.centres[n] = read_point(words);
    ++read.nodes;
    return true;
}

// "edge TAIL HEAD count x y ...": of lines between the same two nodes any one, as their letters are
// put later.
bool take_edge(const std::string& tail, std::istream& words, const diagram& d,
               const std::vector<std::size_t>& lines, dot_answer& read, layout& out) {
    std::string head;
    std::size_t count = 0;
    words >> head >> count;
    if (count < 4 || count > 10000) return false;
    std::vector<point> path;
    for (std::size_t k = 0; k < count; ++k) path.push_back(read_point(words));
    for (const std::size_t e : lines) {
        const auto [first, second] = left_and_right(d, d.edges[e]);
        if (read.drawn[e] || fmt::format("n{}", first) != tail ||
            fmt::format("n{}", second) != head)
            continue;
        read.drawn[e] = true;
        if (d.edges[e].from != first) path = {path.rbegin(), path.rend()};
        out.routes[e].path = std::move(path);
        break;
    }
    return true;
}

}  // namespace

bool place_by_dot(const diagram& d, const component& c, layout& out) {
    const std::vector<std::size_t> edges = edges_of(d, c);
    std::vector<std::size_t> nodes = c.nodes, lines;
    for (const std::size_t e : edges) {
        for (const std::int32_t n : {d.edges[e].from, d.edges[e].to})
            if (d.nodes[static_cast<std::size_t>(n)].shape == shape::end)
                nodes.push_back(static_cast<std::size_t>(n));
        if (d.edges[e].from != d.edges[e].to) lines.push_back(e);
    }
    make_room_for(lines, d, c, out);
    std::istringstream answer(answer_to(question_for(d, nodes, lines, out)));
    dot_answer read{std::vector<bool>(d.edges.size(), false)};
    for (std::string line; std::getline(answer, line);) {
        std::istringstream words(line);
        std::string key, name;
        words >> key >> name;
        if (key == "node" && !take_node(name, words, read, out)) return false;
        if (key == "edge" && !take_edge(name, words, d, lines, read, out)) return false;
    }
    int loops = 0;
    for (const std::size_t e : edges) {
        const auto n = static_cast<std::size_t>(d.edges[e].from);
        if (d.edges[e].from == d.edges[e].to)
            out.routes[e].path = loop_at(out.centres[n], out.sizes[n], loops++);
        else if (!read.drawn[e]) return false;
    }
    return read.nodes == nodes.size();
}

}  // namespace ricci::draw
