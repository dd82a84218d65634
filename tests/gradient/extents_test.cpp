// Derivatives of texts in which one letter is bound several times, with an extent each: an extent
// belongs to an index where it is bound.
#include <random>
#include <string>
#include <vector>

#include "tests/gradient/texts.hpp"
#include "tests/property/settings.hpp"

#include "tests/catch.hpp"

using ricci::testing::all_of;
using ricci::testing::given_tensor;

namespace {

/// Sums over the same letters, of places beside one another in tensors of 6, 5 and 4.
class random_text {
public:
    explicit random_text(unsigned seed) : random_(seed) {}

    std::string write() {
        std::string text, names[3];
        const std::size_t lines = 1 + below(3);
        for (std::size_t k = 0; k < lines; ++k) {
            names[k] = std::string(1, "abe"[k]);
            text += names[k] + " = ";
            const std::size_t terms = 1 + below(2);
            for (std::size_t t = 0; t < terms; ++t) {
                text += (t > 0 ? " + (" : "(") + number() + ")";
                if (below(3) == 0) text += " (" + number() + ")";
                if (k > 0 && below(2) == 0) text += " \\sin(0.1 " + names[below(k)] + ")";
            }
            text += "\n";
        }
        text += "r = " + number();
        for (std::size_t k = 0; k < lines; ++k) text += " + " + names[k];
        return text;
    }

private:
    std::size_t below(std::size_t n) { return random_() % n; }
    std::string at(const std::string& name, const std::string& i, int more) {
        return name + "_{" + i + (more > 0 ? "+" + std::to_string(more) : "") + "}";
    }
    /// A term in which every use of the index fits the same extent.
    std::string term(const std::string& i) {
        const auto x = [&](int k) { return at("x", i, k); };
        const auto w = [&](int k) { return at("w", i, k); };
        const auto v = [&](int k) { return at("v", i, k); };
        switch (below(12)) {
            case 0:
                return x(0);
            case 1:
                return "(" + x(1) + " - " + x(0) + ")";
            case 2:
                return "(" + x(2) + " - " + x(0) + ")^2";
            case 3:
                return x(1) + " " + w(0);
            case 4:
                return v(0) + " " + w(1);
            case 5:
                return "\\exp(" + x(0) + ")";
            case 6:
                return "\\tanh(" + x(1) + " " + x(0) + ")";
            case 7:
                return w(1) + " " + w(0);
            case 8:
                return "\\sin(" + v(1) + " - " + v(0) + ")";
            case 9:
                return "(c + " + x(1) + ")";
            case 10:
                return "(" + v(0) + " c^2)";
            default:
                return w(0) + " \\frac{1}{" + x(1) + " + 5}";
        }
    }
    /// A sum over a letter that stands nowhere but where an axis may end: how far it runs is given.
    std::string edges() {
        const auto at = [&](const char* name) {
            static const char* const ends[] = {"wrap", "clamp", "pad"};
            static const char* const places[] = {"g", "g+1", "2g", "g-1", "2-g", "g+i"};
            return std::string(name) + "_{\\operatorname{" + ends[below(3)] + "}(" +
                   places[below(6)] + ")}";
        };
        const std::string x = at(below(2) == 0 ? "x" : "w");
        const bool both = x.find("+i") != std::string::npos;
        const std::string body = below(2) == 0 ? x : "\\tanh(" + x + " + " + at("v") + ")";
        const std::string sign = below(2) == 0 ? "\\operatorname{mean}_g" : "\\sum_g";
        const bool more = both || body.find("+i") != std::string::npos;
        return (more ? "(\\sum_i w_i " : "(") + sign + " (" + body + "))" +
               (below(3) == 0 ? " (" + number() + ")" : "");
    }
    std::string number() {
        if (below(4) == 0) return edges();
        const std::string i = below(2) == 0 ? "i" : "k";
        const std::string body = term(i);
        switch (below(5)) {
            case 0:
                return "\\operatorname{mean}_" + i + "(" + body + ")";
            case 1:
                return "\\operatorname{logsumexp}_" + i + "(" + body + ")";
            case 2:
                return "(\\sum_" + i + " " + body + ")^2";
            default:
                return "\\sum_" + i + " " + body;
        }
    }

