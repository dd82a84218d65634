// Extents: from the operands' shapes to every index and every tensor, and what is said when two
// extents disagree or one stays open.
#include <ricci/ir/shapes.hpp>

#include "tests/static/support.hpp"

namespace {

using namespace ricci::ir;
using ricci::testing::contains;

struct shape {
    text_view name;
    std::int32_t rank;
    std::int64_t extents[4];
};

/// Runs the inference on a text with the shapes of some tensors and hands the table to `body`.
template <std::size_t N, class Body>
constexpr bool inferred(text_view text, const shape (&shapes)[N], Body body, bool complete = true) {
    const auto read = ricci::notation::parse_equations(text);
    if (read.mistake) return false;
    const program_view p = read.program;
    shape_table table(p);
    for (const shape& s : shapes)
        if (p.find(s.name) != none) table.set_shape(p.find(s.name), s.rank, s.extents);
    const mistake m = infer_shapes(p, table, complete);
    return body(p, table, m);
}
template <std::size_t N>
constexpr bool has_shape(text_view text, const shape (&shapes)[N], const shape& expected) {
    return inferred(text, shapes,
                    [&](const program_view& p, const shape_table& t, const mistake& m) {
                        const ref n = p.find(expected.name);
                        bool same = !m && t.rank(n) == expected.rank;
                        for (std::int32_t k = 0; same && k < expected.rank; ++k)
                            same = t.extent(n, k) == expected.extents[k];
                        return same;
                    });
}
template <std::size_t N>
constexpr bool refused(text_view text, const shape (&shapes)[N], mistake_kind kind, text_view words,
                       bool complete = true) {
    return inferred(
        text, shapes,
        [&](const program_view&, const shape_table&, const mistake& m) {
            return m.kind == kind && contains(m.words, words);
        },
        complete);
}

constexpr shape x23[] = {{"X", 2, {2, 3}}, {"W", 2, {3, 5}}};

static_assert(has_shape("Y^{ik} = X^{ij} W^{jk}", x23, {"Y", 2, {2, 5}}));
static_assert(has_shape("Z^{ik} = X^{ij} W^{jk}; Y^{ki} = \\exp(Z^{ik})", x23, {"Y", 2, {5, 2}}));
// what is bound in two terms has an extent in each
static_assert(has_shape("Y = X^{ij} X^{ij} + W^{ij} W^{ij}", x23, {"Y", 0, {}}));
static_assert(has_shape("Y^i = \\sum_j X^{ij} - \\max_j V^{ij}",
                        {{"X", 2, {2, 3}}, {"V", 2, {2, 7}}}, {"Y", 1, {2}}));
static_assert(refused("Y = X^{ij} W^{ij}", x23, mistake_kind::extents, "the index i has extent 2"));

// a derivative has the axes of what it is of, with another in front in a batch
constexpr text_view beside =
    R"(Y = \sum_i x^i; Z = \sum_{p} \sum_{b} \frac{\partial L}{\partial x^{bp}})";
constexpr text_view alike = R"(Y = \sum_i x^i; Z = \sum_{p} \frac{\partial L}{\partial x^{p}})";
static_assert(has_shape(alike, {{"x", 1, {3}}, {"dL/dx", 1, {3}}}, {"Z", 0, {}}));
static_assert(refused(alike, {{"x", 1, {3}}, {"dL/dx", 1, {5}}}, mistake_kind::extents,
                      "axis 0 of dL/dx has extent 5 and axis 0 of x has 3"));
static_assert(has_shape(beside, {{"x", 1, {3}}, {"dL/dx", 2, {5, 3}}}, {"Z", 0, {}}));
static_assert(refused("Y^i = \\sum_j X^{ij} + \\sum_j W^{ij}", x23, mistake_kind::extents,
                      "the index i has extent 2 in axis 0 of X and 3 in axis 0 of W"));
static_assert(has_shape("Y^{(ij)} = X^{ij}", x23, {"Y", 1, {6}}));
// an axis without places is divided by an index without places whatever the other part is
static_assert(refused("Y = \\sum_{h,a} Z^h X^{(ha)}", {{"Z", 1, {0}}, {"X", 1, {0}}},
                      mistake_kind::unknown_extent,
                      "the shapes do not give the extent of the index a"));
static_assert(refused("Y = \\sum_{h,a} Z^h X^{(ha)}", {{"Z", 1, {0}}, {"X", 1, {2}}},
                      mistake_kind::extents, "which 0, the extent of h, does not divide"));
static_assert(has_shape("Y^a = V^a + \\sum_h Z^h X^{(ha)}",
                        {{"Z", 1, {0}}, {"X", 1, {0}}, {"V", 1, {3}}}, {"Y", 1, {3}}));
static_assert(has_shape("Y^{j1} = X^{0j}; Y^{j0} = X^{1j}", x23, {"Y", 2, {3, 2}}));
static_assert(has_shape("Y^{ij'} = \\sum_j X^{ij}", x23, {"Y", 2, {2, 3}}) ==
              false);  // j' stands on the left alone
static_assert(has_shape("Y^{ij} = [j = j'] X^{ij'}", x23, {"Y", 2, {2, 3}}));  // j is as long as j'

// What is between indices of one letter, or between a letter and a condition, is for the caller.
constexpr shape two[] = {{"x", 1, {6}}, {"w", 1, {4}}, {"b", 1, {3}}};
static_assert(
    refused("y = \\sum_j x^j + \\sum_j w^j + \\sum_{j'} c", two, mistake_kind::extents,
            "nothing says which extent the index j' has: 6 in axis 0 of x, or 4 in axis 0 "
            "of w; bind it: \"j'\"_i = ..., or write its axis behind the equation: "
            "j' \\in \\operatorname{axis}_0(x)"));
static_assert(refused("y = \\sum_{j'} x^{j'} + \\sum_{j''} w^{j''} + \\sum_j c", two,
                      mistake_kind::extents, "which extent the index j has: 6"));
static_assert(refused("y^i = b^i \\sum_{j'} [j' \\ge i] \\sum_j x^j", two, mistake_kind::extents,
                      "which extent the index j' has: 3 in axis 0 of b, or 6 in axis 0 of x"));
static_assert(refused("y^{ik} = b^i x^k \\sum_j [j \\ge i] [j \\ge k]", two, mistake_kind::extents,
                      "which extent the index j has: 3 in axis 0 of b, or 6 in axis 0 of x"));
static_assert(refused("y^i = b^i \\sum_{k} ([k \\ge i] \\sum_j [j = k] w^{j})", two,
                      mistake_kind::extents, "which extent the index k has"));
// an axis that is said is that of a tensor that is known, whatever else would give the extent
static_assert(refused("y^i = x^i, \\quad i \\in \\operatorname{axis}_0(z)", two,
                      mistake_kind::unknown_extent, "the extent of the index i"));
// j itself comes before j'', and what is around, through all sums, before both
constexpr bool is_as_long(text_view text, text_view index, std::int64_t extent) {
    return inferred(text, two, [&](const program_view& p, const shape_table& t, const mistake& m) {
        for (ref i = 0; i < p.indices.size(); ++i)
            if (p.index(i) == index) return !m && t.index_extent(0, i) == extent;
        return false;
    });
}
static_assert(is_as_long("y = \\sum_j x^j + \\sum_{j''} w^{j''} + \\sum_{j'} c", "j'", 6));
static_assert(is_as_long("y^{k'} = b^{k'} (\\sum_k x^k) \\sum_{k''} \\sum_{k'''} c", "k'''", 3));

constexpr shape merged[] = {{"P", 2, {5, 12}}, {"W", 2, {3, 7}}};
static_assert(has_shape("Y^{hia} = P^{i(ha)} \\sum_b W^{hb}", merged, {"Y", 3, {3, 5, 4}}));

constexpr shape convolved[] = {{"x", 1, {12}}, {"w", 1, {3}}};
static_assert(has_shape("Y^{i} = x^{i+k} w^{k}", convolved, {"Y", 1, {10}}));
static_assert(has_shape("Y^{i} = x^{2i+1}", convolved, {"Y", 1, {6}}));
constexpr shape toeplitz[] = {{"q", 1, {5}}, {"b", 1, {10}}};
static_assert(has_shape("Y^{ij} = q^{i} b^{i-j}", toeplitz, {"Y", 2, {5, 6}}));

// Mistakes name the equation, the index, both tensors, their axes and both extents.
constexpr shape disagree[] = {{"X", 2, {2, 3}}, {"W", 2, {4, 5}}};
static_assert(refused(
    "Y^{ik} = X^{ij} W^{jk}", disagree, mistake_kind::extents,
    "in Y^{ik} = X^{ij} W^{jk} : the index j has extent 3 in axis 1 of X and 4 in axis 0 of W"));
static_assert(refused("Y^{hia} = P^{i(ha)} \\sum_b W^{hb}", {{"P", 2, {5, 10}}, {"W", 2, {3, 7}}},
                      mistake_kind::extents, "axis 1 of P has extent 10"));
static_assert(refused("Y^{hia} = P^{i(ha)}", {{"P", 2, {5, 12}}}, mistake_kind::unknown_extent,
                      "\"h\"_i = ..."));
static_assert(refused("Y^{i} = x^{i} z^{i+1}", {{"x", 1, {5}}, {"z", 1, {5}}},
                      mistake_kind::extents, "axis 0 of z has extent 5"));
static_assert(refused("Y^{i} = x^{i}", {{"x", 2, {5, 5}}}, mistake_kind::rank, "x has rank 2"));

// At compile time some extents may be open; what is known is still compared.
static_assert(inferred(
    "Y^{ik} = X^{ij} W^{jk}", {{"X", 2, {open_extent, 3}}, {"W", 2, {3, 5}}},
    [](const program_view& p, const shape_table& t, const mistake& m) {
        return !m && t.extent(p.find("Y"), 0) == open_extent && t.extent(p.find("Y"), 1) == 5;
    },
    false));
static_assert(refused("Y^{ik} = X^{ij} W^{jk}", {{"X", 2, {open_extent, 3}}, {"W", 2, {4, 5}}},
                      mistake_kind::extents, "3 in axis 1 of X and 4 in axis 0 of W", false));

// An index beside its own arithmetic runs as far as all places of the tensor are inside.
constexpr shape line[] = {{"x", 1, {7}}};
static_assert(has_shape("y_i = x_{i+1} - x_i", line, {"y", 1, {6}}));
static_assert(has_shape("y_i = x_{i+2} - 2 x_{i+1} + x_i", line, {"y", 1, {5}}));
static_assert(has_shape("y_i = x_{2i} + x_{2i+1}", line, {"y", 1, {3}}));
static_assert(has_shape("y_i = z_i (x_{i+1} - x_i)", {{"x", 1, {7}}, {"z", 1, {4}}},
                        {"y", 1, {4}}));
static_assert(refused("y_i = z_i (x_{i+1} - x_i)", {{"x", 1, {7}}, {"z", 1, {7}}},
                      mistake_kind::extents, "reach from 0 to 7"));
// On every axis of the tensor: above the diagonal there is one place less.
static_assert(has_shape("y_i = W_{i,i+1} - W_{i,i}", {{"W", 2, {7, 7}}}, {"y", 1, {6}}));
static_assert(has_shape("y_{ij} = W_{i+1,j} - W_{j,i}", {{"W", 2, {7, 7}}}, {"y", 2, {6, 7}}));
static_assert(has_shape("y_{ij} = W_{i,j+1} - W_{ij}", {{"W", 2, {5, 7}}}, {"y", 2, {5, 6}}));
// ... or as far as the index that a condition compares it with.
static_assert(has_shape("c^i = \\sum_j [j \\le i] x^j", line, {"c", 1, {7}}));
static_assert(has_shape("c^i = \\sum_{j \\le i} \\sum_{k \\le j} x^k", line, {"c", 1, {7}}));
static_assert(has_shape("y_i = z_i + [i \\ge 1] x_{i-1}", {{"x", 1, {7}}, {"z", 1, {7}}},
                        {"y", 1, {7}}));
// A tensor of positions alone has the extents of its uses.
constexpr shape scores[] = {{"S", 2, {3, 4}}};
constexpr text_view masked =
    R"(M^{ij} = \begin{cases} 0 & \text{if } j \le i \\ -\infty & \text{otherwise} \end{cases}
A^{ij} = \exp(S^{ij} + M^{ij}))";
static_assert(has_shape(masked, scores, {"M", 2, {3, 4}}));
static_assert(has_shape("g_{jc} = \\delta_{jc}\nx = g_{jc} v^c v_j", {{"v", 1, {4}}},
                        {"g", 2, {4, 4}}));
static_assert(refused("M^{ij} = [j \\le i] i\nA^{ij} = S^{ij} M^{ij} + S^{ji} M^{ji}", scores,
                      mistake_kind::extents, "has extent"));
static_assert(refused("M^{ij} = [j \\le i]\nA^{ij} = 2 M^{ij}", scores,
                      mistake_kind::unknown_extent, "\"i\"_i"));
// Places and sizes that 64 bits cannot count.
static_assert(refused("y^{ij} = x^{4i} + z^i + b^j",
                      {{"x", 1, {7}}, {"z", 1, {std::int64_t{1} << 62}}, {"b", 1, {1}}},
                      mistake_kind::extents, "beyond what 64 bits can count"));
static_assert(refused("y^{ij} = z^i + z^j", {{"z", 1, {std::int64_t{1} << 40}}},
                      mistake_kind::extents, "more elements than memory has addresses"));

}  // namespace
