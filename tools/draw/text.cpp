// A sheet of characters: lines first, boxes over them, letters last.
#include "draw/text.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <utility>

#include <fmt/core.h>

#include "draw/layout.hpp"

namespace ricci::draw {
namespace {

// A character of the terminal is a place; what follows a combining accent stays with its letter.
std::vector<std::string> characters_of(const std::string& text) {
    std::vector<std::string> all;
    for (const char c : text) {
        const bool more = (c & 0xc0) == 0x80;
        if (more && !all.empty()) all.back() += c;
        else if (!all.empty() && static_cast<unsigned char>(c) == 0xcc) all.back() += c;
        else all.emplace_back(1, c);
    }
    return all;
}

class sheet {
public:
    sheet(int width, int height)
        : rows_(static_cast<std::size_t>(height),
                std::vector<std::string>(static_cast<std::size_t>(width), " ")) {}
    void put(int x, int y, const std::string& c) {
        if (y < 0 || y >= static_cast<int>(rows_.size())) return;
        auto& row = rows_[static_cast<std::size_t>(y)];
        if (x >= 0 && x < static_cast<int>(row.size())) row[static_cast<std::size_t>(x)] = c;
    }
    void words(int middle, int y, const std::string& text) {
        const auto all = characters_of(text);
        int x = middle - static_cast<int>(all.size()) / 2;
        for (const std::string& c : all) put(x++, y, c);
    }
    void line(int x0, int y0, int x1, int y1) {
        const int steps = std::max(std::abs(x1 - x0), std::abs(y1 - y0));
        const char* mark = y0 == y1 ? "─" : x0 == x1 ? "│" : "·";
        for (int k = 0; k <= steps; ++k)
            put(x0 + static_cast<int>(std::lround(double(x1 - x0) * k / std::max(steps, 1))),
                y0 + static_cast<int>(std::lround(double(y1 - y0) * k / std::max(steps, 1))), mark);
    }
    std::string text() const {
        std::string all;
        for (const auto& row : rows_) {
            std::string one;
            for (const std::string& c : row) one += c;
            const std::size_t end = one.find_last_not_of(' ');
            all += one.substr(0, end == std::string::npos ? 0 : end + 1) + '\n';
        }
        return all;
    }

private:
    std::vector<std::vector<std::string>> rows_;
};

constexpr double wide = 7, high = 15;

}  // namespace

std::string to_text(const diagram& d) {
    const layout where = plain_layout(d);
    sheet s(static_cast<int>(where.width / wide) + 4, static_cast<int>(where.height / high) + 2);
    const auto x_of = [](point q) { return static_cast<int>(std::lround(q.x / wide)); };
    const auto y_of = [](point q) { return static_cast<int>(std::lround(q.y / high)); };
    struct word {
        int x, y;
        std::string text;
    };
    std::vector<word> words;
    for (std::size_t k = 0; k < d.edges.size(); ++k) {
        const edge& e = d.edges[k];
        // to the middle of the nodes, whose words cover the ends
        std::vector<point> way = points_along(where.routes[k].path, 6);
        const point middle = way[way.size() / 2], head = way.back();
        way.insert(way.begin(), where.centres[static_cast<std::size_t>(e.from)]);
        way.push_back(where.centres[static_cast<std::size_t>(e.to)]);
        for (std::size_t m = 0; m + 1 < way.size(); ++m)
            s.line(x_of(way[m]), y_of(way[m]), x_of(way[m + 1]), y_of(way[m + 1]));
        if (e.arrow) words.push_back({x_of(head) - 1, y_of(head), "▸"});
        for (const auto& [end, at] : {std::pair(e.tail, where.routes[k].tail_mark),
                                      std::pair(e.head, where.routes[k].head_mark)})
            if (!end.mark.empty()) words.push_back({x_of(at), y_of(at), plain_text(end.mark)});
        std::string text = plain_text(e.text);
        if (!e.step.empty()) text += fmt::format("({})", e.step);
        if (!text.empty()) words.push_back({x_of(middle), y_of(middle), text});
    }
    for (std::size_t n = 0; n < d.nodes.size(); ++n) {
        const node& me = d.nodes[n];
        const int x = x_of(where.centres[n]), y = y_of(where.centres[n]);
        const std::string text = plain_text(me.text);
        if (me.shape == shape::dot) s.put(x, y, "●");
        if (me.shape == shape::fork) s.put(x, y, "•");
        if (me.shape == shape::end) s.words(x, y, text);
        if (me.shape > shape::use) continue;
        const int count = static_cast<int>(characters_of(text).size());
        const int left = x - (count + 2) / 2, right = left + count + 1;
        const bool square = me.shape == shape::function || me.shape == shape::stored;
        if (me.shape == shape::argument) {
            s.words(x, y, text.empty() ? "∘" : text);
            continue;
        }
        s.put(left, y, square ? "[" : "(");
        s.put(right, y, square ? "]" : ")");
        const auto all = characters_of(text);
        for (int k = 0; k < count; ++k) s.put(left + 1 + k, y, all[static_cast<std::size_t>(k)]);
    }
    for (const word& w : words) s.words(w.x, w.y, w.text);
    std::string out = fmt::format("{}\n{}", d.title, s.text());
    for (const std::string& n : d.notes) out += fmt::format("{}\n", n);
    return out;
}

}  // namespace ricci::draw
