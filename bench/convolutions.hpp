// Contractions of convolutions: operands whose places are sums of counters, as h + k and 2q + k.
// They are timed as steps of contractions, beside plain products of their sizes.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <ricci/element.hpp>

#include "src/steps/contraction.hpp"

namespace ricci::bench {

/// `text`: an einsum string, in which an axis may be a sum of letters with factors, in brackets. An
/// axis is as long as its places need.
struct convolution_case {
    const char* name;
    const char* text;
    const char* extents;  // of each letter: "i=4 j=5"
    // Axes in brackets are so much shorter at both ends, and what is read there is 0.
    std::int64_t pad = 0;
};

inline constexpr convolution_case convolution_cases[] = {
    {"3x3", "nc(h+k)(w+l),ockl->nohw", "n=8 c=64 o=64 h=56 w=56 k=3 l=3"},
    {"3x3, to x", "no(p+k)(q+l),ockl->ncpq", "n=8 c=64 o=64 p=56 q=56 k=3 l=3"},
    {"3x3, to w", "nohw,nc(h+k)(w+l)->ockl", "n=8 c=64 o=64 h=56 w=56 k=3 l=3"},
    {"3x3, 14x14", "nc(h+k)(w+l),ockl->nohw", "n=8 c=256 o=256 h=14 w=14 k=3 l=3"},
    {"3x3, 14x14, to w", "nohw,nc(h+k)(w+l)->ockl", "n=8 c=256 o=256 h=14 w=14 k=3 l=3"},
    {"strided", "nc(2q+k),ock->noq", "n=16 c=128 o=128 q=2000 k=4"},
    {"strided, to w", "noq,nc(2q+k)->ock", "n=16 c=128 o=128 q=2000 k=4"},
    {"strided, to x, of a half", "no(q+k),ock->ncq", "n=16 c=128 o=128 q=2000 k=2"},
    {"strided 3x3", "nc(2h+k)(2w+l),ockl->nohw", "n=8 c=64 o=128 h=28 w=28 k=3 l=3"},
    {"strided 3x3, to w", "nohw,nc(2h+k)(2w+l)->ockl", "n=8 c=64 o=128 h=28 w=28 k=3 l=3"},
    {"7x7 of 3", "nc(2h+k)(2w+l),ockl->nohw", "n=8 c=3 o=64 h=112 w=112 k=7 l=7"},
    {"7x7 of 3, to w", "nohw,nc(2h+k)(2w+l)->ockl", "n=8 c=3 o=64 h=112 w=112 k=7 l=7"},
    {"patches", "nc(16h+k)(16w+l),ockl->nohw", "n=8 c=3 o=256 h=14 w=14 k=16 l=16"},
    {"channels last", "n(h+k)(w+l)c,klco->nhwo", "n=8 c=64 o=64 h=56 w=56 k=3 l=3"},
    {"channels last, to w", "n(h+k)(w+l)c,nhwo->klco", "n=8 c=64 o=64 h=56 w=56 k=3 l=3"},
    {"line of 9", "nc(q+k),ock->noq", "n=16 c=64 o=64 q=4000 k=9"},
    {"3x3 padded", "nc(h+k)(w+l),ockl->nohw", "n=8 c=64 o=64 h=56 w=56 k=3 l=3", 1},
    {"3x3 padded, to x", "no(p+k)(q+l),ockl->ncpq", "n=8 c=64 o=64 p=56 q=56 k=3 l=3", 1},
    {"3x3 padded, to w", "nohw,nc(h+k)(w+l)->ockl", "n=8 c=64 o=64 h=56 w=56 k=3 l=3", 1},
    {"3x3 padded, 14x14", "nc(h+k)(w+l),ockl->nohw", "n=8 c=256 o=256 h=14 w=14 k=3 l=3", 1},
    {"dilated", "nc(h+2k)(w+2l),ockl->nohw", "n=8 c=64 o=64 h=56 w=56 k=3 l=3"},
};

/// The same with numbers: loops, and how many elements each operand has.
class sized_convolution {
public:
    explicit sized_convolution(const convolution_case& from) : pad_(from.pad) {
        const std::string_view words = from.extents;
        for (std::size_t at = 0; at < words.size(); ++at)
            if (words[at] == '=') extents_.emplace_back(words[at - 1], number(words, at + 1));
        const std::string_view text = from.text;
        const std::size_t comma = text.find(','), arrow = text.find("->");
        place(text.substr(0, comma), 0);
        place(text.substr(comma + 1, arrow - comma - 1), 1);
        place(text.substr(arrow + 2), 2);
        std::vector<std::size_t> letters[4];
        for (const auto& [letter, extent] : extents_) {
            const auto stride = [&](int operand) { return strides_[operand][at(letter)]; };
            const steps::contraction_loop loop{extent, stride(0), stride(1), stride(2)};
            const auto is_in = [&](int operand, std::int64_t inside) {
                return inside != 0 ||
                       std::any_of(edges_[operand].begin(), edges_[operand].end(),
                                   [&](const auto& e) { return e.factors[at(letter)] != 0; });
            };
            const bool in_a = is_in(0, loop.a), in_b = is_in(1, loop.b), in_c = loop.c != 0;
            const std::size_t which = !in_c ? 3 : in_a && in_b ? 0 : in_a ? 1 : 2;
            std::vector<steps::contraction_loop>* const groups[] = {&batch, &m, &n, &k};
            groups[which]->push_back(loop);
            letters[which].push_back(at(letter));
        }
        // Factors in the order of the loops.
        for (auto& edges : edges_)
            for (steps::edged_axis& edge : edges) {
                std::vector<std::int64_t> factors;
                for (const auto& group : letters)
                    for (const std::size_t letter : group) factors.push_back(edge.factors[letter]);
                edge.factors = std::move(factors);
            }
    }

