// Programs whose kind is fast when it is written one way, and once took a time of another order when
// it was written another: a bracket in a sum up to a place, two numbers that say where a value
// goes, a difference of places as a factor. Each is beside the least work that gives its result.
#include <utility>

#include "bench/cliffs_loops.hpp"
#include "bench/places_cases.hpp"

namespace ricci::bench {
namespace {

using extents = std::map<char, long>;
using operands = std::vector<place_operand>;

/// One of at most three times what it amounts to, without derivatives.
place_case cliff(const std::string& name, const std::string& text, operands in, place_operand out,
                 extents big, extents small, place_loops loops) {
    place_case c;
    c.group = "cliffs";
    c.name = name;
    c.text = text;
    c.operands = std::move(in);
    c.outputs = {std::move(out)};
    c.extents = std::move(big);
    c.small = std::move(small);
    c.loops = loops;
    c.goal = 1.0 / 3;
    return c;
}

place_case slopes_of(const place_case& c, std::vector<std::string> by, place_loops loops) {
    return gradients(c, c.outputs[0].name, std::move(by), loops, c.goal);
}

place_case given(place_case c, const char* letters) {
    c.given = letters;
    return c;
}

void add_prefixes(std::vector<place_case>& all) {
    const auto add = [&](const char* name, const char* summed, place_loops loops) {
        all.push_back(cliff(name, std::string("s^i = \\sum_{j \\le i} ") + summed, {{"x", "i"}},
                            {"s", "i"}, {{'i', 20000}}, {{'i', 90}}, loops));
    };
    add("prefix-bracket", "[x^j > 0] x^j", cliffs::prefix_bracket);
    add("prefix-count", "[x^j > 0]", cliffs::prefix_count);
    add("prefix-even", "[j \\bmod 2 = 0] x^j", cliffs::prefix_even);
    add("prefix-distance", "(i - j) x^j", cliffs::prefix_distance);
    all.push_back(slopes_of(
        cliff("prefix-lookups", "s^{ia} = \\sum_{j \\le i} E^{t_j a}",
              {{"E", "va"}, {"t", "i", 'v'}}, {"s", "ia"}, {{'i', 10000}, {'v', 50}, {'a', 8}},
              {{'i', 70}, {'v', 5}, {'a', 3}}, nullptr),
        {"E"}, cliffs::prefix_lookups_gradient));
    all.push_back(slopes_of(
        cliff("prefix-softmax",
              "A^{ij} = \\operatorname{softmax}_j(\\begin{cases} x^j & \\text{if } j \\le i \\\\ "
              "-\\infty & \\text{otherwise} \\end{cases})\n y^i = A^{ij} v^j",
              {{"x", "i"}, {"v", "i"}}, {"y", "i"}, {{'i', 10000}}, {{'i', 60}}, nullptr),
        {"x", "v"}, cliffs::prefix_softmax_gradients));
}

void add_decays(std::vector<place_case>& all) {
    const place_operand g{"g", "", 0, 0.95f, 0}, r{"r", "", 0, 0.05f, 0};
    const auto power = cliff("decay-power", "A^t = \\sum_{l \\le t} (g)^{t-l} d^l", {{"d", "t"}, g},
                             {"A", "t"}, {{'t', 4000}}, {{'t', 80}}, cliffs::decay_power);
    const auto exponential =
        cliff("decay-exp", "A^t = \\sum_{l \\le t} \\exp(-(t - l) r) d^l", {{"d", "t"}, r},
              {"A", "t"}, {{'t', 4000}}, {{'t', 80}}, cliffs::decay_exponential);
    all.push_back(power);
    all.push_back(slopes_of(power, {"d", "g"}, cliffs::decay_power_gradients));
    all.push_back(exponential);
    all.push_back(slopes_of(exponential, {"d", "r"}, cliffs::decay_exponential_gradients));
}

void add_scatters(std::vector<place_case>& all) {
    const operands pairs = {{"a", "n", 'k'}, {"b", "n", 'l'}, {"w", "n"}};
    const extents many = {{'n', 20000}, {'k', 100}, {'l', 100}},
                  few = {{'n', 60}, {'k', 5}, {'l', 4}};
    all.push_back(given(cliff("scatter-pairs", "h^{kl} = \\sum_n [k = a_n] [l = b_n] w^n", pairs,
                              {"h", "kl"}, many, few, cliffs::scatter_pairs),
                        "kl"));
    all.push_back(given(cliff("scatter-pairs-and", "h^{kl} = \\sum_n [k = a_n \\land l = b_n] w^n",
                              pairs, {"h", "kl"}, many, few, cliffs::scatter_pairs),
                        "kl"));
    all.push_back(slopes_of(
        cliff("pairs-table", "y^n = M^{a_n b_n}", {{"M", "kl"}, {"a", "n", 'k'}, {"b", "n", 'l'}},
              {"y", "n"}, many, few, nullptr),
        {"M"}, cliffs::pairs_table_gradient));
    const auto add = [&](const char* name, const char* text, operands in, place_loops loops) {
        in.push_back({"t", "i", 'k'});
        const bool says_k = in[0].name == "u";
        all.push_back(given(cliff(name, text, std::move(in), {"m", "k"},
                                  {{'i', 200000}, {'k', 1000}}, {{'i', 200}, {'k', 6}}, loops),
                            says_k ? "" : "k"));
    };
    add("scatter-maximum",
        "m^k = \\max_i \\begin{cases} x^i & \\text{if } k = t_i \\\\ -\\infty & \\text{otherwise} "
        "\\end{cases}",
        {{"x", "i"}}, cliffs::scatter_maximum);
    add("scatter-logsumexp", "m^k = \\log \\sum_i [k = t_i] \\exp(x^i)", {{"x", "i"}},
        cliffs::scatter_logsumexp);
    add("scatter-masked", "m^k = \\sum_i [k = t_i \\land x^i > 0] x^i", {{"x", "i"}},
        cliffs::scatter_masked);
    add("scatter-squares", "m^k = \\sum_i [k = t_i] (x^i - u^k)^2", {{"u", "k"}, {"x", "i"}},
        cliffs::scatter_squares);
}

void add_windows(std::vector<place_case>& all) {
    all.push_back(cliff("integral-image", "I^{ij} = \\sum_{p \\le i \\land q \\le j} x^{pq}",
                        {{"x", "ij"}}, {"I", "ij"}, {{'i', 128}, {'j', 128}}, {{'i', 9}, {'j', 7}},
                        cliffs::integral_image));
    all.push_back(slopes_of(given(cliff("unfold", "U^{ik} = x^{2i + k}", {{"x", "n"}}, {"U", "ik"},
                                        {{'n', 16000}, {'i', 7997}, {'k', 8}},
                                        {{'n', 40}, {'i', 17}, {'k', 8}}, nullptr),
                                  "k"),
                            {"x"}, cliffs::unfold_gradient));
    const auto pooling = [&](const char* name, long windows, long small, long places) {
        const std::string text = "y^{bij} = \\max_{p,q} X^{b, 2i + p, 2j + q}";
        all.push_back(slopes_of(given(cliff(name, text, {{"X", "bhw"}}, {"y", "bij"},
                                            {{'b', 32},
                                             {'h', 64},
                                             {'w', 64},
                                             {'i', windows},
                                             {'j', windows},
                                             {'p', places},
                                             {'q', places}},
                                            {{'b', 2},
                                             {'h', 10},
                                             {'w', 10},
                                             {'i', small},
                                             {'j', small},
                                             {'p', places},
                                             {'q', places}},
                                            nullptr),
                                      "pq"),
                                {"X"}, cliffs::pooling_gradient));
    };
    pooling("pooling-2", 32, 5, 2);
    pooling("pooling-4", 31, 4, 4);
}

void add_parts(std::vector<place_case>& all) {
    auto moe = cliff("experts", "Y^{bf} = E^{t_b a f} X^{ba}",
                     {{"E", "eaf"}, {"X", "ba"}, {"t", "b", 'e'}}, {"Y", "bf"},
                     {{'e', 8}, {'a', 64}, {'f', 256}, {'b', 1024}, {'c', 128}},
                     {{'e', 3}, {'a', 5}, {'f', 7}, {'b', 12}, {'c', 4}}, cliffs::experts);
    // One product an expert, of as many tokens for each: the tokens are gathered first.
    moe.operands.push_back({"p", "ec", 'b'});
    moe.beside = peer::apart;
    moe.rows_first = "T^{eca} = X^{p_{ec} a}";
    moe.product_then = "Y^{ecf} = T^{eca} E^{eaf}";
    all.push_back(moe);
    moe.times = 2;  // there are two products of as many
    all.push_back(slopes_of(moe, {"E", "X"}, cliffs::experts_gradients));

    const auto part = cliff(
        "parts", "N^{0ic} = a^{ic}\n N^{1ic} = b^{ic}", {{"a", "ic"}, {"b", "ic"}}, {"N", "sic"},
        {{'s', 2}, {'i', 1000}, {'c', 1000}}, {{'s', 2}, {'i', 6}, {'c', 5}}, nullptr);
    all.push_back(slopes_of(part, {"a"}, cliffs::parts_gradient));
}

void add_sets(std::vector<place_case>& all) {
    all.push_back(cliff("all-but-one", "s^i = \\sum_{j \\ne i} x^j", {{"x", "i"}}, {"s", "i"},
                        {{'i', 20000}}, {{'i', 70}}, cliffs::all_but_one));
    all.push_back(cliff("up-to-lookup", "s^i = \\sum_k [k \\le t_i] x^k",
                        {{"x", "k"}, {"t", "i", 'k'}}, {"s", "i"}, {{'i', 20000}, {'k', 20000}},
                        {{'i', 70}, {'k', 50}}, cliffs::up_to_lookup));
    all.push_back(
        given(cliff("neighbours", "s^i = \\sum_k [k = i + 1 \\lor k = i - 1] x^k", {{"x", "i"}},
                    {"s", "i"}, {{'i', 20000}}, {{'i', 70}}, cliffs::neighbours),
              "i"));
    const auto product = cliff("product", "L = \\prod_i x^i", {{"x", "i", 0, 1, 0.001f}}, {"L", ""},
                               {{'i', 20000}}, {{'i', 60}}, nullptr);
    all.push_back(slopes_of(product, {"x"}, cliffs::product_gradient));
}

// Folds under conditions between places, of which none has to look at all pairs.
void add_conditions(std::vector<place_case>& all) {
    const auto add = [&](const std::string& name, const std::string& text, place_loops loops) {
        const std::string out = text.substr(0, 1);
        all.push_back(slopes_of(
            cliff(name, text, {{"x", "i"}}, {out, "i"}, {{'i', 10000}}, {{'i', 60}}, nullptr),
            {"x"}, loops));
    };
    const auto logsumexp = [](const std::string& condition) {
        return "s^i = \\log \\sum_j [" + condition + "] \\exp(x^j)";
    };
    add("others-logsumexp", logsumexp("j \\ne i"), cliffs::others_logsumexp_gradient);
    add("window-logsumexp", logsumexp("|i - j| \\le 4"), cliffs::window_logsumexp_gradient);
    add("part-logsumexp", logsumexp("j \\le i \\land j \\ge 3"), cliffs::part_logsumexp_gradient);
    add("either-logsumexp", logsumexp("j > i \\lor j = 2"), cliffs::either_logsumexp_gradient);
    add("others-maximum",
        "m^i = \\max_j \\begin{cases} x^j & \\text{if } j \\ne i \\\\ -\\infty & \\text{otherwise} "
        "\\end{cases}",
        cliffs::others_maximum_gradient);
    const auto states = [&](const char* name, const std::string& condition, place_loops loops) {
        all.push_back(slopes_of(
            cliff(name, "s^{ib} = \\sum_j [" + condition + "] Q^{ia} K^{ja} V^{jb}",
                  {{"Q", "ia"}, {"K", "ia"}, {"V", "ib"}}, {"s", "ib"},
                  {{'i', 8000}, {'a', 16}, {'b', 16}}, {{'i', 70}, {'a', 3}, {'b', 4}}, nullptr),
            {"Q", "K", "V"}, loops));
    };
    states("state-of-part", "j \\le i \\land j \\ge 3", cliffs::part_state_gradients);
    states("state-to-twice", "j \\le 2i", cliffs::twice_state_gradients);
}

void add_kernels(std::vector<place_case>& all) {
    const std::string kernel =
        "K^{ij} = \\exp(-\\frac{1}{2} \\sum_a (x^{ia} - x^{ja})^2) + s \\delta^{ij}\n";
    const place_operand points{"x", "ia", 0, 0, 2}, noise{"s", "", 0, 0.5f, 0};
    const extents big = {{'i', 1000}, {'a', 3}}, small = {{'i', 20}, {'a', 2}};
    all.push_back(cliff("kernel-solve", kernel + "u^j = \\operatorname{solve}_{ij}(K^{ij}, y^i)",
                        {points, noise, {"y", "i"}}, {"u", "i"}, big, small, cliffs::kernel_solve));
    all.push_back(cliff("kernel-logdet", kernel + "L = \\operatorname{logdet}_{ij}(K^{ij})",
                        {points, noise}, {"L", ""}, big, small, cliffs::kernel_logdet));
}

}  // namespace

std::vector<place_case> cliff_cases() {
    std::vector<place_case> all;
    add_prefixes(all);
    add_decays(all);
    add_scatters(all);
    add_windows(all);
    add_parts(all);
    add_sets(all);
    add_conditions(all);
    add_kernels(all);
    return all;
}

}  // namespace ricci::bench
