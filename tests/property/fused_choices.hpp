// What random fused programs are made of: a list of choices, so that a program that fails can be made
// simpler by taking some of them back.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <random>
#include <string>
#include <vector>

namespace ricci::testing {

/// An equation between the scores and the normalisation.
enum class link : std::uint8_t {
    scale,
    bias,           // + a tensor with some of the indices
    relative,       // + b_{i-j}
    slope,          // - m^h |i - j|
    additive_mask,  // + a tensor of zeros and -infinity
    boolean_mask,   // cases on a tensor
    causal,
    window,
    blocks,
    strided,
    lengths,  // j < n^h
    distant,  // j < i - 5: early rows see nothing
    softcap,
    temperature,
    bracket,  // [j <= i] S
    product,  // + P^{ia} R^{ja}
    factor,   // times a tensor with some of the indices
    // Drawn apart.
    ranges,     // f^i <= j, j < f^i + g^i
    documents,  // p^i = q^j
    near,       // |x^i - y^j| < 1/3
    // Drawn apart from these.
    buckets,  // + B^{n^{ij}}
    table,    // + B^{p^i q^j}
    others,   // j is not i
    one_hot,  // - [y_i = j]
    power,    // (S^2 + 1/2)^{-3/2}
};
inline constexpr unsigned link_count = static_cast<unsigned>(link::factor) + 1;

enum class normaliser : std::uint8_t {
    softmax,
    written_out,
    by_sum,   // of squares
    by_exps,  // of bounded scores, without a maximum
    none,
};

/// What scores are made of.
enum class scores : std::uint8_t { products, distances, weighted_distances };

/// A fold that is no sum, of what is before the normalisation.
enum class fold_choice : std::uint8_t { maximum, minimum, product };

/// Which indices it is over.
enum class folded_indices : std::uint8_t { columns, rows, both };

/// Of a maximum or minimum: whether its place is asked for.
enum class place_choice : std::uint8_t { none, beside, alone };

struct drawn_fold {
    fold_choice what = fold_choice::maximum;
    folded_indices over = folded_indices::columns;
    bool added = false;  // to the result, whose gradient so goes through it
    place_choice place = place_choice::none;
};

struct fused_choices {
    unsigned seed = 0;
    std::string batch;       // indices of Q, K and V
    std::string queries;     // more indices of Q
    std::string rows = "i";  // or none
    std::string columns = "j";
    std::string contracted = "a";
    std::string values = "c";
    std::string keys_lack;  // of `batch`
    std::string values_lack;
    std::vector<link> chain;
    normaliser normal = normaliser::softmax;
    bool factor_after = false;  // of the weights
    int sums = 0;               // more outputs that sum the weights
    bool factors = false;       // of those sums, what earlier ones give among them
    std::vector<drawn_fold> folds;
    bool both_sides = false;  // a softmax over the rows is added to the weights
    bool shuffled = false;    // indices in any order
    scores of = scores::products;
    bool pulls = false;          // the weights multiply K^{ja} - Q^{ia} and masses, and not V
    bool own_keys = false;       // Q is K too
    bool finds_keys = false;     // K is looked up by a number of each column
    bool finds_values = false;   // V as well
    bool picks_a_score = false;  // of each row, by a number: it is added to the result
    std::map<char, std::int64_t> extents;