    std::mt19937 random_;
};

}  // namespace

TEST_CASE("two sums over one letter have two extents", "[gradient]") {
    CHECK(all_of("a = \\sum_k x_k\nb = \\sum_k (x_{k+1} - x_k)\nr = a + b", "r", {{"x", {4}}}) ==
          "");
    CHECK(all_of("r = \\sum_i \\exp(x_i) + \\sum_i x_{i+1} w_i", "r", {{"x", {4}}, {"w", {3}}}) ==
          "");
    CHECK(all_of("r = \\sum_i (x_i - y_i)^2 + \\sum_i (x_{i+1} - x_i)^2", "r",
                 {{"x", {4}}, {"y", {4}}}) == "");
    CHECK(all_of("r = \\sum_k \\tanh(x_{k+1} x_k) + \\sum_k (x_k)^3 + \\sum_k \\sin(x_{k+2} - x_k)",
                 "r", {{"x", {6}}}) == "");
    CHECK(all_of("d_i = x_{i+1} - x_i\ne_i = d_{i+1} - d_i\n"
                 "r = \\sum_i (e_i)^2 + \\sum_i (d_i)^2 + \\sum_i x_i",
                 "r", {{"x", {6}}}) == "");
    CHECK(all_of("y^i = \\operatorname{softmax}_i(x^{i+1} - x^i)\n"
                 "r = \\sum_i (y^i)^2 + \\sum_i (x^i)^2",
                 "r", {{"x", {6}}}) == "");
    CHECK(all_of("r = \\operatorname{logsumexp}_j(x_{j+1} + x_j) "
                 "\\operatorname{logsumexp}_j(x_j w_j)",
                 "r", {{"x", {4}}, {"w", {4}}}) == "");
    CHECK(all_of("r = \\prod_j x_{j+1} + \\sum_j x_j w_j", "r", {{"x", {4}}, {"w", {3}}}) == "");
}

TEST_CASE("a count is of its own index", "[gradient]") {
    CHECK(all_of("r = (\\operatorname{mean}_i (x^i))^2 \\operatorname{mean}_i ((w^i)^2)", "r",
                 {{"x", {4}}, {"w", {3}}}) == "");
    CHECK(all_of("r = (\\operatorname{mean}_i x^i)^2 + \\operatorname{mean}_i (x^{i+1} x^i)", "r",
                 {{"x", {4}}}) == "");
    CHECK(all_of("b = \\sum_m v_m (x_m)^2\na = \\frac{1}{\\sum_{m'} 1} \\sum_m w_m (x_m)^2\n"
                 "r = a b + \\sum_m u_m w_{m+1}",
                 "r", {{"x", {4}}, {"w", {4}}, {"v", {4}}, {"u", {3}}}) == "");
    CHECK(all_of("y_i = x_{i-m} w_m C_{im}\nz_i = t_{i-m} v_m D_{im}\nr = \\sum_i (y_i)^2 + "
                 "\\sum_i (z_i)^2",
                 "r",
                 {{"x", {6}}, {"t", {5}}, {"w", {3}}, {"v", {2}}, {"C", {4, 3}}, {"D", {4, 2}}}) ==
          "");
    // a count that is left without any index of its letter
    CHECK(all_of("a = (\\sum_i v_i c^2) \\frac{1}{\\sum_{i'} 1}", "a", {{"v", {4}}, {"c", {}}}) ==
          "");
}

