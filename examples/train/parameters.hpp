// The tensors that are learnt, by the names that the equations have for them.
#pragma once

#include <array>
#include <cstddef>

#include <boost/hana/map.hpp>
#include <boost/hana/unpack.hpp>
#include <ricci/ricci.hpp>

#include "examples/train/random.hpp"
#include "examples/train/sizes.hpp"

namespace train {

namespace hana = boost::hana;
using namespace ricci::literals;

/// A tensor that is learnt: its value, its gradient, and Adam's two means.
template <int Rank>
struct parameter {
    ricci::tensor<float, Rank> value, gradient, mean, square;

    /// Starts between offset - scale and offset + scale.
    void start(const std::array<std::size_t, Rank>& extents, float scale, float offset,
               random_numbers& random) {
        for (auto* t : {&value, &gradient, &mean, &square})
            *t = ricci::tensor<float, Rank>(extents);
        for (std::size_t k = 0; k < value.size(); ++k)
            value.data()[k] = offset + scale * static_cast<float>(2 * random.uniform() - 1);
    }
};

template <class Name, int Rank>
using learnt = hana::pair<Name, parameter<Rank>>;
#define LEARNT(NAME, RANK) learnt<decltype(NAME##_t), RANK>

using embedding_parameters = hana::map<LEARNT("E", 2), LEARNT("P", 2)>;
using block_parameters =
    hana::map<LEARNT("\\gamma", 1), LEARNT("\\beta", 1), LEARNT("W_Q", 3), LEARNT("W_K", 3),
              LEARNT("W_V", 3), LEARNT("W_O", 3), LEARNT("\\gamma'", 1), LEARNT("\\beta'", 1),
              LEARNT("U", 2), LEARNT("u", 1), LEARNT("W", 2), LEARNT("w", 1)>;
using head_parameters = hana::map<LEARNT("\\gamma", 1), LEARNT("\\beta", 1), LEARNT("U", 2)>;
#undef LEARNT

inline constexpr float narrow = 0.125f, wide = 0.0625f;  // one over the root of width, of hidden

inline void start(embedding_parameters& p, random_numbers& r) {
    p["E"_t].start({256, width}, 0.05f, 0, r);
    p["P"_t].start({length, width}, 0.05f, 0, r);
}
inline void start(block_parameters& p, random_numbers& r) {
    p["\\gamma"_t].start({width}, 0, 1, r);
    p["\\beta"_t].start({width}, 0, 0, r);
    p["W_Q"_t].start({heads, width, column}, narrow, 0, r);
    p["W_K"_t].start({heads, width, column}, narrow, 0, r);
    p["W_V"_t].start({heads, width, column}, narrow, 0, r);
    p["W_O"_t].start({heads, column, width}, narrow, 0, r);
    p["\\gamma'"_t].start({width}, 0, 1, r);
    p["\\beta'"_t].start({width}, 0, 0, r);
    p["U"_t].start({width, hidden}, narrow, 0, r);
    p["u"_t].start({hidden}, 0, 0, r);
    p["W"_t].start({hidden, width}, wide, 0, r);
    p["w"_t].start({width}, 0, 0, r);
}
inline void start(head_parameters& p, random_numbers& r) {
    p["\\gamma"_t].start({width}, 0, 1, r);
    p["\\beta"_t].start({width}, 0, 0, r);
    p["U"_t].start({width, 256}, narrow, 0, r);
}

}  // namespace train