    /// Whether Q has the indices that K is to have.
    bool has_own_keys() const {
        return own_keys && rows == "i" && columns == "j" && queries.empty() && keys_lack.empty();
    }
    std::int64_t extent(char index) const {
        return extents.at(index == 'j' && has_own_keys() ? 'i' : index);
    }
};

/// Of an axis that numbers find places of.
inline constexpr std::int64_t table_extent = 4;

inline fused_choices draw_fused(unsigned seed) {
    std::mt19937 random(seed * 2654435761u + 17);
    const auto below = [&](unsigned n) { return static_cast<unsigned>(random() % n); };
    const auto chance = [&](unsigned percent) { return below(100) < percent; };
    fused_choices c;
    c.seed = seed;
    if (chance(35)) c.batch += 'b';
    if (chance(65)) c.batch += 'h';
    if (chance(20)) c.queries = "g";
    if (chance(8)) c.rows = "";
    if (chance(10)) c.columns = "jk";
    if (chance(15)) c.contracted = "ae";
    if (chance(10)) c.values = "cd";
    if (chance(5)) c.values = "";
    for (const char index : c.batch) {
        if (chance(15)) c.keys_lack += index;
        if (chance(15)) c.values_lack += index;
    }
    for (unsigned n = below(4); n > 0; --n) c.chain.push_back(static_cast<link>(below(link_count)));
    c.normal = static_cast<normaliser>(chance(60) ? 0 : below(5));
    c.factor_after = chance(15);
    c.sums = chance(25) ? 1 + static_cast<int>(below(2)) : 0;
    c.shuffled = chance(60);
    c.factors = chance(50);
    if (c.factors && chance(30)) c.sums = 3;

    static constexpr std::int64_t few[] = {1, 2, 3, 2, 2};
    static constexpr std::int64_t many[] = {1,  2,  3,  5,  8,   15,  16,  17,  24, 25,
                                            47, 48, 49, 97, 127, 128, 129, 150, 0,  33};
    static constexpr std::int64_t deep[] = {1, 2, 3, 8, 16, 17, 5, 4};
    for (const char index : {'b', 'h', 'g', 'k'}) c.extents[index] = few[below(5)];
    for (const char index : {'i', 'j'}) c.extents[index] = many[below(20)];
    for (const char index : {'a', 'c'}) c.extents[index] = deep[below(8)];
    for (const char index : {'e', 'd'}) c.extents[index] = few[below(5)];
    // Last, so that other choices are those of a seed without folds.
    for (unsigned n = chance(40) ? 1 + below(2) : 0; n > 0; --n)
        c.folds.push_back({static_cast<fold_choice>(below(3)),
                           static_cast<folded_indices>(chance(60) ? 0 : 1 + below(2)), chance(50)});
    for (auto& f : c.folds)
        if (chance(50)) f.place = chance(50) ? place_choice::beside : place_choice::alone;
    if (chance(25))
        c.chain.push_back(static_cast<link>(static_cast<unsigned>(link::ranges) + below(3)));
    c.both_sides = seed % 32 == 31 && !c.rows.empty();  // few of them are fused
    if (chance(25)) {
        c.of = chance(50) ? scores::distances : scores::weighted_distances;
        static constexpr std::int64_t wide[] = {16, 20, 33, 40};
        if (chance(60)) c.extents['a'] = wide[below(4)];
    }
    if (chance(25))
        c.chain.push_back(static_cast<link>(static_cast<unsigned>(link::buckets) + below(5)));
    c.pulls = chance(15);
    c.own_keys = chance(10);
    c.finds_keys = chance(8);
    c.finds_values = chance(8);
    c.picks_a_score = chance(12);
    if (chance(12)) {
        static constexpr std::int64_t wide[] = {64,   65,   100,  256,  300, 511,
                                                1024, 1025, 1100, 1536, 2049};
        c.extents['a'] = wide[below(11)];
        for (const char index : {'i', 'j'})
            c.extents[index] = std::min(c.extents[index], std::int64_t{49});
    }
    return c;
}

/// The choices with one of them taken back, for every one there is.
inline std::vector<fused_choices> simpler(const fused_choices& c) {
    std::vector<fused_choices> all;
    const auto with = [&](auto change) {
        auto less = c;
        change(less);
        all.push_back(std::move(less));
    };
    for (std::size_t k = 0; k < c.chain.size(); ++k)
        with([&](auto& x) { x.chain.erase(x.chain.begin() + static_cast<std::ptrdiff_t>(k)); });
    for (const char index : c.batch)
        with([&](auto& x) {
            for (auto* list : {&x.batch, &x.keys_lack, &x.values_lack})
                list->erase(std::remove(list->begin(), list->end(), index), list->end());
        });
    if (!c.queries.empty()) with([](auto& x) { x.queries.clear(); });
    if (c.columns.size() > 1) with([](auto& x) { x.columns = "j"; });
    if (c.contracted.size() > 1) with([](auto& x) { x.contracted = "a"; });
    if (c.values.size() > 1) with([](auto& x) { x.values = "c"; });
    if (!c.keys_lack.empty()) with([](auto& x) { x.keys_lack.clear(); });
    if (!c.values_lack.empty()) with([](auto& x) { x.values_lack.clear(); });
    if (c.normal != normaliser::softmax) with([](auto& x) { x.normal = normaliser::softmax; });
    if (c.factor_after) with([](auto& x) { x.factor_after = false; });
    if (c.sums > 0) with([](auto& x) { --x.sums; });
    for (std::size_t k = 0; k < c.folds.size(); ++k)
        with([&](auto& x) { x.folds.erase(x.folds.begin() + static_cast<std::ptrdiff_t>(k)); });
    for (std::size_t k = 0; k < c.folds.size(); ++k)
        if (c.folds[k].place != place_choice::none)
            with([&](auto& x) { x.folds[k].place = place_choice::none; });
    if (c.factors) with([](auto& x) { x.factors = false; });
    if (c.both_sides) with([](auto& x) { x.both_sides = false; });
    if (c.of != scores::products)
        with([](auto& x) { x.of = static_cast<scores>(static_cast<int>(x.of) - 1); });
    for (const auto flag :
         {&fused_choices::pulls, &fused_choices::own_keys, &fused_choices::finds_keys,
          &fused_choices::finds_values, &fused_choices::picks_a_score})
        if (c.*flag) with([&](auto& x) { x.*flag = false; });
    if (c.shuffled) with([](auto& x) { x.shuffled = false; });
    for (const auto& [index, extent] : c.extents)
        if (extent > 1)
            for (const std::int64_t less : {std::int64_t{1}, extent / 2, extent - 1})
                with([&, i = index](auto& x) { x.extents[i] = less; });
    return all;
}

}  // namespace ricci::testing
