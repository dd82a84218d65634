// Writes as the model has learnt to: each byte is drawn from what the model expects behind the
// others.
#include "examples/train/model.hpp"

#include <algorithm>
#include <cmath>

#include "examples/train/equations.hpp"

namespace train {

std::string model::sample(std::size_t count) {
    std::string all = text_.substr(0, 16);
    const std::size_t prompt = all.size();
    random_numbers draws(7);
    bytes x({1, length});
    states inside({1, length, width}), outside({1, length, width});
    ricci::tensor<float, 3> z({1, length, 256});
    auto embed = forward(embedding, embedding_, "x"_t = x, "X"_t = inside);
    auto last = forward(logits, head_, "X"_t = layers % 2 == 0 ? inside : outside, "Z"_t = z);
    std::vector<decltype(forward(block, blocks_[0].parameters, "X"_t = inside, "d_k"_t = column,
                                 "Y"_t = outside))>
        up;
    for (std::size_t k = 0; k < layers; ++k)
        up.push_back(forward(block, blocks_[k].parameters, "X"_t = k % 2 == 0 ? inside : outside,
                             "d_k"_t = column, "Y"_t = k % 2 == 0 ? outside : inside));
    while (all.size() < prompt + count) {
        const std::size_t used = std::min(all.size(), length);
        for (std::size_t i = 0; i < length; ++i)
            x(0, i) = i < used ? static_cast<unsigned char>(all[all.size() - used + i]) : 0;
        embed();
        for (auto& f : up) f();
        last();
        double total = 0, weights[256];
        for (std::size_t v = 0; v < 256; ++v)
            total += weights[v] = std::exp(static_cast<double>(z(0, used - 1, v)) / 0.7);
        double left = draws.uniform() * total;
        std::size_t chosen = 0;
        while (chosen < 255 && (left -= weights[chosen]) > 0) ++chosen;
        all += static_cast<char>(chosen);
    }
    return all;
}

}  // namespace train
