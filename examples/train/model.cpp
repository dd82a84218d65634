// Trains the model: batches forward, their gradients back, and a step of Adam.
#include "examples/train/model.hpp"

#include <algorithm>
#include <cstdio>
#include <ctime>

#include <fmt/core.h>

#include "examples/train/equations.hpp"

namespace train {

/// Pieces of the text that depend on the number of the step alone.
void model::draw_batch() {
    random_numbers pieces(static_cast<std::uint64_t>(step_) * 0x2545f4914f6cdd1du + 1);
    for (std::size_t b = 0; b < batch; ++b) {
        const std::size_t at = pieces.next() % (text_.size() - length - 1);
        for (std::size_t i = 0; i < length; ++i) {
            x_(b, i) = static_cast<unsigned char>(text_[at + i]);
            y_(b, i) = static_cast<unsigned char>(text_[at + i + 1]);
        }
    }
}

double model::run(std::int64_t steps, std::int64_t every) {
    constexpr auto embed_slopes = ricci::gradient(embedding, "X"_t, ricci::wrt("E"_t, "P"_t));
    constexpr auto block_slopes =
        ricci::gradient(block, "Y"_t,
                        ricci::wrt("X"_t, "\\gamma"_t, "\\beta"_t, "W_Q"_t, "W_K"_t, "W_V"_t,
                                   "W_O"_t, "\\gamma'"_t, "\\beta'"_t, "U"_t, "u"_t, "W"_t, "w"_t));
    constexpr auto loss_slopes =
        ricci::value_and_gradient(loss, "L"_t, ricci::wrt("X"_t, "\\gamma"_t, "\\beta"_t, "U"_t));

    states& first = blocks_[0].x;
    auto embed = forward(embedding, embedding_, "x"_t = x_, "X"_t = first);
    std::vector<decltype(forward(block, blocks_[0].parameters, "X"_t = first, "d_k"_t = column,
                                 "Y"_t = first))>
        up;
    std::vector<decltype(backward(block_slopes, blocks_[0].parameters, "X"_t = first,
                                  "d_k"_t = column, "dL/dY"_t = first, "dL/dX"_t = first))>
        down;
    for (std::size_t k = 0; k < layers; ++k) {
        up.push_back(forward(block, blocks_[k].parameters, "X"_t = blocks_[k].x, "d_k"_t = column,
                             "Y"_t = output_of(k)));
        down.push_back(backward(block_slopes, blocks_[k].parameters, "X"_t = blocks_[k].x,
                                "d_k"_t = column, "dL/dY"_t = slope_of(k),
                                "dL/dX"_t = blocks_[k].dx));
    }
    ricci::tensor<float, 0> value;
    auto score = backward(loss_slopes, head_, "X"_t = last_, "y"_t = y_, "dL/dL"_t = 1,
                          "dL/dX"_t = dlast_, "L"_t = value);
    auto embed_down = backward(embed_slopes, embedding_, "x"_t = x_, "dL/dX"_t = blocks_[0].dx);

    std::timespec begin{}, now{};
    std::timespec_get(&begin, TIME_UTC);
    std::int64_t tokens = 0;
    while (step_ < steps) {
        draw_batch();
        embed();
        for (auto& f : up) f();
        score();
        for (std::size_t k = layers; k-- > 0;) down[k]();
        embed_down();
        ++step_;
        schedule_.t() = static_cast<float>(step_);
        schedule_.rate() = 3e-3f * std::min(1.0f, static_cast<float>(step_) / 20);
        for (auto& a : adam_) a();
        tokens += static_cast<std::int64_t>(batch * length);
        if (every == 0 || (step_ % every != 0 && step_ != steps)) continue;
        std::timespec_get(&now, TIME_UTC);
        const double seconds = static_cast<double>(now.tv_sec - begin.tv_sec) +
                               1e-9 * static_cast<double>(now.tv_nsec - begin.tv_nsec);
        fmt::print("step {:5}   loss {:.4f}   {:.0f} tokens/s\n", step_, value(),
                   static_cast<double>(tokens) / seconds);
        std::fflush(stdout);
    }
    return static_cast<double>(value());
}

}  // namespace train
