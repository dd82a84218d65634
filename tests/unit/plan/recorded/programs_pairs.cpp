// Recorded programs over pairs of rows: losses, kernels, distances, forces, and folds of products.
#include "tests/unit/plan/recorded/programs.hpp"

namespace ricci::testing {
namespace {

const std::string places_loss = R"(
    Z^{iv} = X^{ia} U^{va}
    L = \operatorname{mean}_i (\operatorname{logsumexp}_v Z^{iv} - Z^{i y_i})
)";
const std::string shares_loss = R"(
    z^{nc} = X^{na} W^{ac} + b^c
    L = \operatorname{mean}_n ( \operatorname{logsumexp}_c z^{nc} - \sum_c t^{nc} z^{nc} )
)";
const std::string softmax_loss = R"(
    z^{nc} = X^{na} W^{ac}
    p^{nc} = \operatorname{softmax}_c(z^{nc})
    L = -\operatorname{mean}_n \sum_c t^{nc} \log p^{nc}
)";
const std::string squares = R"(
    y^{nb} = \tanh(X^{na} W^{ab}) V^{bc} t^{c}
    L = \operatorname{mean}_{nb} ((y^{nb} - s^{nb})^2)
)";
const std::string log_of_sums = R"(l^i = \operatorname{logsumexp}_j (Q^{ia} K^{ja}))";
const std::string contrast = R"(
    S^{nm} = \frac{u^{na} v^{ma}}{\sqrt{\sum_a (u^{na})^2} \sqrt{\sum_a (v^{ma})^2}}
    L = -\operatorname{mean}_n \log \frac{e^{S^{nn} / \tau}}{\sum_m e^{S^{nm} / \tau}}
)";
const std::string farthest = R"(C^{ik} = \max_j (A^{ij} - 2 B^{jk} + c^k))";
const std::string likelihood_of_states = R"(
    f^{bj} = \operatorname{logsumexp}_i (a^{bi} + T^{ij}) + o^{bj}
    L = \sum_b \operatorname{logsumexp}_j f^{bj}
)";
const std::string both_ways = R"(
    S^{nm} = t u^{na} v^{ma}
    l^n = \operatorname{logsumexp}_m S^{nm} + \operatorname{logsumexp}_m S^{mn}
    L = \frac{1}{2} \operatorname{mean}_n (l^n - 2 S^{nn})
)";
const std::string logistic = R"(L = \operatorname{mean}_n \log(1 + e^{-y^n w^a x^{na}}))";
const std::string forces = R"(
    r^{ija} = x^{ja} - x^{ia}
    w^{ij} = m^j (\sum_a (r^{ija})^2 + \epsilon)^{-3/2}
    F^{ia} = \sum_j w^{ij} r^{ija}
)";
const std::string energy = R"(
    d^{ij} = \sqrt{\sum_a (x^{ia} - x^{ja})^2 + \epsilon}
    E = \frac{1}{2} \sum_{i,j} [i \ne j] \frac{q^i q^j}{d^{ij}}
)";
const std::string distances = R"(D^{ij} = \sqrt{\sum_a (x^{ia} - z^{ja})^2})";
const std::string distances_by_products = R"(
    D^{ij} = \sum_a (x^{ia})^2 + \sum_a (z^{ja})^2 - 2 x^{ia} z^{ja}
    n^i = \min_j D^{ij}
)";
const std::string gauss = R"(
    K^{ij} = s^2 \exp(-\frac{\sum_a (X^{ia} - Z^{ja})^2}{2 l^2})
    f^{ic} = K^{ij} w^{jc}
)";
const std::string scaled_gauss = R"(
    K^{ij} = \exp(-\frac{1}{2} \sum_a \frac{(X^{ia} - Z^{ja})^2}{l_a^2})
    f^{ic} = K^{ij} w^{jc}
)";
const std::string gauss_by_products = R"(
    P^{ij} = X^{ia} Z^{ja}
    K^{ij} = \exp(P^{ij} - \frac{1}{2} r^i - \frac{1}{2} s^j)
    f^{ic} = K^{ij} w^{jc}
)";
const std::string squared_relu = R"(
    S^{hij} = Q^{hia} K^{hja}
    A^{hij} = (\operatorname{relu}(S^{hij}))^2
    O^{hic} = A^{hij} V^{hjc}
)";
const std::string polynomial = R"(
    K^{ij} = (X^{ia} Z^{ja} + c)^3
    f^{ib} = K^{ij} w^{jb}
)";
const std::string nearest = R"(n^i = \min_j \sum_a (x^{ia} - z^{ja})^2)";
const std::string looked_up = R"(
    y_i = \operatorname{argmin}_j \sum_a (x^{ia} - z^{ja})^2
    q^{ia} = z^{y_i a}
    L = \operatorname{mean}_{ia}((x^{ia} - q^{ia})^2)
)";
const std::string sums_of_clusters = R"(
    y_i = \operatorname{argmin}_k \sum_a (x^{ia} - c^{ka})^2
    C^{ka} = c^{ka} + \sum_i [y_i = k] x^{ia}
)";
const std::string places_of_columns = R"(w_j = \operatorname{argmax}_i (\tanh(b^i) + x^{ij}))";
const std::string largest = R"(m^i = \max_j (Q^{ia} K^{ja}))";
const std::string late_interaction = R"(s^{n} = \sum_i \max_j (Q^{ia} D^{nja}))";
const std::string absolute = R"(D^{ij} = \sum_a |X^{ia} - Y^{ja}|)";
const std::string mixture = R"(
    r^{nk} = \text{softmax}_k(\log w_k - \frac{1}{2} \sum_a (x^{na} - \mu^{ka})^2)
    N_k = \sum_n r^{nk}
    m^{ka} = \frac{1}{N_k} \sum_n r^{nk} x^{na}
)";
const std::string likelihood =
    R"(L = \sum_n \log \sum_k w_k \exp(-\frac{1}{2} \sum_a \frac{(x^{na} - \mu^{ka})^2}{s^{ka}}))";
