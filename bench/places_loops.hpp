// Plain loops that programs of places are compared with: what one would write by hand in their
// stead. They know nothing of the library, and are compiled for the machine that builds them.
#pragma once

#include <cstdint>
#include <map>
#include <string>

namespace ricci::bench {

/// Row-major operands and results by name, and extents by letter.
struct place_memory {
    std::map<std::string, float*> floats;
    std::map<std::string, const std::int32_t*> numbers;
    std::map<char, long> extents;

    const float* in(const char* name) const { return floats.at(name); }
    float* out(const char* name) const { return floats.at(name); }
    const std::int32_t* places(const char* name) const { return numbers.at(name); }
    long operator[](char letter) const { return extents.at(letter); }
};

using place_loops = void (*)(const place_memory&);

void heat_wrap(const place_memory&);
void heat_clamp(const place_memory&);
void embedding_bag(const place_memory&);
void embedding_bag_gradients(const place_memory&);
void looked_up_rows(const place_memory&);
void summed_rows(const place_memory&);
void rows_of_heads(const place_memory&);
void bags_of_rows(const place_memory&);
void bags_of_rows_gradient(const place_memory&);
void convolution(const place_memory&);
void convolution_gradients(const place_memory&);
void strided(const place_memory&);
void strided_gradients(const place_memory&);
void depthwise(const place_memory&);
void prefix_sums(const place_memory&);
void prefix_sums_gradient(const place_memory&);
void prefix_maxima(const place_memory&);
void prefix_logsumexp(const place_memory&);
void prefix_logsumexp_gradient(const place_memory&);
void prefix_maxima_gradient(const place_memory&);
void prefix_products_gradient(const place_memory&);
void linear_attention(const place_memory&);
void linear_attention_gradients(const place_memory&);
void shifted_attention(const place_memory&);
void shifted_attention_gradients(const place_memory&);
void variation_gradient(const place_memory&);
void copy_clamp(const place_memory&);
void copy_clamp_gradient(const place_memory&);
void copy_wrap(const place_memory&);
void copy_wrap_gradient(const place_memory&);
void scatter(const place_memory&);
void scatter_gradient(const place_memory&);
void graph_layer(const place_memory&);
void graph_layer_gradients(const place_memory&);
void guarded(const place_memory&);
/// Rows of X to those of Y, with the numbers x.
void gather_rows(const float* X, const std::int32_t* x, float* Y, long rows, long width);

}  // namespace ricci::bench
