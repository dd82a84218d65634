// A prompt at once, then token by token with a cache of keys and values that grows.
#include "examples/gpt/session.hpp"

#include <algorithm>
#include <cmath>

#include <ricci/repeat.hpp>

#include "examples/gpt/equations.hpp"

namespace gpt {
namespace {

using row = ricci::tensor<float, 1>;
using rows = ricci::tensor<float, 2>;
using cache = ricci::tensor<float, 4>;  // layer, place, head, column
using part = ricci::tensor_view<float, 4>;
using ending = ricci::tensor_view<float, 3>;

/// All layers of a text, with the weights bound.
template <class Layer, class... More>
auto with_weights(Layer layer, const weights& m, const More&... more) {
    const auto layers = ricci::repeat(layer, static_cast<std::int64_t>(m.layers()), "l"_i,
                                      ricci::from("Y"_t), ricci::to("X"_t), ricci::shared("d_k"_t));
    return ricci::prepare(layers, "\\gamma"_t = m.scale_1, "\\beta"_t = m.shift_1, "W_A"_t = m.w_a,
                          "w_A"_t = m.bias_a, "W_O"_t = m.w_o, "w_O"_t = m.bias_o,
                          "\\gamma'"_t = m.scale_2, "\\beta'"_t = m.shift_2, "U"_t = m.u,
                          "u"_t = m.bias_u, "W"_t = m.w, "w"_t = m.bias_w, "d_k"_t = m.column(),
                          "h"_i = m.heads, "o"_i = 3, more...);
}
auto step_of_many(const weights& m, const rows& x, part& k, part& v) {
    return with_weights(layer_of_many, m, "X"_t = x, "K"_t = k, "V"_t = v);
}
auto step_of_one(const weights& m, const row& x, part& keys, part& values, ending& k, ending& v,
                 row& y) {
    return with_weights(layer_of_one, m, "X"_t = x, "k"_t = keys, "v"_t = values, "K"_t = k,
                        "V"_t = v, "Y"_t = y);
}
auto step_of_logits(const weights& m, const row& y, row& z) {
    return ricci::prepare(logits, "X"_t = y, "\\gamma"_t = m.scale, "\\beta"_t = m.shift,
                          "E"_t = m.of_logits(), "Z"_t = z);
}

template <class T>
T& any();  // of a type, to ask what a function gives
using one_step = decltype(step_of_one(any<weights>(), any<row>(), any<part>(), any<part>(),
                                      any<ending>(), any<ending>(), any<row>()));
using logits_step = decltype(step_of_logits(any<weights>(), any<row>(), any<row>()));

}  // namespace

struct session::state {
    state(const weights& m, std::size_t most)
        : m_(m),
          keys_({m.layers(), most, m.heads, m.column()}),
          values_({m.layers(), most, m.heads, m.column()}),
          x_({m.width()}),
          y_({m.width()}),
          z_({m.vocabulary()}),
          one_(first_step()),
          last_(step_of_logits(m, y_, z_)) {}

    const row& prompt(const std::vector<std::int32_t>& tokens) {
        const std::size_t n = tokens.size();
        const ricci::tensor_view<const float, 2> places(m_.places.data(), {n, m_.width()});
        const auto x = embedding("x"_t = tokens, "E"_t = m_.tokens, "P"_t = places);
        part k = places_of(keys_, n), v = places_of(values_, n);
        auto many = step_of_many(m_, x["X"_t], k, v);
        many();
        std::copy_n(&many["Y"_t](n - 1, 0), m_.width(), y_.data());
        length_ = n;
        last_();
        return z_;
    }
    const row& next(std::int32_t token) {
        for (std::size_t a = 0; a < m_.width(); ++a)
            x_(a) = m_.tokens(static_cast<std::size_t>(token), a) + m_.places(length_, a);
        ending k = end_of(keys_), v = end_of(values_);
        one_.bind("k"_t = places_of(keys_, length_), "v"_t = places_of(values_, length_), "K"_t = k,
                  "V"_t = v);
        one_();
        ++length_;
        last_();
        return z_;
    }

private:
    /// The first places of all layers.
    part places_of(cache& all, std::size_t count) {
        return {all.data(), {m_.layers(), count, m_.heads, m_.column()}, all.strides()};
    }
    /// The place behind them.
    ending end_of(cache& all) {
        const auto s = all.strides();
        return {&all(0, length_, 0, 0), {m_.layers(), m_.heads, m_.column()}, {s[0], s[2], s[3]}};
    }
    one_step first_step() {
        part keys = places_of(keys_, length_), values = places_of(values_, length_);
        ending k = end_of(keys_), v = end_of(values_);
        return step_of_one(m_, x_, keys, values, k, v, y_);
    }

    const weights& m_;
    std::size_t length_ = 1;
    cache keys_, values_;
    row x_, y_, z_;
    one_step one_;
    logits_step last_;
};

session::session(const weights& m, std::size_t most) : state_(std::make_unique<state>(m, most)) {}
session::~session() = default;
const row& session::prompt(const std::vector<std::int32_t>& tokens) {
    return state_->prompt(tokens);
}
const row& session::next(std::int32_t token) { return state_->next(token); }

std::int32_t draw(const row& z, double temperature, std::uint64_t& state) {
    const std::size_t best =
        static_cast<std::size_t>(std::max_element(z.data(), z.data() + z.size()) - z.data());
    if (temperature <= 0) return static_cast<std::int32_t>(best);
    std::vector<double> weight(z.size());
    double total = 0;
    for (std::size_t v = 0; v < z.size(); ++v)
        total += weight[v] = std::exp((static_cast<double>(z(v)) - z(best)) / temperature);
    state = state * 6364136223846793005u + 1442695040888963407u;
    double left = static_cast<double>(state >> 11) * 0x1p-53 * total;
    std::size_t chosen = 0;
    while (chosen + 1 < z.size() && (left -= weight[chosen]) > 0) ++chosen;
    return static_cast<std::int32_t>(chosen);
}

}  // namespace gpt