const std::string hopfield = R"(
    p^{nk} = \operatorname{softmax}_k(\beta \xi^{na} X^{ka})
    \eta^{na} = p^{nk} X^{ka}
    f^n = -\frac{1}{\beta} \operatorname{logsumexp}_k(\beta \xi^{na} X^{ka})
    E^n = f^n + \frac{1}{2} \xi^{na} \xi^{na}
)";
const std::string transport = R"(
    K^{ij} = \exp(-\frac{1}{\epsilon} C^{ij})
    u^i = \frac{a^i}{\sum_j K^{ij} v^j}
    w^j = \frac{b^j}{\sum_i K^{ij} u^i}
    P^{ij} = u^i K^{ij} w^j
    T = P^{ij} C^{ij}
)";
const std::string discrepancy = R"(
    p = \operatorname{mean}_{ij} e^{-g \sum_a (x^{ia} - x^{ja})^2}
    q = \operatorname{mean}_{ik} e^{-g \sum_a (x^{ia} - z^{ka})^2}
    M = p - 2 q
)";
const std::string graph = R"(
    e^{ij} = \operatorname{relu}(a^i + b^j)
    \alpha^{ij} = \frac{A^{ij} \exp(e^{ij})}{\sum_k A^{ik} \exp(e^{ik})}
    H^{ic} = \alpha^{ij} X^{jc}
)";
const std::string pooled = R"(
    S^{hij} = Q^{hia} K^{hja}
    A^{hij} = \operatorname{softmax}_j(S^{hij})
    q^{hj} = \sum_i A^{hij}
    O^{hic} = A^{hij} V^{hjc}
)";
const std::string matched = R"(
    S^{hij} = Q^{hia} K^{hja}
    A^{hij} = \operatorname{softmax}_j(S^{hij})
    O^{hic} = A^{hij} V^{hjc}
    q^{hj} = \sum_i A^{hij}
    m^{hi} = \max_j(S^{hij})
    y_{hi} = \operatorname{argmax}_j(S^{hij})
    w_{hj} = \operatorname{argmax}_i(S^{hij})
)";
const std::string entropy = R"(
    A^{ij} = \operatorname{softmax}_j(Q^{ia} K^{ja})
    H^i = -\sum_j A^{ij} \log A^{ij}
)";

}  // namespace

