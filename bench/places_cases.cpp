#include "bench/places_cases.hpp"

#include <utility>

namespace ricci::bench {
namespace {

using extents = std::map<char, long>;

place_case heat(const std::string& edge, const std::string& name, long n, place_loops loops) {
    const auto at = [&](const std::string& sum) {
        return "\\operatorname{" + edge + "}(" + sum + ")";
    };
    place_case c;
    c.name = name;
    c.text = "u^{ij} = v^{ij} + 0.1 (v^{" + at("i-1") + " j} + v^{" + at("i+1") + " j} + v^{i " +
             at("j-1") + "} + v^{i " + at("j+1") + "} - 4 v^{ij})";
    c.operands = {{"v", "ij"}};
    c.outputs = {{"u", "ij"}};
    c.extents = {{'i', n}, {'j', n}};
    c.small = {{'i', 64}, {'j', 64}};
    c.loops = loops;
    c.goal = 1;
    return c;
}

void add_heat(std::vector<place_case>& all) {
    all.push_back(heat("wrap", "heat-wrap", 1024, heat_wrap));
    all.push_back(heat("clamp", "heat-clamp", 1024, heat_clamp));
    all.push_back(heat("wrap", "heat-wrap-large", 4096, heat_wrap));
    all.back().beside = peer::copy;
    all.back().copied = "ij";
    all.back().goal = 0.8;
}

void add_embedding(std::vector<place_case>& all) {
    place_case c;
    c.name = "embedding-bag";
    c.text = "Y^{ba} = \\sum_k w^{bk} E^{n_{bk} a}";
    c.operands = {{"w", "bk"}, {"E", "va"}, {"n", "bk", 'v'}};
    c.outputs = {{"Y", "ba"}};
    c.extents = {{'v', 50000}, {'a', 128}, {'b', 4096}, {'k', 32}};
    c.small = {{'v', 500}, {'a', 32}, {'b', 32}, {'k', 8}};
    c.loops = embedding_bag;
    c.goal = 1;
    all.push_back(c);
    all.push_back(gradients(c, "Y", {"w", "E"}, embedding_bag_gradients, 0.6));
}

void add_products_of_rows(std::vector<place_case>& all) {
    place_case c;
    c.name = "looked-up-rows";
    c.text = "Y^{bc} = E^{n^b a} W^{ac}";
    c.rows_first = "T^{ba} = E^{n^b a}";
    c.product_then = "Y^{bc} = T^{ba} W^{ac}";
    c.operands = {{"E", "va"}, {"W", "ac"}, {"n", "b", 'v'}};
    c.outputs = {{"Y", "bc"}};
    c.extents = {{'v', 50000}, {'a', 64}, {'b', 16384}, {'c', 64}};
    c.small = {{'v', 500}, {'a', 16}, {'b', 40}, {'c', 8}};
    c.counted = "bac";
    c.loops = looked_up_rows;
    c.beside = peer::apart;
    c.goal = 1;
    all.push_back(c);
    c.name = "summed-rows";
    c.text = "Y^{ac} = \\sum_b E^{n^b a} W^{bc}";
    c.product_then = "Y^{ac} = \\sum_b T^{ba} W^{bc}";
    c.operands[1] = {"W", "bc"};
    c.outputs = {{"Y", "ac"}};
    c.loops = summed_rows;
    all.push_back(c);
    c.name = "rows-of-heads";
    c.text = "Y^{hbc} = E^{n_{hb} a} W^{hac}";
    c.rows_first = "T^{hba} = E^{n_{hb} a}";
    c.product_then = "Y^{hbc} = T^{hba} W^{hac}";
    c.operands = {{"E", "va"}, {"W", "hac"}, {"n", "hb", 'v'}};
    c.outputs = {{"Y", "hbc"}};
    c.extents = {{'v', 5000}, {'a', 32}, {'b', 256}, {'c', 32}, {'h', 16}};
    c.small = {{'v', 500}, {'a', 16}, {'b', 40}, {'c', 8}, {'h', 3}};
    c.counted = "hbac";
    c.loops = rows_of_heads;
    all.push_back(c);
    c.name = "bags-of-rows";
    c.text = "Y^{bc} = \\sum_{k,a} E^{n_{bk} a} W^{kac}";
    c.rows_first = "T^{bka} = E^{n_{bk} a}";
    c.product_then = "Y^{bc} = T^{bka} W^{kac}";
    c.operands = {{"E", "va"}, {"W", "kac"}, {"n", "bk", 'v'}};
    c.outputs = {{"Y", "bc"}};
    c.extents = {{'v', 50000}, {'a', 32}, {'b', 4096}, {'c', 64}, {'k', 16}};
    c.small = {{'v', 500}, {'a', 16}, {'b', 40}, {'c', 8}, {'k', 3}};
    c.counted = "bkac";
    c.loops = bags_of_rows;
    all.push_back(c);
    c.product_then = "G^{kac} = T^{bka} \\frac{\\partial L}{\\partial Y^{bc}}";
    all.push_back(gradients(c, "Y", {"W"}, bags_of_rows_gradient, 1));
    c.name = "bags-of-wanted-rows";
    c.text = "Y^{bc} = \\sum_{k,a} [n_{bk} \\ge 0] E^{n_{bk} a} W^{kac}";
    c.rows_first = "T^{bka} = [n_{bk} \\ge 0] E^{n_{bk} a}";
    c.product_then = "Y^{bc} = T^{bka} W^{kac}";
    c.loops = bags_of_rows;
    all.push_back(c);
}

void add_convolutions(std::vector<place_case>& all) {
    const std::string padded = ",\\operatorname{pad}(h+k-1),\\operatorname{pad}(w+l-1)}";
    place_case c;
    c.name = "convolution";
    c.text = "Y^{nohw} = X^{n,c" + padded + " W^{ockl}";
    c.operands = {{"X", "nchw"}, {"W", "ockl"}};
    c.outputs = {{"Y", "nohw"}};
    c.given = "hw";
    c.extents = {{'n', 8}, {'c', 64}, {'h', 56}, {'w', 56}, {'o', 64}, {'k', 3}, {'l', 3}};
    c.small = {{'n', 2}, {'c', 4}, {'h', 10}, {'w', 12}, {'o', 4}, {'k', 3}, {'l', 3}};
    c.counted = "nohwckl";
    c.loops = convolution;
    c.beside = peer::product;
    c.goal = 0.85;
    all.push_back(c);
    c.times = 2;
    all.push_back(gradients(c, "Y", {"X", "W"}, convolution_gradients, 0.75));

    place_case s;
    s.name = "strided";
    s.text = "Y^{noq} = X^{n,c,2q+k} W^{ock}";
    s.operands = {{"X", "ncP"}, {"W", "ock"}};
    s.outputs = {{"Y", "noq"}};
    s.extents = {{'n', 32}, {'c', 64}, {'P', 2049}, {'q', 1024}, {'o', 64}, {'k', 3}};
    s.small = {{'n', 2}, {'c', 4}, {'P', 65}, {'q', 32}, {'o', 4}, {'k', 3}};
    s.counted = "noqck";
    s.loops = strided;
    s.beside = peer::peak;
    s.goal = 0.75;
    all.push_back(s);
    all.push_back(gradients(s, "Y", {"X", "W"}, strided_gradients, 0.6));

    place_case d = all[all.size() - 4];
    d.name = "depthwise";
    d.text = "Y^{nchw} = X^{n,c" + padded + " W^{ckl}";
    d.operands[1] = {"W", "ckl"};
    d.outputs = {{"Y", "nchw"}};
    d.counted = "nchwkl";
    d.loops = depthwise;
    d.beside = peer::copy;
    d.copied = "nchw";
    d.goal = 0.4;
    all.push_back(d);
}

/// Convolutions of other shapes, of which only the part of the peak is told.
void add_other_convolutions(std::vector<place_case>& all) {
    const auto add = [&](const char* name, const char* text, std::vector<place_operand> operands,
                         place_operand out, const char* given, const char* counted, extents big,
                         extents small) {
        place_case c;
        c.name = name;
        c.text = text;
        c.operands = std::move(operands);
        c.outputs = {std::move(out)};
        c.given = given;
        c.counted = counted;
        c.extents = std::move(big);
        c.small = std::move(small);
        c.beside = peer::peak;
        all.push_back(std::move(c));
    };
    const char* const pads =
        "Y^{ngohw} = X^{n,g,c,\\operatorname{pad}(h+k-1),"
        "\\operatorname{pad}(w+l-1)} W^{gockl}";
    add("dilated", "Y^{nohw} = X^{n,c,h+2k,w+2l} W^{ockl}", {{"X", "ncHV"}, {"W", "ockl"}},
        {"Y", "nohw"}, "", "nohwckl",
        {{'n', 8},
         {'c', 64},
         {'H', 56},
         {'V', 56},
         {'h', 52},
         {'w', 52},
         {'o', 64},
         {'k', 3},
         {'l', 3}},
        {{'n', 2},
         {'c', 4},
         {'H', 12},
         {'V', 12},
         {'h', 8},
         {'w', 8},
         {'o', 4},
         {'k', 3},
         {'l', 3}});
    add("grouped", pads, {{"X", "ngchw"}, {"W", "gockl"}}, {"Y", "ngohw"}, "hw", "ngohwckl",
        {{'n', 8}, {'g', 4}, {'c', 16}, {'h', 56}, {'w', 56}, {'o', 16}, {'k', 3}, {'l', 3}},
        {{'n', 2}, {'g', 2}, {'c', 2}, {'h', 8}, {'w', 8}, {'o', 2}, {'k', 3}, {'l', 3}});
    add("transposed", "Y^{nop} = \\sum_{c,q,k} [p = 2q + k] X^{ncq} W^{cok}",
        {{"X", "ncq"}, {"W", "cok"}}, {"Y", "nop"}, "p", "ncqok",
        {{'n', 32}, {'c', 64}, {'q', 1024}, {'o', 64}, {'k', 3}, {'p', 2049}},
        {{'n', 2}, {'c', 4}, {'q', 16}, {'o', 4}, {'k', 3}, {'p', 33}});
    add("convolution-1d", "Y^{noq} = X^{n,c,\\operatorname{pad}(q+k-1)} W^{ock}",
        {{"X", "ncq"}, {"W", "ock"}}, {"Y", "noq"}, "q", "noqck",
        {{'n', 32}, {'c', 64}, {'q', 2048}, {'o', 64}, {'k', 3}},
        {{'n', 2}, {'c', 4}, {'q', 32}, {'o', 4}, {'k', 3}});
    add("convolution-3d",
        "Y^{nodhw} = X^{n,c,\\operatorname{pad}(d+j-1),\\operatorname{pad}(h+k-1),"
        "\\operatorname{pad}(w+l-1)} W^{ocjkl}",
        {{"X", "ncdhw"}, {"W", "ocjkl"}}, {"Y", "nodhw"}, "dhw", "nodhwcjkl",
        {{'n', 2},
         {'c', 32},
         {'d', 16},
         {'h', 28},
         {'w', 28},
         {'o', 32},
         {'j', 3},
         {'k', 3},
         {'l', 3}},
        {{'n', 1}, {'c', 2}, {'d', 5}, {'h', 6}, {'w', 6}, {'o', 2}, {'j', 3}, {'k', 3}, {'l', 3}});
}

void add_linear_attention(std::vector<place_case>& all) {
    place_case a;
    a.name = "linear-attention";
    a.text = "O^{hic} = \\sum_{j \\le i} Q^{hia} K^{hja} V^{hjc}";
    a.operands = {{"Q", "hia"}, {"K", "hja"}, {"V", "hjc"}};
    a.outputs = {{"O", "hic"}};
    a.extents = {{'h', 8}, {'i', 4096}, {'j', 4096}, {'a', 64}, {'c', 64}};
    a.small = {{'h', 2}, {'i', 350}, {'j', 350}, {'a', 16}, {'c', 16}};
    a.loops = linear_attention;
    // By chunks of 64 there are 2 n (2 a c + 64 (a + c)) operations a head: 8 n a c, where a and c
    // are 64.
    a.counted = "hiac";
    a.counted_times = 4;
    a.beside = peer::peak;
    a.goal = 0.5;
    // Three products of each kind by the same chunks.
    const auto add = [&](const place_case& c, place_loops slopes) {
        all.push_back(c);
        all.push_back(gradients(c, "O", {"Q", "K", "V"}, slopes, 0.5));
    };
    add(a, linear_attention_gradients);
    a.name = "linear-attention-scores";
    a.text = "S^{hij} = [j \\le i] Q^{hia} K^{hja}\nO^{hic} = S^{hij} V^{hjc}";
    add(a, linear_attention_gradients);
    a.name = "linear-attention-shifted";
    a.text = "O^{hic} = \\sum_{j \\le i + 2} Q^{hia} K^{hja} V^{hjc}";
    a.extents['j'] = 4000;
    a.small['j'] = 330;
    a.loops = shifted_attention;
    add(a, shifted_attention_gradients);
}

void add_prefixes(std::vector<place_case>& all) {
    const auto up_to = [](const std::string& sign) {
        return "m^{bi} = " + sign +
               "_j(\\begin{cases} x^{bj} & \\text{if } j \\le i \\\\ -\\infty & "
               "\\text{otherwise} \\end{cases})";
    };
    place_case c;
    c.name = "prefix-sums";
    c.text = "c^{bi} = \\sum_{j \\le i} x^{bj}";
    c.operands = {{"x", "bi"}};
    c.outputs = {{"c", "bi"}};
    c.extents = {{'b', 64}, {'i', 30000}};
    c.small = {{'b', 4}, {'i', 100}};
    c.beside = peer::copy;
    c.copied = "bi";
    c.loops = prefix_sums;
    c.goal = 0.3;
    all.push_back(c);
    all.push_back(gradients(c, "c", {"x"}, prefix_sums_gradient, 0.3));
    c.outputs = {{"m", "bi"}};
    c.given = "i";
    c.goal = 0;
    c.name = "prefix-maxima";
    c.text = up_to("\\max");
    c.loops = prefix_maxima;
    all.push_back(c);
    c.name = "prefix-logsumexp";
    c.text = up_to("\\operatorname{logsumexp}");
    c.loops = prefix_logsumexp;
    all.push_back(c);
    // Their gradients, of which plain loops over all pairs would take minutes.
    all.push_back(gradients(c, "m", {"x"}, prefix_logsumexp_gradient, 0.1));
    c.name = "prefix-maxima";
    c.text = up_to("\\max");
    all.push_back(gradients(c, "m", {"x"}, prefix_maxima_gradient, 0.1));
    c.name = "prefix-products";
    c.text = "m^{bi} = \\prod_{j \\le i} (1 + 0.1 x^{bj})";
    all.push_back(gradients(c, "m", {"x"}, prefix_products_gradient, 0.1));
    add_linear_attention(all);
}

void add_lines(std::vector<place_case>& all) {
    place_case v;
    v.name = "variation";
    v.text = "L = \\sum_i \\sqrt{(x^{i+1} - x^i)^2 + 0.01}";
    v.operands = {{"x", "i"}};
    v.outputs = {{"L", ""}};
    v.extents = {{'i', 4000000}};
    v.small = {{'i', 200}};
    v.beside = peer::copy;
    v.copied = "i";
    all.push_back(gradients(v, "L", {"x"}, variation_gradient, 0.2));
    for (const bool wraps : {false, true}) {
        place_case c = v;
        c.name = wraps ? "copy-wrap" : "copy-clamp";
        c.text = std::string("u^i = v^{\\operatorname{") + (wraps ? "wrap" : "clamp") + "}(i-1)}";
        c.operands = {{"v", "i"}};
        c.outputs = {{"u", "i"}};
        c.given = "i";
        c.loops = wraps ? copy_wrap : copy_clamp;
        c.goal = 0.25;
        all.push_back(c);
        all.push_back(
            gradients(c, "u", {"v"}, wraps ? copy_wrap_gradient : copy_clamp_gradient, 0.2));
    }
    place_case g;
    g.name = "guarded";
    g.text = "y^{ij} = [i \\ge 3] [j \\ge 3] x^{i-3,j-3}";
    g.operands = {{"x", "ij"}};
    g.outputs = {{"y", "ij"}};
    g.given = "ij";
    g.extents = {{'i', 2048}, {'j', 2048}};
    g.small = {{'i', 50}, {'j', 60}};
    g.loops = guarded;
    g.beside = peer::copy;
    g.copied = "ij";
    all.push_back(g);
}

void add_scattered(std::vector<place_case>& all) {
    place_case c;
    c.name = "scatter";
    c.text = "Y^{va} = \\sum_i [v = x_i] X^{ia}";
    c.operands = {{"x", "i", 'v'}, {"X", "ia"}};
    c.outputs = {{"Y", "va"}};
    c.given = "v";
    c.extents = {{'v', 20000}, {'a', 64}, {'i', 100000}};
    c.small = {{'v', 50}, {'a', 16}, {'i', 200}};
    c.loops = scatter;
    c.beside = peer::rows;
    c.goal = 1.0 / 3;
    all.push_back(c);
    all.push_back(gradients(c, "Y", {"X"}, scatter_gradient, 0.5));

    place_case g;
    g.name = "graph-layer";
    g.text = "H^{va} = \\sum_f [v = t_f] w_f X^{s_f a}";
    g.operands = {{"t", "f", 'v'}, {"s", "f", 'v'}, {"w", "f"}, {"X", "va"}};
    g.outputs = {{"H", "va"}};
    g.given = "v";
    g.extents = {{'v', 20000}, {'a', 64}, {'f', 100000}};
    g.small = {{'v', 50}, {'a', 16}, {'f', 200}};
    g.loops = graph_layer;
    g.goal = 1;
    all.push_back(g);
    all.push_back(gradients(g, "H", {"w", "X"}, graph_layer_gradients, 0));
}

}  // namespace

place_case gradients(place_case c, const std::string& of, std::vector<std::string> by,
                     place_loops loops, double goal) {
    c.of = of;
    c.by = std::move(by);
    const auto out = c.outputs[0];
    c.outputs.clear();
    for (const auto& name : c.by)
        for (const auto& o : c.operands)
            if (o.name == name) c.outputs.push_back({"dL/d" + name, o.letters});
    place_operand slope{"dL/d" + of, out.letters};
    if (out.letters.empty()) slope.mean = 1, slope.spread = 0;
    c.operands.push_back(slope);
    c.name += c.by.size() > 1 ? "-gradients" : "-gradient";
    c.loops = loops;
    c.goal = goal;
    c.counted_times *= static_cast<double>(c.by.size());
    return c;
}

std::vector<place_case> place_cases(bool small) {
    std::vector<place_case> all;
    add_heat(all);
    add_embedding(all);
    add_products_of_rows(all);
    add_convolutions(all);
    add_other_convolutions(all);
    add_prefixes(all);
    add_lines(all);
    add_scattered(all);
    for (auto& c : cliff_cases()) all.push_back(std::move(c));
    for (auto& c : all)
        if (small) c.extents = c.small;
    return all;
}

}  // namespace ricci::bench