TEST_CASE("what the operand of a reduction lacks does not divide its slope", "[gradient]") {
    for (const char* const f :
         {"\\max", "\\min", "\\operatorname{logsumexp}", "\\operatorname{mean}"})
        CHECK(all_of(std::string("y^i = ") + f + "_a((x^i)^2)", "y", {{"x", {4}}}, {{"a", 5}}) ==
              "");
    CHECK(all_of("y^{ia} = \\operatorname{softmax}_a(x^i)", "y", {{"x", {4}}}, {{"a", 5}}) == "");
}

TEST_CASE("derivatives have the extents that the forward run has", "[gradient]") {
    CHECK(all_of("m_i = s i\nr = \\sum_i (a_i + m_i)^2", "r", {{"s", {}}, {"a", {4}}}) == "");
    CHECK(all_of("m_i = s i\nn_i = m_i + t\nr = \\sum_i (a_i + n_i)^2", "r",
                 {{"s", {}}, {"t", {}}, {"a", {4}}}) == "");
    CHECK(all_of("y_{ha} = x_{(ha)}\nr = \\sum_{h,a} (y_{ha})^2 z_{ha}", "r",
                 {{"x", {12}}, {"z", {3, 4}}}) == "");
    CHECK(all_of("y_{ha} = x_{(ha)}\nq = \\sum_{h,a} (y_{ha})^2\nr = q + \\sum_{h,a} y_{ha} z_{ha}",
                 "r", {{"x", {12}}, {"z", {3, 4}}}) == "");
    CHECK(all_of("y_{ik} = x_{i+k}\nr = \\sum_{i,k} (y_{ik} w_{k} + (y_{ik})^2)", "r",
                 {{"x", {6}}, {"w", {3}}}) == "");
    // one axis divided twice, by letters that are called alike
    CHECK(all_of("y_{ha} = x_{(ha)}\nz_{ha} = x_{(ha)}\n"
                 "r = \\sum_{h,a} (y_{ha})^2 u_{ha} + \\sum_{h,a} (z_{ha})^2 v_{ha}",
                 "r", {{"x", {12}}, {"u", {3, 4}}, {"v", {2, 6}}}) == "");
}

TEST_CASE("a gradient is as long as its tensor, and not as what that meets", "[gradient]") {
    CHECK(all_of("y_i = \\sum_{i'} x_{i'} + b_i", "y", {{"x", {3}}, {"b", {5}}}) == "");
    CHECK(all_of("y_i = \\sum_{i'} |i - i'| x_{i'} + b_i", "y", {{"x", {3}}, {"b", {5}}}) == "");
    CHECK(all_of("y_i = \\sum_{j \\le i} x_j + b_i", "y", {{"x", {3}}, {"b", {5}}}) == "");
    CHECK(all_of("y_i = \\sum_{j \\le i} x_j + b_i", "y", {{"x", {5}}, {"b", {3}}}) == "");
    CHECK(all_of("y_i = \\sum_{j < i} b_i x_j", "y", {{"x", {5}}, {"b", {3}}}) == "");
    CHECK(all_of("y_i = \\sum_j [i = 2 j + 1] x_j + b_i", "y", {{"x", {3}}, {"b", {5}}}) == "");
    CHECK(all_of("y_i = \\sum_j x_j a_{i+j} + b_i", "y", {{"x", {3}}, {"a", {10}}, {"b", {4}}}) ==
          "");
    CHECK(all_of("y_i = \\sum_j \\begin{cases} x_j & \\text{if } j \\ne i \\\\ 0 & "
                 "\\text{otherwise} \\end{cases} + b_i",
                 "y", {{"x", {3}}, {"b", {5}}}) == "");
    CHECK(all_of("y_i = x_{\\operatorname{pad}(i-2)} + b_i", "y", {{"x", {2}}, {"b", {4}}}) == "");
    CHECK(all_of("y_{ik} = x_{i,\\operatorname{pad}(i+k-1)} b_{ik}", "y",
                 {{"x", {3, 1}}, {"b", {3, 2}}}) == "");
    // what runs as far as the tensor does by its own equation needs nothing more
    CHECK(all_of("y_i = \\sum_{j \\le i} x_j", "y", {{"x", {4}}}) == "");
    CHECK(all_of("y_i = x_{i+k} w_k", "y", {{"x", {7}}, {"w", {3}}}) == "");
}