    steps::contraction step(element type) const {
        steps::contraction made;
        made.type = type;
        made.batch = batch;
        made.m = m;
        made.n = n;
        made.k = k;
        made.a_edges = edges_[0];
        made.b_edges = edges_[1];
        return made;
    }
    static std::int64_t iterations(const std::vector<steps::contraction_loop>& loops) {
        std::int64_t count = 1;
        for (const auto& loop : loops) count *= loop.extent;
        return count;
    }
    double operations() const {
        return 2.0 * static_cast<double>(iterations(batch) * iterations(m) * iterations(n)) *
               static_cast<double>(iterations(k));
    }
    std::size_t size(int operand) const { return static_cast<std::size_t>(sizes_[operand]); }

    std::vector<steps::contraction_loop> batch, m, n, k;

private:
    static std::int64_t number(std::string_view text, std::size_t at) {
        std::int64_t value = 0;
        for (; at < text.size() && text[at] >= '0' && text[at] <= '9'; ++at)
            value = 10 * value + (text[at] - '0');
        return value;
    }
    std::size_t at(char letter) const {
        return static_cast<std::size_t>(
            std::find_if(extents_.begin(), extents_.end(),
                         [&](const auto& one) { return one.first == letter; }) -
            extents_.begin());
    }
    // The axes of an operand, row-major: how far it moves with each letter.
    void place(std::string_view axes, int operand) {
        std::vector<std::vector<std::pair<std::size_t, std::int64_t>>> all;
        std::vector<bool> padded;
        bool inside = false;
        for (std::size_t i = 0; i < axes.size(); ++i) {
            const char c = axes[i];
            if (c == '(') {
                all.emplace_back();
                padded.push_back(pad_ > 0);
                inside = true;
            } else if (c == ')') {
                inside = false;
            } else if (c >= 'a' && c <= 'z') {
                if (!inside) {
                    all.emplace_back();
                    padded.push_back(false);
                }
                std::size_t digits = i;
                while (digits > 0 && axes[digits - 1] >= '0' && axes[digits - 1] <= '9') --digits;
                all.back().emplace_back(at(c), digits == i ? 1 : number(axes, digits));
            }
        }
        strides_[operand].assign(extents_.size(), 0);
        std::int64_t stride = 1;
        for (std::size_t axis = all.size(); axis-- > 0;) {
            std::int64_t extent = 1;
            std::vector<std::int64_t> factors(extents_.size(), 0);
            for (const auto& [letter, factor] : all[axis]) {
                factors[letter] = factor;
                if (!padded[axis]) strides_[operand][letter] += factor * stride;
                extent += factor * (extents_[letter].second - 1);
            }
            if (padded[axis]) {
                extent -= 2 * pad_;
                edges_[operand].push_back({steps::edge::zero, extent, stride, -pad_, factors});
            }
            stride *= extent;
        }
        sizes_[operand] = stride;
    }

    std::vector<std::pair<char, std::int64_t>> extents_;
    std::vector<std::int64_t> strides_[3];
    std::int64_t sizes_[3] = {};
    std::vector<steps::edged_axis> edges_[3];
    std::int64_t pad_ = 0;
};

/// Prints the table of them, in float: rates, and as parts of the peak and of the rate of a plain
/// product of the same three sizes, which is timed in turns.
void measure_convolutions(int threads, double peak, const std::string& part_of_text);

}  // namespace ricci::bench
