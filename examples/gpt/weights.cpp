// Reads the weights of a model.
#include "examples/gpt/weights.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include <fmt/core.h>

#include <ricci/files.hpp>

#include "examples/gpt/fail.hpp"

namespace gpt {
namespace {

template <int Rank>
ricci::tensor<float, Rank> take(const char* path, const std::string& name) {
    const ricci::array a = ricci::load(path, name).converted(ricci::element::f32);
    if (a.rank() != Rank) fail("{} has another number of axes than GPT-2's", name);
    return std::as_const(a).as<float, Rank>().clone();
}

/// h.0.NAME, h.1.NAME, ... as one tensor.
template <int Rank>
ricci::tensor<float, Rank> stack(const char* path, std::size_t layers, const std::string& name) {
    ricci::tensor<float, Rank> all;
    for (std::size_t l = 0; l < layers; ++l) {
        const std::string full = fmt::format("h.{}.{}", l, name);
        const ricci::tensor<float, Rank - 1> one = take<Rank - 1>(path, full);
        if (l == 0) {
            std::array<std::size_t, Rank> extents{layers};
            std::copy(one.extents().begin(), one.extents().end(), extents.begin() + 1);
            all = ricci::tensor<float, Rank>(extents);
        }
        if (one.size() * layers != all.size()) fail("{} has another size than in layer 0", full);
        std::copy_n(one.data(), one.size(), all.data() + l * one.size());
    }
    return all;
}

}  // namespace

weights load(const char* path, std::size_t heads) {
    weights m;
    const ricci::arrays shapes = ricci::load_shapes(path);
    std::size_t layers = 0;
    while (shapes.contains(fmt::format("h.{}.attn.c_attn.weight", layers))) ++layers;
    if (layers == 0) fail("{} has no h.0.attn.c_attn.weight", path);
    m.tokens = take<2>(path, "wte.weight");
    m.places = take<2>(path, "wpe.weight");
    m.scale_1 = stack<2>(path, layers, "ln_1.weight");
    m.shift_1 = stack<2>(path, layers, "ln_1.bias");
    m.w_a = stack<3>(path, layers, "attn.c_attn.weight");
    m.bias_a = stack<2>(path, layers, "attn.c_attn.bias");
    m.w_o = stack<3>(path, layers, "attn.c_proj.weight");
    m.bias_o = stack<2>(path, layers, "attn.c_proj.bias");
    m.scale_2 = stack<2>(path, layers, "ln_2.weight");
    m.shift_2 = stack<2>(path, layers, "ln_2.bias");
    m.u = stack<3>(path, layers, "mlp.c_fc.weight");
    m.bias_u = stack<2>(path, layers, "mlp.c_fc.bias");
    m.w = stack<3>(path, layers, "mlp.c_proj.weight");
    m.bias_w = stack<2>(path, layers, "mlp.c_proj.bias");
    m.scale = take<1>(path, "ln_f.weight");
    m.shift = take<1>(path, "ln_f.bias");
    if (shapes.contains("lm_head.weight")) m.head = take<2>(path, "lm_head.weight");
    m.heads = heads != 0 ? heads : std::max<std::size_t>(1, m.width() / 64);
    if (m.width() % m.heads != 0) fail("the width is no multiple of the number of heads");
    return m;
}

}  // namespace gpt
