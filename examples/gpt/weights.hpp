// The weights of a model, and the file that has them.
#pragma once

#include <cstddef>

#include <ricci/ricci.hpp>

namespace gpt {

/// Of all layers together: the first axis is that of the layers.
struct weights {
    ricci::tensor<float, 2> tokens, places;  // E, P
    ricci::tensor<float, 2> scale_1, shift_1, bias_a, bias_o, scale_2, shift_2, bias_u, bias_w;
    ricci::tensor<float, 3> w_a, w_o, u, w;
    ricci::tensor<float, 1> scale, shift;
    ricci::tensor<float, 2> head;  // empty: the tokens' own
    std::size_t heads = 0;

    std::size_t layers() const { return w_a.extent(0); }
    std::size_t width() const { return tokens.extent(1); }
    std::size_t vocabulary() const { return tokens.extent(0); }
    std::size_t column() const { return width() / heads; }
    const ricci::tensor<float, 2>& of_logits() const { return head.size() > 0 ? head : tokens; }

    /// What a next token reads, in bytes.
    double read_for_one() const {
        std::size_t all = of_logits().size();
        each_of_layers([&](const auto& t) { all += t.size(); });
        return 4 * static_cast<double>(all);
    }
    /// Multiplications and additions of a prompt: by the weights, and of attention, whose lower
    /// half counts.
    double operations(double n) const {
        const double matrices = static_cast<double>(w_a.size() + w_o.size() + u.size() + w.size());
        return n * (2 * matrices + 2 * n * static_cast<double>(layers() * width()));
    }
    template <class F>
    void each_of_layers(F f) const {
        for (const auto* t :
             {&scale_1, &shift_1, &bias_a, &bias_o, &scale_2, &shift_2, &bias_u, &bias_w})
            f(*t);
        for (const auto* t : {&w_a, &w_o, &u, &w}) f(*t);
    }
};

/// Reads a file with the names of GPT-2: wte.weight, wpe.weight, h.0.ln_1.weight, ...; sizes are
/// those of its tensors. `heads`: 0 for heads of 64 columns. Ends the program where it cannot.
weights load(const char* path, std::size_t heads);

}  // namespace gpt
