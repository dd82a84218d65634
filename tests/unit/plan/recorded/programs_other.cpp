// Recorded programs of contractions, gathers, folds, normalisations, layers, and other types.
#include "tests/unit/plan/recorded/programs.hpp"

namespace ricci::testing {
namespace {

const std::string layer_norm = R"(
    \mu^i = \operatorname{mean}_a X^{ia}
    v^i = \operatorname{mean}_a ((X^{ia} - \mu^i)^2)
    Y^{ia} = \gamma^a \frac{X^{ia} - \mu^i}{\sqrt{v^i + 0.00001}} + \beta^a
)";
const std::string batch_norm = R"(
    \mu^a = \operatorname{mean}_n X^{na}
    v^a = \operatorname{mean}_n ((X^{na} - \mu^a)^2)
    Y^{na} = \gamma^a (X^{na} - \mu^a) (v^a + 0.00001)^{-1/2} + \beta^a
)";
const std::string rms_norm =
    R"(Y^{ia} = \frac{X^{ia}}{\sqrt{\operatorname{mean}_b ((X^{ib})^2) + 0.00001}} g^a)";
const std::string group_norm = R"(
    \mu^{ng} = \operatorname{mean}_c X^{n(gc)}
    v^{ng} = \operatorname{mean}_c ((X^{n(gc)} - \mu^{ng})^2)
    Y^{n(gc)} = \frac{X^{n(gc)} - \mu^{ng}}{\sqrt{v^{ng} + 0.00001}}
)";
const std::string embedding = R"(E^{ia} = T^{x_i a} + P^{ia})";
const std::string one_hot = R"(Y^{ia} = \sum_v [v = x_i] T^{va})";
const std::string gated = R"(
    G^{na} = \operatorname{silu}(X^{nb} W_G^{ba}) (X^{nb} W_U^{ba})
    Y^{nb} = G^{na} W_D^{ab}
)";
const std::string experts = R"(
    g^{ne} = \text{softmax}_e(X^{na} W_R^{ae})
    Y^{nb} = \sum_e g^{ne} X^{na} V^{eab}
    B = \sum_e \operatorname{mean}_n g^{ne} \operatorname{mean}_n r^{ne}
)";
const std::string perceptron = R"(
    h^{nb} = \operatorname{relu}(X^{na} U^{ab} + p^b)
    g^{nc} = \operatorname{relu}(h^{nb} V^{bc} + q^c)
    y^{nd} = g^{nc} W^{cd}
)";
const std::string memory_cell = R"(
    i^{bu} = \sigma(W_{\text{i}}^{ud} x^{bd} + U_{\text{i}}^{uv} h^{bv} + b_{\text{i}}^u)
    f^{bu} = \sigma(W_{\text{f}}^{ud} x^{bd} + U_{\text{f}}^{uv} h^{bv} + b_{\text{f}}^u)
    o^{bu} = \sigma(W_{\text{o}}^{ud} x^{bd} + U_{\text{o}}^{uv} h^{bv} + b_{\text{o}}^u)
    g^{bu} = \tanh(W_{\text{c}}^{ud} x^{bd} + U_{\text{c}}^{uv} h^{bv} + b_{\text{c}}^u)
    C^{bu} = f^{bu} c^{bu} + i^{bu} g^{bu}
    H^{bu} = o^{bu} \tanh(C^{bu})
)";
const std::string kalman = R"(
    \bar{x}^i = F^{ij} x^j
    \bar{P}^{ij} = F^{ik} P^{kl} F^{jl} + Q^{ij}
    y^a = z^a - H^{ai} \bar{x}^i
    S^{ab} = H^{ai} \bar{P}^{ij} H^{bj} + R^{ab}
    K^{ia} = \bar{P}^{ij} H^{bj} M^{ba}
    \hat{x}^i = \bar{x}^i + K^{ia} y^a
    \hat{P}^{ij} = \bar{P}^{ij} - K^{ia} H^{ak} \bar{P}^{kj}
)";
const std::string graph_layer = R"(
    d^i = \sum_j A^{ij}
    H^{ib} = \operatorname{relu}(\sum_{j,a} \frac{A^{ij}}{\sqrt{d^i d^j}} X^{ja} W^{ab})
)";
const std::string power_step = R"(
    w^i = A^{ij} v^j
    u^i = \frac{w^i}{\sqrt{\sum_k w^k w^k}}
    \lambda = u^i A^{ij} u^j
)";
const std::string exchange =
    R"(E = P_{ij} H_{ij} + \frac{1}{2} P_{ij} P_{kl} (V_{ijkl} - \frac{1}{2} V_{ikjl}))";
