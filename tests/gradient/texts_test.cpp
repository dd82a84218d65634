// Derivatives of texts at run time: extents that a derived equation has lost, letters that clash.
#include "tests/gradient/texts.hpp"

#include "tests/catch.hpp"

using ricci::testing::derivatives;
using ricci::testing::places_of;
using ricci::testing::positive;

TEST_CASE("an index runs as far as it did, whatever was dropped", "[gradient]") {
    // P is longer than l - k reaches: t alone says how far k runs
    CHECK(derivatives("T^l = (W^{t_{lk}} + Q^{y_l}) P^{l-k+1}", "T",
                      {{"W", {5}},
                       places_of("t", {3, 2}, 5),
                       {"Q", {4}},
                       places_of("y", {3}, 4),
                       {"P", {7}}}) == "");
    // X is shorter than O
    CHECK(derivatives("Y^l = \\sum_k (X^{l+k} + Q) O^{k+1} Z^l", "Y",
                      {{"X", {5}}, {"Q", {}}, {"O", {4}}, {"Z", {3}}}) == "");
    CHECK(derivatives("Y = \\sum_k (A^k + Q) + \\sum_k B^k", "Y",
                      {{"A", {3}}, {"B", {5}}, {"Q", {}}}) == "");
    CHECK(derivatives("Y = (\\sum_k (A^k + Q)) (\\sum_k B^k)", "Y",
                      {{"A", {3}}, {"B", {5}}, {"Q", {}}}) == "");
    CHECK(derivatives("Y = (\\sum_k (A^k + Q)) (\\max_k (B^k + Q))", "Y",
                      {{"A", {3}}, {"B", {5}}, {"Q", {}}}) == "");
    CHECK(derivatives("Y = (\\operatorname{mean}_k (A^k + Q)) (\\operatorname{mean}_k (B^k Q))",
                      "Y", {{"A", {3}}, {"B", {5}}, {"Q", {}}}) == "");
    CHECK(derivatives("Y = (\\operatorname{logsumexp}_k (A^k + Q^2)) (\\sum_k (B^k Q + Q))", "Y",
                      {{"A", {3}}, {"B", {5}}, {"Q", {}}}) == "");
    CHECK(derivatives("Y^{(hc)} = O^{hc} + Q", "Y", {{"O", {2, 3}}, {"Q", {}}}) == "");
    CHECK(derivatives("Y^{i} = \\sum_{h,c} (O^{i(hc)} Z^{h} + Q^{h})", "Y",
                      {{"O", {2, 6}}, {"Z", {3}}, {"Q", {3}}}) == "");
    CHECK(derivatives("Y = \\sum_{h,c} (O^{(hc)} + Q)", "Y", {{"O", {6}}, {"Q", {}}}, {{"h", 2}}) ==
          "");
    CHECK(derivatives("Y^{i} = \\sum_k (A^{(ik)} + Q^i) (B^{ik} + Q^i)", "Y",
                      {{"A", {6}}, {"Q", {2}}, {"B", {2, 3}}}) == "");
    CHECK(derivatives("Y^j = \\sum_k (A^{jk} B^j + Q)", "Y",
                      {{"A", {2, 3}}, {"B", {2}}, {"Q", {}}}) == "");
}

TEST_CASE("an index that lost its tensor may stand on an axis without elements", "[gradient]") {
    CHECK(derivatives("Y = \\sum_k (Q + \\sum_j A^{jk})", "Y", {{"A", {0, 3}}, {"Q", {}}}) == "");
    CHECK(derivatives("Y = \\sum_k (Q + E^{x_j k} Z^j)", "Y",
                      {{"E", {0, 3}}, places_of("x", {0}, 1), {"Z", {0}}, {"Q", {}}}) == "");
}

TEST_CASE("a bound index never takes the letter of a free one", "[gradient]") {
    CHECK(derivatives("D = 1 - \\frac{2 \\sum_i p^i t^i}{\\sum_i p^i + \\sum_i t^i}", "D",
                      {positive("p", {4}), positive("t", {4})}) == "");
    CHECK(derivatives(R"(
        i^{bu} = \sigma(W_{\text{i}}^{ud} x^{bd} + U_{\text{i}}^{uv} h^{bv} + b_{\text{i}}^u)
        f^{bu} = \sigma(W_{\text{f}}^{ud} x^{bd} + U_{\text{f}}^{uv} h^{bv} + b_{\text{f}}^u)
        o^{bu} = \sigma(W_{\text{o}}^{ud} x^{bd} + U_{\text{o}}^{uv} h^{bv} + b_{\text{o}}^u)
        g^{bu} = \tanh(W_{\text{c}}^{ud} x^{bd} + U_{\text{c}}^{uv} h^{bv} + b_{\text{c}}^u)
        C^{bu} = f^{bu} c^{bu} + i^{bu} g^{bu}
        H^{bu} = o^{bu} \tanh(C^{bu})
    )",
                      "H",
                      {{"x", {2, 3}},
                       {"h", {2, 2}},
                       {"c", {2, 2}},
                       {"W_i", {2, 3}},
                       {"W_f", {2, 3}},
                       {"W_o", {2, 3}},
                       {"W_c", {2, 3}},
                       {"U_i", {2, 2}},
                       {"U_f", {2, 2}},
                       {"U_o", {2, 2}},
                       {"U_c", {2, 2}},
                       {"b_i", {2}},
                       {"b_f", {2}},
                       {"b_o", {2}},
                       {"b_c", {2}}}) == "");
}
