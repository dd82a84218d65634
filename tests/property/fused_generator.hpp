// Random programs of the shape that is fused: a contraction, a chain of element-wise equations, a
// normalisation or none, and a contraction again. What was drawn is a list of choices, so that a
// program that fails can be made simpler by taking some of them back.
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

/// Places along `over` in a plane, by their names, with the indices of both in order.
struct drawn_places {
    std::string name, indices, plane, plane_indices;
    char over = 'j';
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
    std::map<char, std::int64_t> extents;
};

/// A program and what its inputs are.
struct fused_program {
    std::string text;
    std::vector<std::string> wrt;                 // inputs that have a gradient
    std::map<std::string, std::string> contents;  // "mask", "truth", "lengths", "positive"
    std::vector<drawn_places> places;
};

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
    return c;
}

/// Writes the choices down as equations.
class fused_writer {
public:
    explicit fused_writer(const fused_choices& c) : c_(c) {}

    fused_program write() {
        plane_ = c_.batch + c_.queries + c_.rows + c_.columns;
        const auto keys = without(c_.batch, c_.keys_lack) + c_.columns + c_.contracted;
        const auto queries = input("Q", c_.batch + c_.queries + c_.rows + c_.contracted);
        if (c_.of == scores::products) {
            line("S", plane_, queries + " " + input("K", keys));
        } else {
            const auto keyed = input("K", keys);
            const auto weights =
                c_.of == scores::distances
                    ? ""
                    : input("w", c_.contracted, c_.seed % 4 == 0 ? "" : "positive") + " ";
            line("S", plane_,
                 "\\frac{1}{4} \\sum_{" + listed(c_.contracted) + "} " + weights + "(" + queries +
                     " - " + keyed + ")^2");
        }
        current_ = use("S", plane_);
        for (std::size_t k = 0; k < c_.chain.size(); ++k)
            add(c_.chain[k], std::string(1, static_cast<char>('A' + k)));
        for (std::size_t k = 0; k < c_.folds.size(); ++k) add_fold(c_.folds[k], k == 0 ? "E" : "L");
        normalise();
        if (c_.factor_after) {
            line("D", plane_, current_ + " " + input("Z", some_of("Z"), sign()));
            current_ = use("D", plane_);
        }
        const auto values = without(c_.batch, c_.values_lack) + c_.columns + c_.values;
        const auto product = current_ + " " + input("V", values);
        line("O", c_.batch + c_.queries + c_.rows + c_.values,
             (is_quotient() ? "\\frac{\\sum_{" + listed(c_.columns) + "} " + product + "}{" +
                                  over_columns(current_) + "}"
                            : product) +
                 added_);
        for (int k = 0; k < c_.sums; ++k) {
            const std::string name(1, static_cast<char>('W' + k));
            const auto kept = some_of(name);
            const auto summed = without(plane_, kept);
            if (!summed.empty())
                line(name, kept, "\\sum_{" + listed(summed) + "} " + part_of_sum(name));
            if (!summed.empty()) sums_.push_back(use(name, kept));
        }
        return std::move(p_);
    }

private:
    static std::string without(const std::string& letters, const std::string& less) {
        std::string result;
        for (const char x : letters)
            if (less.find(x) == std::string::npos) result += x;
        return result;
    }
    static std::string listed(const std::string& letters) {
        std::string result;
        for (const char x : letters) result += std::string(result.empty() ? "" : ",") + x;
        return result;
    }
    bool has(char index) const { return plane_.find(index) != std::string::npos; }

    // What is drawn for a name stays the same when other choices are taken back.
    std::mt19937 random_of(const std::string& name) const {
        unsigned hash = c_.seed * 31 + 7;
        for (const char x : name) hash = hash * 131 + static_cast<unsigned char>(x);
        return std::mt19937(hash);
    }
    std::string ordered(const std::string& name, std::string letters) const {
        if (!c_.shuffled) return letters;
        auto random = random_of(name);
        std::shuffle(letters.begin(), letters.end(), random);
        return letters;
    }
    std::string some_of(const std::string& name) const {
        auto random = random_of(name + "some");
        std::string result;
        for (const char x : plane_)
            if (random() % 100 < 60) result += x;
        return result;
    }
    std::string use(const std::string& name, const std::string& letters) const {
        const auto order = ordered(name, letters);
        return order.empty() ? name : name + "^{" + order + "}";
    }
    void line(const std::string& name, const std::string& letters, const std::string& body) {
        p_.text += use(name, letters) + " = " + body + "\n";
    }
    std::string input(const std::string& name, const std::string& letters,
                      const std::string& contents = {}) {
        if (contents.empty() || contents == "positive") p_.wrt.push_back(name);
        if (!contents.empty()) p_.contents[name] = contents;
        return use(name, letters);
    }
    bool has_minus_infinity() const {
        return c_.normal == normaliser::softmax || c_.normal == normaliser::written_out;
    }
    std::string where(const std::string& condition) const {
        return "\\begin{cases} " + current_ + " & \\text{if } " + condition + " \\\\ " +
               (has_minus_infinity() ? "-\\infty" : "0") + " & \\text{otherwise} \\end{cases}";
    }
    // What is divided by its sum has to stay away from 0.
    std::string sign() const { return is_quotient() ? "positive" : ""; }
    bool is_quotient() const {
        return c_.normal == normaliser::by_sum || c_.normal == normaliser::by_exps;
    }
    std::string head() const { return has('h') ? "h" : has('b') ? "b" : ""; }