std::vector<recorded_program> pair_programs() {
    const std::string words = "i=128 v=1000 a=64", classes = "n=256 a=64 c=100";
    const std::string points = "i=512 j=512 a=3", wide = "i=256 j=384 a=32 b=16 c=16";
    return {
        {"cross entropy of places", places_loss, words, "y i32 <1000"},
        {"cross entropy of places, gradients", places_loss, words, "y i32 <1000", "both L X U"},
        {"cross entropy of places of 64 bits", places_loss, words, "y i64 <1000"},
        {"cross entropy of shares", shares_loss, classes},
        {"cross entropy of shares, gradients", shares_loss, classes, "", "both L X W b"},
        {"cross entropy of a softmax, gradients", softmax_loss, classes, "", "both L X W"},
        {"squared error, gradients", squares, "n=64 a=48 b=32 c=16", "", "both L W V"},
        {"logsumexp of a product", log_of_sums, wide},
        {"logsumexp of a product, gradients", log_of_sums, wide, "", "both l Q K"},
        {"contrast of pairs", contrast, "n=256 m=256 a=64", "\\tau = 0.1"},
        {"contrast of pairs, gradients", contrast, "n=256 m=256 a=64", "\\tau = 0.1", "both L u v"},
        {"contrast both ways, gradients", both_ways, "n=256 m=256 a=64", "", "both L u v"},
        {"logistic loss, gradient", logistic, "n=512 a=64", "", "both L w"},
        {"forces of bodies", forces, points, "\\epsilon = 0.01"},
        {"forces of bodies, gradient", forces, points, "\\epsilon = 0.01", "both F x"},
        {"energy of bodies, gradient", energy, points, "\\epsilon = 0.01", "both E x"},
        {"distances", distances, points},
        {"distances, gradients", distances, points, "", "both D x z"},
        {"distances of wide rows", distances, wide},
        {"distances by products, the least", distances_by_products, wide},
        {"Gaussian kernel", gauss, "i=512 j=512 a=3 c=4"},
        {"Gaussian kernel of wide rows, gradients", gauss, wide, "", "both f X Z w"},
        {"Gaussian kernel of scaled rows, gradients", scaled_gauss, wide, "", "both f X Z w l"},
        {"Gaussian kernel by products", gauss_by_products, wide},
        {"Gaussian kernel by products, gradients", gauss_by_products, wide, "", "both f X Z w"},
        {"squared relu", squared_relu, "h=2 i=256 j=256 a=32 c=32"},
        {"squared relu, gradients", squared_relu, "h=2 i=256 j=256 a=32 c=32", "", "both O Q K V"},
        {"polynomial kernel, gradients", polynomial, wide, "c = 1", "both f X Z w"},
        {"nearest neighbour", nearest, wide},
        {"nearest neighbour, gradients", nearest, wide, "", "both n x z"},
        {"nearest neighbours, looked up", looked_up, points},
        {"nearest neighbours, looked up, gradients", looked_up, points, "", "both L x z"},
        {"sums of clusters", sums_of_clusters, "i=512 k=16 a=8"},
        {"places of the largest in columns", places_of_columns, "i=256 j=128"},
        {"largest of a product", largest, wide},
        {"largest of a product, gradients", largest, wide, "", "both m Q K"},
        {"late interaction", late_interaction, "n=16 i=32 j=128 a=64"},
        {"late interaction, gradient", late_interaction, "n=16 i=32 j=128 a=64", "", "both s Q"},
        {"absolute distances", absolute, wide},
        {"mixture of Gaussians", mixture, "n=512 k=64 a=16"},
        {"likelihood of a mixture, gradients", likelihood, "n=512 k=64 a=16", "",
         "both L \\mu s w"},
        {"Hopfield's step", hopfield, "n=128 k=512 a=64", "\\beta = 2"},
        {"Hopfield's step, gradients", hopfield, "n=128 k=512 a=64", "\\beta = 2",
         "both \\eta \\xi X"},
        {"optimal transport", transport, "i=256 j=256", "\\epsilon = 0.1"},
        {"optimal transport, gradient", transport, "i=256 j=256", "\\epsilon = 0.1", "both T C"},
        {"discrepancy of means", discrepancy, "i=128 j=128 k=192 a=8", "g = 0.5"},
        {"graph attention", graph, "i=256 j=256 k=256 c=32"},
        {"graph attention, gradients", graph, "i=256 j=256 k=256 c=32", "", "both H a b X"},
        {"attention with sums of columns", pooled, "h=2 i=256 j=256 a=32 c=32"},
        {"attention with sums of columns, gradients", pooled, "h=2 i=256 j=256 a=32 c=32", "",
         "both O Q K V"},
        {"maximum of sums", farthest, "i=64 j=48 k=56"},
        {"maximum of sums, gradients", farthest, "i=64 j=48 k=56", "", "both C A B c"},
        {"logsumexp of sums", likelihood_of_states, "b=32 i=40 j=48"},
        {"logsumexp of sums, gradients", likelihood_of_states, "b=32 i=40 j=48", "", "both L a T"},
        {"attention and the best matches of both sides", matched, "h=2 i=256 j=256 a=32 c=32"},
        {"entropy of attention, gradients", entropy, wide, "", "both H Q K"},
    };
}

}  // namespace ricci::testing