const std::string segments = R"(
    M^{ij} = [i \ge j] \exp(\sum_k [k \le i] [k > j] a^k)
    Y^{ic} = M^{ij} X^{jc}
)";
const std::string eight = "Z^{ij} = A^{ia} B^{ab} C^{bc} D^{cd} E^{de} F^{ef} G^{fg} H^{gj}";

}  // namespace

std::vector<recorded_program> other_programs() {
    const std::string chain_letters = "i=40 a=90 b=30 c=120 d=20 e=100 f=10 g=80 j=60";
    return {
        // Matrix chains, einsum patterns.
        {"a product", "C^{ik} = A^{ij} B^{jk}", "i=128 j=96 k=160"},
        {"a product, gradients", "C^{ik} = A^{ij} B^{jk}", "i=128 j=96 k=160", "", "both C A B"},
        {"a product, scaled and added", "C^{ik} = A^{ij} B^{jk}", "i=128 j=96 k=160", "C 128x160",
         "", "", "C", "", element::f32, 0.5, 2},
        {"three factors", "Z^{id} = A^{ib} B^{bc} C^{cd}", chain_letters},
        {"four factors", "Z^{ie} = A^{ib} B^{bc} C^{cd} D^{de}", chain_letters},
        {"four factors, gradients", "Z^{ie} = A^{ib} B^{bc} C^{cd} D^{de}", chain_letters, "",
         "both Z A B C D"},
        {"six factors", "Z^{ig} = A^{ia} B^{ab} C^{bc} D^{cd} E^{de} F^{eg}", chain_letters},
        {"eight factors", eight, chain_letters},
        {"eight factors, gradients", eight, chain_letters, "", "both Z A D H"},
        {"a product in each batch", "C^{bij} = A^{bik} B^{bkj}", "b=8 i=64 j=48 k=32"},
        {"batches last", "C^{ijb} = A^{ikb} B^{kjb}", "b=8 i=64 j=48 k=32"},
        {"a product by heads", "Y^{hia} = X^{ib} W^{hba}", "h=4 i=64 b=96 a=32"},
        {"heads summed", "Y^{id} = O^{hic} W^{hcd}", "h=4 i=64 c=32 d=96"},
        {"four axes", "C^{abef} = A^{abcd} B^{cdef}", "a=8 b=12 c=16 d=8 e=12 f=16"},
        {"four axes, mixed", "C^{aebf} = A^{acbd} B^{ecfd}", "a=8 b=12 c=16 d=8 e=12 f=16"},
        {"a diagonal", "d^i = A^{ii}", "i=64"},
        {"a diagonal of pairs", "B^{ij} = A^{iij}", "i=32 j=48"},
        {"a trace", "t = \\sum_i A^{ii} + B^{ij} \\delta_{ij}", "i=64 j=64"},
        {"an outer product", "C^{ij} = a^i b^j", "i=64 j=96"},
        {"an outer product of three", "T^{ijk} = a^i b^j c^k", "i=16 j=24 k=32"},
        {"a transpose", "B^{ji} = A^{ij}", "i=64 j=96"},
        {"a transpose of four axes", "B^{dbca} = A^{abcd}", "a=8 b=12 c=16 d=20"},
        {"a symmetric part", "S^{ij} = \\frac{1}{2} (A^{ij} + A^{ji})", "i=64 j=64"},
        {"a matrix and a vector", "y^i = A^{ij} x^j", "i=256 j=320"},
        {"a form of two vectors", "s = u^a M_{ab} v^b", "a=64 b=96"},
        {"a form of two matrices", "S^{ij} = Q^{ia} g_{ab} K^{jb}", "i=64 j=96 a=16 b=24"},
        {"three factors of rank r", "T_{ijk} = \\sum_r a_{ir} b_{jr} c_{kr}", "i=24 j=32 k=40 r=8"},
        {"three factors of rank r, gradients", "T_{ijk} = \\sum_r a_{ir} b_{jr} c_{kr}",
         "i=24 j=32 k=40 r=8", "", "both T a b c"},
        {"a core with three factors", "X_{ijk} = G_{pqr} A_{ip} B_{jq} C_{kr}",
         "i=24 j=32 k=40 p=4 q=6 r=8"},
        {"an element-wise product summed", "s^i = A^{ij} B^{ij}", "i=64 j=96"},
        {"a sum of products", "C^{ik} = A^{ij} B^{jk} + D^{ij} E^{jk} - F^{ik}", "i=64 j=48 k=80"},
        {"a power of a product", "C^{ik} = (A^{ij} B^{jk})^2", "i=64 j=48 k=80"},
        {"contracted with epsilon", "c^i = \\epsilon^{ijk} a^j b^k", "i=3 j=3 k=3"},
        {"exchange energy", exchange, "i=12 j=12 k=12 l=12"},
        {"Kalman's step", kalman, "i=24 j=24 k=24 l=24 a=8 b=8"},
        {"a step of powers", power_step, "i=64 j=64 k=64"},
        // Gathers and scatters.
        {"an embedding", embedding, "i=64 a=48", "T 500x48"},
        {"an embedding, gradients", embedding, "i=64 a=48", "T 500x48", "both E T P"},
        {"a row of one", one_hot, "i=64 v=500 a=48", "x i32 64 <500"},
        {"a row of one, gradient", one_hot, "i=64 v=500 a=48", "x i32 64 <500", "both Y T"},
        {"entries of rows", "s^{bi} = Z^{b i y_{bi}}", "b=8 i=32", "Z 8x32x100"},
        {"entries of rows, gradient", "s^{bi} = Z^{b i y_{bi}}", "b=8 i=32", "Z 8x32x100",
         "gradient s Z"},
        {"added at places", "Y^{va} = \\sum_i [v = x_i] P^{ia}", "i=64 a=48", "x i32 64 <100", "",
         "", "", "v=100"},
        {"counted", "n^v = \\sum_i [v = x_i] w^i", "i=400", "x i32 400 <50", "", "", "", "v=50"},
        // Conditions, positions, sums of parts.
        {"masks as cases",
         R"(
         M^{ij} = \begin{cases} 0 & \text{if } |i - j| < 5 \\ -\infty & \text{otherwise} \end{cases}
            A^{ij} = \operatorname{softmax}_j(S^{ij} + M^{ij}))",
         "i=64 j=64"},
        {"a mask of bools", "Y^{ij} = [m^{ij}] X^{ij}", "i=64 j=48", "m boolean"},
        {"a product under a mask of bools", "Y^{ik} = \\sum_j [m^{ij}] X^{ij} W^{jk}",
         "i=64 j=48 k=32", "m boolean"},
        {"a cumulative sum", "y^i = \\sum_k [k \\le i] x^k", "i=256 k=256"},
        {"a cumulative sum, gradient", "y^i = \\sum_k [k \\le i] x^k", "i=256 k=256", "",
         "both y x"},
        {"discounted sums", "A^t = \\sum_k [k \\ge t] (g)^{k-t} d^k", "t=128 k=128", "g = 0.9"},
        {"sums of segments", segments, "i=96 j=96 k=96 c=32"},
        {"sums of segments, gradients", segments, "i=96 j=96 k=96 c=32", "", "both Y a X"},
        {"a convolution", "y^{nio} = x^{n(i+k)c} w^{kco} + b^o", "n=4 i=64 k=5 c=16 o=24",
         "x 4x68x16"},
        {"a convolution, gradients", "y^{nio} = x^{n(i+k)c} w^{kco} + b^o",
         "n=4 i=64 k=5 c=16 o=24", "x 4x68x16", "both y x w b"},
        {"a convolution of planes", "Y^{nijo} = X^{n(i+k)(j+l)c} W^{klco}",
         "n=2 i=16 j=16 k=3 l=3 c=8 o=12", "X 2x18x18x8"},
        {"a convolution with strides", "y^{nio} = x^{n(2i+k)c} w^{kco}", "n=4 i=32 k=3 c=16 o=24",
         "x 4x65x16"},
        {"means of parts", "p^{nij} = \\frac{1}{4} \\sum_{k,l} X^{n(2i+k)(2j+l)}",
         "n=4 i=16 j=16 k=2 l=2", "X 4x32x32", "", "", "", "i=16 j=16 k=2 l=2"},
        {"largest of parts, gradient", "p^{i} = \\max_k x^{2i+k}", "", "x 64", "both p x", "", "",
         "i=32 k=2"},
        {"a convolution around", "y^t = \\sum_s h^s x^{\\operatorname{wrap}(t-s)}", "t=64 s=8",
         "x 64"},
        {"a difference with clamped ends",
         R"(D^t = \frac{1}{2} (x^{\operatorname{clamp}(t+1)} - x^{\operatorname{clamp}(t-1)}))",
         "t=64", "x 64"},
        {"a stencil with zeros around",
         R"(r^{ij} = u^{\operatorname{pad}(i+1) j} + u^{\operatorname{pad}(i-1) j}
            c^{ij} = u^{i \operatorname{pad}(j+1)} + u^{i \operatorname{pad}(j-1)}
            D^{ij} = r^{ij} + c^{ij} - 4 u^{ij})",
         "i=32 j=48", "u 32x48"},
        {"relative places", "B^{ij} = b_{i-j}; y^i = x^{i+k} w^k + z^{2i+1} + B^{ij} v^j",
         "i=32 j=24 k=4", "x 35; z 64; b 55"},
        {"Fourier's sum", "X_k = \\sum_n x_n \\cos(2 \\pi k n / N)", "k=48 n=64", "N = 64", "", "",
         "", "k=48"},
        {"rotations of places", R"(
            Y^{i0p} = X^{i0p} \cos(i w^p) - X^{i1p} \sin(i w^p)
            Y^{i1p} = X^{i0p} \sin(i w^p) + X^{i1p} \cos(i w^p))",
         "i=64 p=16", "X 64x2x16"},
        {"heads merged", "P^{i(ha)} = X^{ib} W^{b(ha)}\nQ^{hia} = P^{i(ha)}", "i=64 b=48 h=4 a=16",
         "W 48x64", "", "", "", "h=4"},
        // Folds, normalisations.
        {"a mean of rows", "m^i = \\operatorname{mean}_j A^{ij}", "i=64 j=96"},
        {"a largest of columns", "m^j = \\max_i A^{ij}", "i=64 j=96"},
        {"a largest of rows, gradient", "m^i = \\max_j A^{ij}", "i=64 j=96", "", "both m A"},
        {"a product of rows", "p^i = \\prod_j A^{ij}", "i=64 j=12"},
        {"a product of rows, gradient", "p^i = \\prod_j A^{ij}", "i=64 j=12", "", "both p A"},
        {"folds of folds", "s = \\max_i \\sum_j \\min_k (T^{ijk} - m^{ij})", "i=16 j=24 k=32"},
        {"two softmaxes",
         "Y^{ij} = \\operatorname{softmax}_j(X^{ij}) \\operatorname{softmax}_i(X^{ij})",
         "i=64 j=96"},
        {"layer norm", layer_norm, "i=64 a=96"},
        {"layer norm, gradients", layer_norm, "i=64 a=96", "", "both Y X \\gamma \\beta"},
        {"batch norm", batch_norm, "n=64 a=96"},
        {"batch norm, gradients", batch_norm, "n=64 a=96", "", "both Y X \\gamma \\beta"},
        {"root mean square norm, gradients", rms_norm, "i=64 a=96 b=96", "", "both Y X g"},
        {"group norm, gradient", group_norm, "", "X 16x96", "both Y X", "", "", "g=4"},
        {"covariance", "\\Sigma^{ab} = \\frac{1}{n_x - 1} \\sum_n (X^{na} - m^a) (X^{nb} - m^b)",
         "n=128 a=24 b=24", "n_x = 128"},
        // Layers.
        {"a gated layer", gated, "n=64 b=48 a=128"},
        {"a gated layer, gradients", gated, "n=64 b=48 a=128", "", "both Y X W_G W_U W_D"},
        {"a perceptron, gradients", perceptron, "n=64 a=48 b=64 c=32 d=10", "",
         "both y X U V W p q"},
        {"a mixture of experts", experts, "n=64 a=32 b=32 e=8"},
        {"a mixture of experts, gradients", experts, "n=64 a=32 b=32 e=8", "", "both Y X W_R V"},
        {"a cell with memory", memory_cell, "b=16 u=48 d=32 v=48"},
        {"a cell with memory, gradients", memory_cell, "b=16 u=48 d=32 v=48", "",
         "both H x h c W_i U_c"},
        {"a layer of a graph", graph_layer, "i=64 j=64 a=32 b=24"},
        {"a layer of a graph, gradients", graph_layer, "i=64 j=64 a=32 b=24", "", "both H X W"},
        // Places that are more than a letter.
        {"a convolution of images, gradients",
         "Y^{noyx} = \\sum_{c,u,v} X^{nc,\\operatorname{pad}(y+u-1),\\operatorname{pad}(x+v-1)} "
         "W^{ocuv}",
         "n=2 o=16 c=8 u=3 v=3 y=12 x=12", "X 2x8x12x12", "both Y X W"},
        {"a strided convolution, gradients", "Y^{noq} = \\sum_{c,k} X^{nc,2q+k} W^{ock}",
         "n=4 o=16 c=8 q=31 k=3", "X 4x8x63", "both Y X W"},
        {"a step of heat on a ring",
         "v^{ij} = u^{ij} + s (u^{\\operatorname{wrap}(i+1),j} + u^{\\operatorname{wrap}(i-1),j} + "
         "u^{i,\\operatorname{wrap}(j+1)} + u^{i,\\operatorname{wrap}(j-1)} - 4 u^{ij})",
         "i=32 j=48", "s = 0.1", "both v u"},
        // In memory of the caller's, and of other types.
        {"in place of an input", "Y^{ij} = 2 X^{ij} + b^j", "i=64 j=48", "", "", "", "Y@X"},
        {"a softmax in place", "Y^{ij} = \\operatorname{softmax}_j(X^{ij})", "i=64 j=48", "", "",
         "", "Y@X"},
        {"a product in place of a factor", "Y^{ik} = X^{ij} W^{jk}", "i=64 j=48 k=48", "", "", "",
         "Y@X"},
        {"a scaled output that is read", "B^{ij} = 2 A^{ij}\nC^{ik} = B^{ij} D^{jk}",
         "i=64 j=48 k=32", "B 64x48; C 64x32", "", "B", "B C", "", element::f32, 3, 1},
        {"complex factors", "C^{ik} = A^{ij} \\operatorname{conj}(B^{kj}) + D^{ik}",
         "i=64 j=48 k=32", "", "", "", "", "", element::c64},
        {"complex magnitudes", "p^i = \\operatorname{Re}(\\operatorname{conj}(x^i) A^{ij} x^j)",
         "i=48 j=48", "x 48", "", "", "", "", element::c128},
        {"integers", "C^{ik} = A^{ij} B^{jk} + 2 C_0^{ik}", "i=64 j=48 k=32", "", "", "", "", "",
         element::i32},
        {"integers of 64 bits", "n = \\sum_{i,j} [A^{ij} > 3]", "i=64 j=48", "", "", "", "", "",
         element::i64},
        {"bf16", "C^{ik} = \\operatorname{relu}(A^{ij} B^{jk} + b^k)", "i=64 j=48 k=32", "", "", "",
         "", "", element::bf16},
        {"bf16, a layer norm", layer_norm, "i=64 a=96", "", "", "", "", "", element::bf16},
        {"f16, gradients", gated, "n=64 b=48 a=128", "", "both Y X W_G W_U W_D", "", "", "",
         element::f16},
        {"f16, scaled and added", "C^{ik} = A^{ij} B^{jk}", "i=128 j=96 k=160", "C 128x160", "", "",
         "C", "", element::f16, 0.5, 2},
        {"double factors", eight, chain_letters, "", "", "", "", "", element::f64},
    };
}

}  // namespace ricci::testing