    void add(link what, const std::string& suffix) {
        std::string body;
        const bool rows = has('i');
        switch (what) {
            case link::scale:
                body = "\\frac{1}{2} " + current_;
                break;
            case link::bias:
                body = current_ + " + " + input("B" + suffix, some_of(suffix));
                break;
            case link::relative:
                if (!rows) return;
                p_.wrt.push_back("r" + suffix);
                body = current_ + " + r" + suffix + (has('h') ? "^h" : "") + "_{i-j}";
                break;
            case link::slope:
                body = current_ + " - " + input("m" + suffix, head()) + (rows ? " |i - j|" : " j");
                break;
            case link::additive_mask:
                if (!has_minus_infinity()) return;
                body = current_ + " + " + input("N" + suffix, some_of(suffix), "mask");
                break;
            case link::boolean_mask:
                body = where(input("U" + suffix, some_of(suffix), "truth") + " \\ne 0");
                break;
            case link::causal:
                if (!rows) return;
                body = where("j \\le i");
                break;
            case link::window:
                if (!rows) return;
                body = where("j \\le i \\land i - j < 5");
                break;
            case link::blocks:
                if (!rows) return;
                body = where("i - i \\bmod 8 = j - j \\bmod 8");
                break;
            case link::strided:
                body = rows ? where("i \\bmod 3 = j \\bmod 3") : where("j \\bmod 3 = 1");
                break;
            case link::lengths:
                body = where("j < " + input("n" + suffix, head(), "lengths"));
                break;
            case link::distant:
                if (!rows) return;
                body = where("j < i - 5");
                break;
            case link::softcap:
                if (has_minus_infinity_already_) return;
                body = "3 \\tanh(" + current_ + " / 3)";
                break;
            case link::temperature:
                // The derivative by the temperature of what is masked is 0 times infinity.
                if (has_minus_infinity_already_) return;
                body = "\\frac{" + current_ + "}{" + input("t" + suffix, head(), "positive") + "}";
                break;
            case link::bracket:
                if (has_minus_infinity_already_) return;
                body = (rows ? "[j \\le i] " : "[j < 4] ") + current_;
                break;
            case link::product:
                body = current_ + " + " + input("P" + suffix, c_.rows + "a") + " " +
                       input("R" + suffix, c_.columns + "a");
                break;
            case link::ranges: {
                const auto first = input("f" + suffix, c_.rows, "lengths");
                body = where(first + " \\le j \\land j < " + first + " + " +
                             input("g" + suffix, c_.rows, "lengths"));
                break;
            }
            case link::documents:
                body = where(input("p" + suffix, c_.rows, "documents") + " = " +
                             input("q" + suffix, head() + "j", "documents"));
                break;
            case link::near:
                body = where("|" + input("x" + suffix, head() + c_.rows, "places") + " - " +
                             input("y" + suffix, "j", "places") + "| < 1/3");
                break;
            case link::factor:
                if (has_minus_infinity_already_) return;
                body = input("G" + suffix, some_of(suffix), sign()) + " " + current_;
                break;
        }
        has_minus_infinity_already_ = has_minus_infinity_already_ ||
                                      body.find("infty") != std::string::npos ||
                                      what == link::additive_mask;
        line("M" + suffix, plane_, body);
        current_ = use("M" + suffix, plane_);
    }

