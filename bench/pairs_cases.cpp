// The programs over all pairs: physics, kernels, optimal transport, losses and attention.
#include "bench/pairs_cases.hpp"

#include <utility>

namespace ricci::bench {
namespace {

using operands = std::vector<pairs_operand>;

operands with(operands all, operands more) {
    all.insert(all.end(), more.begin(), more.end());
    return all;
}

/// Two sets of points.
operands points(std::size_t axes, float mean = 0) {
    return {{"x", {4096, axes}, 0, mean}, {"z", {4096, axes}, 0, mean}};
}

pairs_case gradients(pairs_case c, const std::string& of, std::vector<std::string> by,
                     std::vector<std::size_t> extents, double flops, double goal = 0) {
    c.name += "-gradients";
    c.of = of;
    c.by = std::move(by);
    c.operands.push_back({"dL/d" + of, std::move(extents)});
    c.flops = flops;
    c.goal = goal;
    c.loop = nullptr;
    return c;
}

const std::string squares = "\\sum_a (x^{ia} - z^{ja})^2";
constexpr double pairs = 4096.0 * 4096;

void add_distances(std::vector<pairs_case>& all) {
    const std::string nearest = "d^{ij} = " + squares + "\n m^i = \\min_j(d^{ij})";
    const std::string place = "d^{ij} = " + squares + "\n y_i = \\operatorname{argmin}_j(d^{ij})";
    const std::string chamfer =
        "d^{ij} = " + squares +
        "\nc = \\operatorname{mean}_i(\\min_j(d^{ij})) + \\operatorname{mean}_j(\\min_i(d^{ij}))";
    const std::string forces =
        "d^{ij} = \\sum_b (x^{jb} - x^{ib})^2\n"
        "F^{ia} = \\sum_j m^j \\frac{x^{ja} - x^{ia}}{(d^{ij} + 0.01)^{3/2}}";
    const auto add = [&](pairs_case c) { all.push_back(std::move(c)); };
    add({.name = "n-body",
         .text = forces,
         .operands = {{"x", {4096, 3}}, {"m", {4096}}},
         .plane = "d",
         .flops = 20 * pairs,
         .goal = 0.42,
         .loop = &n_body_loop});
    add({.name = "nearest",
         .text = nearest,
         .operands = points(3),
         .plane = "d",
         .flops = 8 * pairs,
         .goal = 0.52,
         .loop = &nearest_loop});
    add({.name = "nearest-64",
         .text = nearest,
         .operands = points(64),
         .plane = "d",
         .flops = 128 * pairs});
    add({.name = "nearest-place",
         .text = place,
         .operands = points(3),
         .plane = "d",
         .flops = 8 * pairs,
         .loop = &nearest_place_loop,
         .finds_places = true});
    add({.name = "nearest-place-64",
         .text = place,
         .operands = points(64),
         .plane = "d",
         .flops = 128 * pairs,
         .finds_places = true});
    const pairs_case least{.name = "nearest", .text = nearest, .operands = points(3), .plane = "d"};
    add(gradients(least, "m", {"x", "z"}, {4096}, 8 * pairs));
    const pairs_case both{.name = "chamfer",
                          .text = chamfer,
                          .operands = points(3),
                          .plane = "d",
                          .flops = 8 * pairs};
    add(both);
    add(gradients(both, "c", {"x", "z"}, {}, 8 * pairs));
}

void add_kernels(std::vector<pairs_case>& all) {
    const auto normal = [](const std::string& distance) {
        return "\\exp(-\\frac{1}{2} " + distance + ")";
    };
    const std::string kernel = "K^{ij} = " + normal(squares) + "\n f^i = K^{ij} v^j";
    const std::string scaled =
        "K^{ij} = " + normal("\\sum_a \\frac{(x^{ia} - z^{ja})^2}{l_a^2}") + "\n f^i = K^{ij} v^j";
    const std::string discrepancy =
        "K^{ij} = " + normal(squares) + "\n P^{ij} = " + normal("\\sum_a (x^{ia} - x^{ja})^2") +
        "\n R^{ij} = " + normal("\\sum_a (z^{ia} - z^{ja})^2") +
        "\n M = \\operatorname{mean}_{ij}(P^{ij}) + \\operatorname{mean}_{ij}(R^{ij}) - 2 "
        "\\operatorname{mean}_{ij}(K^{ij})";
    const operands weights = {{"v", {4096}}}, scales = {{"v", {4096}}, {"l", {64}, 0, 2}};
    const pairs_case narrow{.name = "kernel-3",
                            .text = kernel,
                            .operands = with(points(3), weights),
                            .plane = "K",
                            .flops = 16 * pairs,
                            .goal = 0.42,
                            .loop = &kernel_loop};
    const pairs_case wide{.name = "kernel-64",
                          .text = kernel,
                          .operands = with(points(64), weights),
                          .plane = "K",
                          .flops = 128 * pairs,
                          .goal = 0.68};
    const pairs_case weighted{.name = "kernel-64-scaled",
                              .text = scaled,
                              .operands = with(points(64), scales),
                              .plane = "K",
                              .flops = 128 * pairs};
    auto exact = wide, far = wide;
    exact.name += "-exact", exact.exact = true, exact.goal = 0;
    far.name += "-far", far.goal = 0, far.operands = with(points(64, 100), weights);
    all.push_back(narrow);
    all.push_back(gradients(narrow, "f", {"x", "z", "v"}, {4096}, 32 * pairs, 0.35));
    all.push_back(wide);
    all.push_back(gradients(wide, "f", {"x", "z", "v"}, {4096}, 384 * pairs, 0.35));
    all.push_back(exact);
    all.push_back(far);
    all.push_back(weighted);
    all.push_back(gradients(weighted, "f", {"x", "z", "v", "l"}, {4096}, 512 * pairs));
    all.push_back({.name = "discrepancy-64",
                   .text = discrepancy,
                   .operands = points(64),
                   .plane = "K",
                   .flops = 3 * 128 * pairs,
                   .goal = 0.66});
}

/// Optimal transport, clusters and mixtures, maps of neighbours.
void add_fits(std::vector<pairs_case>& all) {
    const std::string sinkhorn =
        "C^{ij} = \\frac{1}{2} \\lVert x^{ia} - z^{ja} \\rVert^2\n"
        "f^i = -\\epsilon \\operatorname{logsumexp}_j(\\frac{g^j - C^{ij}}{\\epsilon} - \\log "
        "n_j)\n f^i\n"
        "h^j = -\\epsilon \\operatorname{logsumexp}_i(\\frac{f^i - C^{ij}}{\\epsilon} - \\log n_i)";
    const operands measures = {{"x", {2000, 3}},     {"z", {2000, 3}},
                               {"g", {2000}},        {"\\epsilon", {}, 0, 0.05f},
                               {"n_i", {}, 0, 2000}, {"n_j", {}, 0, 2000}};
    all.push_back({.name = "sinkhorn",
                   .text = sinkhorn,
                   .operands = measures,
                   .plane = "C",
                   .flops = 2 * 16 * 2000.0 * 2000,
                   .goal = 0.35,
                   .loop = &sinkhorn_loop});
    const auto means = [](const std::string& distances) {
        return "d^{ik} = " + distances +
               "\n y_i = \\operatorname{argmin}_k(d^{ik})\n n^k = \\sum_i [y_i = k]\n"
               "C^{ka} = \\frac{1}{\\max(n^k, 1)} \\sum_i [y_i = k] x^{ia}";
    };
    const operands clusters = {{"x", {20000, 16}, 0, 0, 1}, {"c", {50, 16}, 0, 0, 1}};
    all.push_back({.name = "k-means",
                   .text = means("\\sum_a (x^{ia} - c^{ka})^2"),
                   .operands = clusters,
                   .plane = "d",
                   .flops = 32.0 * 20000 * 50,
                   .by_products = means("\\sum_a (c^{ka})^2 - 2 x^{ia} c^{ka}")});
    // A step of expectation and maximisation for normal distributions, of which d are distances.
    const auto mixture = [](const std::string& distances) {
        return "\\rho^{ka} = \\frac{1}{v^{ka}}\n d^{nk} = " + distances +
               "\nS^{nk} = \\log \\pi_k - \\frac{1}{2} d^{nk} - \\frac{1}{2} \\sum_a \\log v^{ka}\n"
               "L = \\operatorname{mean}_n \\operatorname{logsumexp}_k(S^{nk})\n"
               "r^{nk} = \\operatorname{softmax}_k(S^{nk})\n"
               "N_k = \\sum_n r^{nk}\n"
               "M^{ka} = \\frac{1}{N_k} r^{nk} x^{na}\n M^{ka}\n"
               "V^{ka} = \\frac{1}{N_k} \\sum_n r^{nk} (x^{na})^2 - (M^{ka})^2 + \\epsilon\n"
               "P^k = \\frac{N_k}{\\sum_{k'} N_{k'}}";
    };
    const operands normals = {{"x", {20000, 16}, 0, 0, 1},
                              {"\\mu", {50, 16}, 0, 0, 1},
                              {"v", {50, 16}, 0, 4},
                              {"\\pi", {50}, 0, 2},
                              {"\\epsilon", {}, 0, 1e-6f}};
    all.push_back({.name = "em",
                   .text = mixture("\\sum_a \\rho^{ka} (x^{na} - \\mu^{ka})^2"),
                   .operands = normals,
                   .plane = "d",
                   .flops = 128.0 * 20000 * 50,
                   .by_products = mixture("\\sum_a \\rho^{ka} (x^{na})^2 - 2 \\sum_a \\rho^{ka} "
                                          "\\mu^{ka} x^{na} + \\sum_a \\rho^{ka} (\\mu^{ka})^2")});
    const std::string neighbours =
        "w^{ij} = \\frac{1}{1 + \\sum_a (y^{ia} - y^{ja})^2}\n"
        "Z = \\sum_{ij} [i \\ne j] w^{ij}\n"
        "L = \\log(Z) - \\sum_{ij} p^{ij} \\log(w^{ij})";
    const pairs_case map{.name = "t-sne",
                         .text = neighbours,
                         .operands = {{"y", {4096, 2}}, {"p", {4096, 4096}}},
                         .plane = "w",
                         .flops = 16 * pairs};
    all.push_back(map);
    all.push_back(gradients(map, "L", {"y"}, {}, 32 * pairs, 0.40));
}

void add_losses(std::vector<pairs_case>& all) {
    const std::string scores = "S^{ij} = Q^{ia} K^{ja}\n l^i = \\operatorname{logsumexp}_j(S^{ij})";
    const std::string loss =
        "Z^{iv} = X^{ia} U^{va}\n"
        "L = \\operatorname{mean}_i(\\operatorname{logsumexp}_v(Z^{iv}) - Z^{i y_i})";
    const std::string late =
        "S^{nij} = Q^{ia} D^{nja}\n m^{ni} = \\max_j(S^{nij})\n s^n = \\sum_i m^{ni}";
    const std::string sigmoid =
        "S^{ij} = 2 X^{ia} Y^{ja}\n"
        "L = \\operatorname{mean}_i(\\sum_j \\operatorname{softplus}(S^{ij})) - "
        "\\operatorname{mean}_i(S^{ii})";
    all.push_back({.name = "logsumexp",
                   .text = scores,
                   .operands = {{"Q", {4096, 64}}, {"K", {4096, 64}}},
                   .plane = "S",
                   .flops = 128 * pairs,
                   .goal = 0.75});
    const double words = 2048.0 * 16384 * 512;
    const pairs_case entropy{
        .name = "cross-entropy",
        .text = loss,
        .operands = {{"X", {2048, 512}}, {"U", {16384, 512}}, {"y", {2048}, 16384}},
        .plane = "Z",
        .flops = 2 * words,
        .goal = 0.80};
    all.push_back(entropy);
    all.push_back(gradients(entropy, "L", {"X", "U"}, {}, 6 * words, 0.65));
    const double terms = 32.0 * 256 * 180 * 128;
    const pairs_case similar{.name = "maxsim",
                             .text = late,
                             .operands = {{"Q", {32, 128}}, {"D", {256, 180, 128}}},
                             .plane = "S",
                             .flops = 2 * terms,
                             .goal = 0.75};
    all.push_back(similar);
    all.push_back(gradients(similar, "s", {"Q", "D"}, {256}, 6 * terms));
    const pairs_case signs{.name = "sigmoid-loss",
                           .text = sigmoid,
                           .operands = {{"X", {4096, 64}}, {"Y", {4096, 64}}},
                           .plane = "S",
                           .flops = 128 * pairs,
                           .goal = 0.55};
    all.push_back(signs);
    all.push_back(gradients(signs, "L", {"X", "Y"}, {}, 384 * pairs, 0.55));
}

/// Attention with a bias that all rows of a batch share, and one query against a long cache.
void add_attention(std::vector<pairs_case>& all) {
    const std::string biased =
        "S^{hijk} = 0.176776695 q^{hija} t^{hika} + b^{hjk}\n"
        "A^{hijk} = \\operatorname{softmax}_k(S^{hijk})\n O^{hija} = A^{hijk} v^{hika}";
    const std::vector<std::size_t> rows = {4, 192, 192, 32};
    const double terms = 4.0 * 192 * 192 * 192 * 32;
    const pairs_case triangle{
        .name = "triangle-attention",
        .text = biased,
        .operands = {{"q", rows, 0, 0, 1}, {"t", rows, 0, 0, 1}, {"v", rows}, {"b", {4, 192, 192}}},
        .plane = "S",
        .flops = 4 * terms,
        .goal = 0.62};
    all.push_back(triangle);
    auto with_bias = triangle, bias = triangle;
    bias.name = "bias";
    all.push_back(gradients(with_bias, "O", {"q", "t", "v", "b"}, rows, 12 * terms, 0.62));
    all.push_back(gradients(bias, "O", {"b"}, rows, 6 * terms, 0.62));
    const std::string query =
        "S^{hj} = 0.0883883476 q^{ha} t^{hja}\n A^{hj} = \\operatorname{softmax}_j(S^{hj})\n"
        "O^{ha} = A^{hj} v^{hja}";
    const auto one = [&](const std::string& name, std::size_t heads, std::size_t keys) {
        const std::vector<std::size_t> cache = {heads, keys, 128};
        all.push_back(
            {.name = name,
             .text = query,
             .operands = {{"q", {heads, 128}, 0, 0, 1}, {"t", cache, 0, 0, 1}, {"v", cache}},
             .plane = "S",
             .bytes = 8.0 * static_cast<double>(heads * keys * 128)});
    };
    one("one-query", 32, 4096);
    one("one-query-one-head", 1, 65536);
}

}  // namespace

std::vector<pairs_case> pairs_cases() {
    std::vector<pairs_case> all;
    add_distances(all);
    add_kernels(all);
    add_fits(all);
    add_losses(all);
    add_attention(all);
    return all;
}

}  // namespace ricci::bench
