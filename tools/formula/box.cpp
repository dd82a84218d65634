// How much room a formula takes, before a browser sets it.
#include <algorithm>

#include "formula/mathml.hpp"
#include "formula/widths.hpp"

namespace ricci::formula {
namespace {

constexpr double script_size = 0.78;  // 0.7 to 0.78 by font

box joined(box a, const box& b) {
    return {a.width + b.width, std::max(a.above, b.above), std::max(a.below, b.below)};
}
box smaller(const box& b) {
    return {b.width * script_size, b.above * script_size, b.below * script_size};
}

box of_script(const tree& p) {
    const box base = box_of(p.parts[0]);
    const box below = smaller(box_of(p.parts[1])), above = smaller(box_of(p.parts[2]));
    const std::string& text = p.parts[0].text;
    box all = base;
    if (text == "∑" || text == "∏" || text == "max" || text == "min") {
        all.width = std::max({base.width, below.width, above.width}) + 0.2;
        all.below += below.above + below.below + 0.1;
        if (!p.parts[2].is_empty()) all.above += above.above + above.below + 0.1;
        return all;
    }
    all.width += std::max(below.width, above.width) + 0.08;
    if (!p.parts[1].is_empty()) all.below = std::max(base.below, below.below + 0.35);
    if (!p.parts[2].is_empty()) all.above = base.above + above.above + above.below - 0.35;
    return all;
}

box of_lines(const std::vector<tree>& lines) {
    box all;
    double height = 0;
    for (const tree& line : lines) {
        box one;
        for (const tree& cell : line.parts) one = joined(one, box_of(cell)), one.width += 0.8;
        all.width = std::max(all.width, one.width);
        height += std::max(one.above, 0.8) + std::max(one.below, 0.3) + 0.5;
    }
    all.above = height / 2 + 0.3, all.below = height / 2 - 0.2;
    return all;
}

}  // namespace

box box_of(const tree& p) {
    constexpr double above = 0.78, below = 0.26;
    switch (p.kind) {
        case kind::row: {
            box all{0, above, below};
            for (const tree& one : p.parts) all = joined(all, box_of(one));
            return all;
        }
        case kind::letter:
            return {width_of_text(p.text, true), above, below};
        case kind::upright:
        case kind::number:
        case kind::word:
            return {width_of_text(p.text, false), above, below};
        case kind::function:
            return {width_of_text(p.text, false) + 0.2, above, below};
        case kind::sign: {
            if (p.text == "∑" || p.text == "∏") return {1.6, 1.05, 0.6};
            const bool close = p.text == "," || p.text == "′";
            return {width_of_text(p.text, false) + (close ? 0.17 : 0.56), above, below};
        }
        case kind::blank:
            return {0.1, 0, 0};
        case kind::script:
            return of_script(p);
        case kind::fraction: {
            const box up = box_of(p.parts[0]), down = box_of(p.parts[1]);
            return {std::max(up.width, down.width) + 0.4, up.above + up.below + 0.45,
                    down.above + down.below - 0.05};
        }
        case kind::root: {
            const box in = box_of(p.parts[0]);
            return {in.width + 1.0, in.above + 0.25, in.below + 0.1};
        }
        case kind::accent: {
            const box in = box_of(p.parts[0]);
            return {in.width, in.above + 0.25, in.below};
        }
        case kind::brackets: {
            const box in = box_of(p.parts[0]);
            return {in.width + 0.9, in.above + 0.1, in.below + 0.1};
        }
        case kind::cases: {
            const box in = of_lines(p.parts);
            return {in.width + 0.6, in.above, in.below};
        }
    }
    return {};
}

std::vector<tree> in_lines(const tree& formula, double width) {
    std::vector<tree> lines(1);
    double used = 0;
    std::size_t last = 0;  // of the line, where it may break
    const auto breaks_before = [](const tree& p) {
        return p.kind == kind::blank || (p.kind == kind::sign && p.text != ",");
    };
    for (const tree& one : formula.parts) {
        tree& line = lines.back();
        if (breaks_before(one) && !line.parts.empty()) last = line.parts.size();
        line.parts.push_back(one);
        used += box_of(one).width;
        if (used <= width || last == 0) continue;
        tree next;
        next.parts.assign(line.parts.begin() + static_cast<std::ptrdiff_t>(last), line.parts.end());
        line.parts.resize(last);
        if (next.parts.front().kind == kind::blank) next.parts.erase(next.parts.begin());
        used = 2 + box_of(next).width;
        last = 0;
        lines.push_back(std::move(next));
    }
    return lines;
}

}  // namespace ricci::formula
