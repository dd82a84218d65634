// A small causal transformer that learns to write bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <ricci/ricci.hpp>

#include "examples/train/adam.hpp"
#include "examples/train/parameters.hpp"

namespace train {

using states = ricci::tensor<float, 3>;
using bytes = ricci::tensor<std::int32_t, 2>;

struct layer {
    block_parameters parameters;
    // What goes in, and the derivative of the loss by it.
    states x{{batch, length, width}}, dx{{batch, length, width}};
};

class model {
public:
    model(std::string text, std::uint64_t seed) : text_(std::move(text)) {
        random_numbers random(seed);
        start(embedding_, random);
        for (layer& b : blocks_) start(b.parameters, random);
        start(head_, random);
        each_parameter([&](auto& p) {
            auto& q = hana::second(p);
            learn(q.value.data(), q.gradient.data(), q.mean.data(), q.square.data(),
                  q.value.size());
        });
    }
    model(const model&) = delete;

    /// Trains up to a number of steps from the beginning; prints a line every `every` steps.
    double run(std::int64_t steps, std::int64_t every);
    /// Bytes drawn one by one from what the model expects, after the beginning of the text.
    std::string sample(std::size_t count);
    void save(const char* path) { checkpoint(path, "wb"); }
    void resume(const char* path) { checkpoint(path, "rb"); }
    /// Writes the weights under the names that GPT-2 has for them; false where this was built
    /// without the library of files.
    bool write_gpt(const char* path) const;

private:
    template <class F>
    void each_parameter(F f) {
        const auto all = [&](auto& map) { hana::unpack(map, [&](auto&... p) { (f(p), ...); }); };
        all(embedding_);
        for (auto& b : blocks_) all(b.parameters);
        all(head_);
    }
    void learn(float* p, const float* g, float* m, float* n, std::size_t size) {
        adam_.push_back(adam_step(schedule_, p, g, m, n, size));
    }
    void draw_batch();
    void checkpoint(const char* path, const char* mode);
    states& output_of(std::size_t k) { return k + 1 < layers ? blocks_[k + 1].x : last_; }
    states& slope_of(std::size_t k) { return k + 1 < layers ? blocks_[k + 1].dx : dlast_; }

    std::string text_;
    embedding_parameters embedding_;
    layer blocks_[layers];
    head_parameters head_;
    states last_{{batch, length, width}}, dlast_{{batch, length, width}};
    bytes x_{{batch, length}}, y_{{batch, length}};
    schedule schedule_;
    std::vector<adam_program> adam_;
    std::int64_t step_ = 0;
};

}  // namespace train