    // Some of the rows of an infinite maximum would make the result infinite: bounded values are
    // added to it.
    void add_fold(const drawn_fold& f, const std::string& name) {
        // A product of all pairs would leave the range of a float.
        const bool columns = f.over == folded_indices::columns ||
                             (f.over == folded_indices::both && f.what == fold_choice::product);
        const auto kept = columns                          ? without(plane_, c_.columns)
                          : f.over == folded_indices::rows ? without(plane_, c_.rows)
                                                           : c_.batch + c_.queries;
        const auto over = without(plane_, kept);
        if (over.empty()) return;
        if (f.place != place_choice::none && add_places(f.what, name, kept, over) &&
            f.place == place_choice::alone)
            return;
        const auto value = "\\tanh(" + current_ + ")";
        line(name, kept,
             f.what == fold_choice::product
                 ? "\\prod_{" + listed(over) + "} (1 + \\frac{1}{64} " + value + ")"
                 : std::string(f.what == fold_choice::maximum ? "\\max" : "\\min") + "_{" +
                       listed(over) + "}(" + (has_minus_infinity_already_ ? value : current_) +
                       ")");
        if (f.added && f.over != folded_indices::rows) added_ += " + " + use(name, kept);
    }

    // One index has places, if it has any.
    bool add_places(fold_choice what, const std::string& fold, const std::string& kept,
                    const std::string& over) {
        if (what == fold_choice::product || over.size() != 1 || c_.extents.at(over[0]) == 0)
            return false;
        const std::string name = fold == "E" ? "J" : "I";
        const std::string plane = current_.substr(0, current_.find('^'));
        p_.places.push_back({name, ordered(name, kept), plane, ordered(plane, plane_), over[0]});
        line(name, kept,
             std::string("\\operatorname{arg") + (what == fold_choice::maximum ? "max" : "min") +
                 "}_" + over + "(" + current_ + ")");
        return true;
    }

    // The sum of a use over its columns, which get primes.
    std::string over_columns(const std::string& body) const {
        std::string primed, list;
        const auto start = body.find("^{");
        for (std::size_t k = 0; k < body.size(); ++k) {
            primed += body[k];
            if (k > start && c_.columns.find(body[k]) != std::string::npos) primed += '\'';
        }
        for (const char x : c_.columns) list += std::string(list.empty() ? "" : ",") + x + "'";
        return "\\sum_{" + list + "} " + primed;
    }
    // What a further sum adds up: the weights, or them with factors, which no gradient is asked by.
    std::string part_of_sum(const std::string& name) const {
        auto random = random_of(name + "part");
        if (!c_.factors || random() % 4 == 0) return current_;
        const auto factor = sums_.empty() || random() % 3 == 0
                                ? use("F" + name, some_of("F" + name))
                                : sums_[random() % sums_.size()];
        if (random() % 3 == 0) return "\\tanh(" + factor + ") " + current_;
        if (random() % 2 == 0) return factor + " " + current_;
        return factor + " (" + current_ + " - " + use("G" + name, some_of("G" + name)) + ")";
    }
    std::string over_columns_of_exp() const {
        const auto sum = over_columns(current_);
        const auto body = sum.find("} ") + 2;
        return sum.substr(0, body) + "\\exp(" + sum.substr(body) + ")";
    }

    void normalise() {
        const std::string scores = current_;
        normalise_columns();
        if (!c_.both_sides) return;
        line("X_2", plane_, "\\operatorname{softmax}_{" + c_.rows + "}(" + scores + ")");
        line("U_2", plane_, current_ + " + " + use("X_2", plane_));
        current_ = use("U_2", plane_);
    }
    void normalise_columns() {
        switch (c_.normal) {
            case normaliser::softmax:
                line("A", plane_, "\\operatorname{softmax}_{" + c_.columns + "}(" + current_ + ")");
                break;
            case normaliser::written_out:
                line("A", plane_, "\\frac{\\exp(" + current_ + ")}{" + over_columns_of_exp() + "}");
                break;
            case normaliser::by_sum:
                line("A", plane_, "(" + current_ + ")^2 + 1");
                break;
            case normaliser::by_exps:
                line("A", plane_, "\\exp(\\tanh(" + current_ + "))");
                break;
            case normaliser::none:
                return;
        }
        current_ = use("A", plane_);
    }

    const fused_choices& c_;
    fused_program p_;
    std::string plane_, current_;
    std::vector<std::string> sums_;  // of the weights, as they are used
    std::string added_;              // folds that are added to the result
    bool has_minus_infinity_already_ = false;
};

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
    if (c.shuffled) with([](auto& x) { x.shuffled = false; });
    for (const auto& [index, extent] : c.extents)
        if (extent > 1)
            for (const std::int64_t less : {std::int64_t{1}, extent / 2, extent - 1})
                with([&, i = index](auto& x) { x.extents[i] = less; });
    return all;
}

}  // namespace ricci::testing