TEST_CASE("an axis that is read at its edges alone has the extent of its tensor", "[gradient]") {
    const auto wrong = [](const std::string& text, std::vector<given_tensor> inputs,
                          std::map<std::string, std::int64_t> extents = {}) {
        return all_of(text, "y", std::move(inputs), std::move(extents));
    };
    for (const std::string edge : {"wrap", "clamp", "pad"}) {
        const auto at = [&](const std::string& place) {
            return "^{\\operatorname{" + edge + "}(" + place + ")}";
        };
        INFO(edge);
        // shorter and longer than the letter, which the caller gives
        for (const std::int64_t n : {2, 5}) {
            CHECK(wrong("y = \\sum_g v" + at("g"), {{"v", {n}}}, {{"g", 3}}) == "");
            CHECK(wrong("y = \\sum_g (v" + at("g") + ")^2", {{"v", {n}}}, {{"g", 3}}) == "");
            CHECK(wrong("y = \\operatorname{mean}_g (v" + at("g-1") + " u)",
                        {{"v", {n}}, {"u", {}}}, {{"g", 3}}) == "");
            CHECK(wrong("y = (\\operatorname{mean}_i C" + at("i") + ") C^k w^k",
                        {{"C", {n}}, {"w", {n}}}, {{"i", 3}}) == "");
            CHECK(wrong("y^k = \\sum_g v" + at("g+k") + " w^k", {{"v", {n}}, {"w", {4}}},
                        {{"g", 3}}) == "");
            CHECK(wrong("y = \\sum_g \\sin(v" + at("g") + " + w" + at("2g") + ")",
                        {{"v", {n}}, {"w", {4}}}, {{"g", 3}}) == "");
        }
        // nobody gives it: it is that of the tensor
        CHECK(wrong("y = \\sum_g (v" + at("g+1") + " v" + at("g") + ")", {{"v", {4}}}) == "");
        CHECK(wrong("y = \\sum_i (C" + at("i+1") + " + z)", {{"C", {4}}, {"z", {}}}) == "");
        CHECK(wrong("b^k = \\sum_g v" + at("g") + " w^k\ny = \\sum_k (b^k)^2 + \\sum_g u^g",
                    {{"v", {2}}, {"w", {4}}, {"u", {3}}}, {{"g", 3}}) == "");
    }
}

TEST_CASE("arithmetic alone says an extent in derivatives as it does forwards", "[gradient]") {
    CHECK(all_of("y = (\\sum_i x^{2i+1}) z^2", "y", {{"x", {7}}, {"z", {}}}) == "");
    CHECK(all_of("y = \\sum_i (x^{2i} + z)", "y", {{"x", {7}}, {"z", {}}}) == "");
    CHECK(all_of("y = (\\operatorname{mean}_i (x^{2i} w^{i+1})) z^2", "y",
                 {{"x", {7}}, {"w", {5}}, {"z", {}}}) == "");
    CHECK(all_of("y = (\\sum_{i,k} x^{i+k}) z^2", "y", {{"x", {6}}, {"z", {}}},
                 {{"i", 3}, {"k", 4}}) == "");
    CHECK(all_of("y = \\sum_{h,a} (x^{(ha)} + z)^2", "y", {{"x", {6}}, {"z", {}}}, {{"h", 3}}) ==
          "");
}

TEST_CASE("random sums over the same letters", "[gradient]") {
    const unsigned first = ricci::testing::first_seed();
    for (unsigned seed = first; seed < first + ricci::testing::program_count(16); ++seed) {
        const std::string text = random_text(seed).write();
        INFO("seed " << seed << "\n" << text);
        CHECK(all_of(text, "r", {{"x", {6}}, {"w", {5}}, {"v", {4}}, {"c", {}}}, {{"g", 3}}) == "");
    }
}
