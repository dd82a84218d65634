// einsum by loops over every label, numpy's rules, written without the library's parser.
#pragma once

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "tests/unit/dense.hpp"

namespace ricci::testing {

using label_list = std::vector<std::string>;

/// The labels of one operand; "..." becomes as many labels as the rank leaves, numbered from the
/// right.
inline label_list labels_of(const std::string& text, std::size_t ellipsis_rank) {
    label_list out;
    for (std::size_t k = 0; k < text.size();) {
        const auto lead = static_cast<unsigned char>(text[k]);
        if (text[k] == ' ') {
            ++k;
        } else if (text[k] == '.') {
            for (std::size_t axis = ellipsis_rank; axis-- > 0;)
                out.push_back("." + std::to_string(axis));
            k += 3;
        } else {
            const std::size_t length = lead < 0x80 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
            out.push_back(text.substr(k, length));
            k += length;
        }
    }
    return out;
}

inline dense_copy einsum_by_loops(const std::string& text,
                                  const std::vector<dense_copy>& operands) {
    const std::size_t arrow = text.find("->");
    std::vector<label_list> inputs;
    std::size_t ellipsis = 0, begin = 0;
    for (std::size_t k = 0; k < operands.size(); ++k) {
        const std::size_t end = std::min(text.find(',', begin), arrow);
        const std::string part = text.substr(begin, end == std::string::npos ? end : end - begin);
        const std::size_t rest = operands[k].extents.size() - labels_of(part, 0).size();
        ellipsis = std::max(ellipsis, part.find('.') == std::string::npos ? 0 : rest);
        inputs.push_back(labels_of(part, rest));
        begin = end + 1;
    }
    std::map<std::string, std::size_t> extent, count;
    for (std::size_t k = 0; k < inputs.size(); ++k)
        for (std::size_t axis = 0; axis < inputs[k].size(); ++axis) {
            extent[inputs[k][axis]] = operands[k].extents[axis];
            ++count[inputs[k][axis]];
        }
    label_list left;
    if (arrow != std::string::npos) {
        left = labels_of(text.substr(arrow + 2), ellipsis);
    } else {
        for (std::size_t axis = ellipsis; axis-- > 0;) left.push_back("." + std::to_string(axis));
        for (const auto& [label, times] : count)  // in the order of bytes: capitals first
            if (times == 1 && label[0] != '.') left.push_back(label);
    }
    label_list order = left;
    for (const auto& [label, times] : count)
        if (std::find(left.begin(), left.end(), label) == left.end()) order.push_back(label);

    dense_copy out;
    std::size_t kept = 1, all = 1;
    for (const std::string& label : left)
        out.extents.push_back(extent[label]), kept *= extent[label];
    for (const std::string& label : order) all *= extent[label];
    out.values.assign(kept, 0);
    for (std::size_t number = 0; number < all; ++number) {
        std::map<std::string, std::size_t> at;
        std::size_t rest = number;
        for (std::size_t k = order.size(); k-- > 0; rest /= extent[order[k]])
            at[order[k]] = rest % extent[order[k]];
        long double product = 1;
        for (std::size_t k = 0; k < inputs.size(); ++k) {
            std::size_t place = 0;
            for (std::size_t axis = 0; axis < inputs[k].size(); ++axis)
                place = place * operands[k].extents[axis] + at[inputs[k][axis]];
            product *= operands[k].values[place];
        }
        out.values[number / (all / kept)] += product;
    }
    return out;
}

}  // namespace ricci::testing
