// Weights of pairs of places under an inequality that are stored, since they are asked for or used
// twice: beside loops over all pairs, with their derivatives, and what the plan goes over.
#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

#include "tests/few.hpp"
#include "tests/unit/front/texts.hpp"

using namespace ricci;
using namespace ricci::testing;

namespace {

using real = long double;
const std::size_t a = 5, c = 3;

struct condition_of_pairs {
    const char* text;
    bool (*holds)(long i, long j);
    bool leaves_none;  // for some i
};
const std::vector<condition_of_pairs> conditions{
    {"j \\le i", [](long i, long j) { return j <= i; }, false},
    {"j < i", [](long i, long j) { return j < i; }, true},
    {"j \\le i + 40", [](long i, long j) { return j <= i + 40; }, false},
    {"i - 2 \\ge j", [](long i, long j) { return j <= i - 2; }, true},
    {"j \\ge i", [](long i, long j) { return j >= i; }, false},
    {"i + 30 < j", [](long i, long j) { return i + 30 < j; }, true},
};

/// Weights A^{ij} of scores S^{ij}, with the condition at %.
enum class weights : std::uint8_t { linear, rectified, softmax };
struct form_of_weights {
    weights kind;
    std::string text;
};
const std::vector<form_of_weights> forms{
    {weights::linear, "A^{ij} = [%] Q^{ia} K^{ja}\n"},
    {weights::rectified, "S^{ij} = Q^{ia} K^{ja}\nA^{ij} = [%] \\operatorname{relu}(S^{ij})\n"},
    {weights::softmax,
     "S^{ij} = Q^{ia} K^{ja}\nA^{ij} = \\operatorname{softmax}_j \\begin{cases} S^{ij} & "
     "\\text{if } % \\\\ -\\infty & \\text{otherwise} \\end{cases}\n"},
};

struct attention {
    array A, O, Q, K, V;  // the weights, what they give, and the derivatives of that
};

class attention_by_loops {
public:
    attention_by_loops(const array& q, const array& k, const array& v, const array& slope)
        : q_(q), k_(k), v_(v), slope_(slope), rows_(q.extents()[0]), columns_(k.extents()[0]) {}

    attention run(weights kind, const condition_of_pairs& condition) const {
        std::vector<real> all(rows_ * columns_), o(rows_ * c), dq(rows_ * a), dk(columns_ * a),
            dv(columns_ * c);
        for (std::size_t i = 0; i < rows_; ++i) {
            std::vector<real> s(columns_), w(columns_), dw(columns_);
            std::vector<bool> in(columns_);
            real sum = 0, mean = 0;
            for (std::size_t j = 0; j < columns_; ++j) {
                in[j] = condition.holds(static_cast<long>(i), static_cast<long>(j));
                for (std::size_t x = 0; x < a; ++x) s[j] += at(q_, i * a + x) * at(k_, j * a + x);
                if (in[j]) sum += w[j] = weight(kind, s[j]);
            }
            for (std::size_t j = 0; j < columns_; ++j) {
                if (kind == weights::softmax) w[j] /= sum;
                all[i * columns_ + j] = w[j];
                for (std::size_t y = 0; y < c; ++y) {
                    o[i * c + y] += w[j] * at(v_, j * c + y);
                    dv[j * c + y] += w[j] * at(slope_, i * c + y);
                    dw[j] += at(slope_, i * c + y) * at(v_, j * c + y);
                }
                mean += w[j] * dw[j];
            }
            for (std::size_t j = 0; j < columns_; ++j) {
                const real ds = !in[j]                     ? 0
                                : kind == weights::softmax ? w[j] * (dw[j] - mean)
                                : kind == weights::linear  ? dw[j]
                                : s[j] > 0                 ? dw[j]
                                                           : 0;
                for (std::size_t x = 0; x < a; ++x) {
                    dq[i * a + x] += ds * at(k_, j * a + x);
                    dk[j * a + x] += ds * at(q_, i * a + x);
                }
            }
        }
        return {rounded(all, rows_, columns_), rounded(o, rows_, c), rounded(dq, rows_, a),
                rounded(dk, columns_, a), rounded(dv, columns_, c)};
    }

private:
    static real at(const array& x, std::size_t k) { return entry(x, k); }
    static real weight(weights kind, real s) {
        return kind == weights::softmax ? std::exp(s) : kind == weights::linear || s > 0 ? s : 0;
    }
    static array rounded(const std::vector<real>& x, std::size_t rows, std::size_t width) {
        return doubles({rows, width}, std::vector<double>(x.begin(), x.end()));
    }

    const array &q_, &k_, &v_, &slope_;
    std::size_t rows_, columns_;
};

std::string with_condition(std::string equations, const std::string& condition) {
    equations.replace(equations.find('%'), 1, condition);
    return equations;
}

}  // namespace

TEST_CASE("weights of pairs that are stored are made where their condition holds", "[prefixes]") {
    for (const auto& [rows, columns] :
         {std::pair{300, 300}, std::pair{389, 290}, std::pair{290, 389}}) {
        if (few() && rows >= columns) continue;
        const auto m = static_cast<std::size_t>(rows), n = static_cast<std::size_t>(columns);
        const array Q = drawn({m, a}, 1), K = drawn({n, a}, 2), V = drawn({n, c}, 3),
                    slope = drawn({m, c}, 4);
        const attention_by_loops loops(Q, K, V, slope);
        for (const auto& form : forms)
            for (const auto& condition : conditions) {
                const bool empty =
                    condition.leaves_none || (std::string(condition.text) == "j \\ge i" && m > n);
                if (form.kind == weights::softmax && empty) continue;
                const std::string equations = with_condition(form.text, condition.text);
                INFO(equations << rows << " x " << columns);
                const program p = text(equations + "O^{ic} = A^{ij} V^{jc}").keep({"A"});
                const attention wanted = loops.run(form.kind, condition);
                std::vector<named> operands{{"Q", Q}, {"K", K}, {"V", V}};
                const arrays got = run(p, operands);
                CHECK(near(got["A"], wanted.A, 1e-11));
                CHECK(near(got["O"], wanted.O, 1e-11));
                const std::string words = explain(p, operands);
                INFO(words);
                CHECK(words.find("M i=" + std::to_string(m)) == std::string::npos);
                operands.push_back({"dL/dO", slope});
                const arrays slopes = run(value_and_gradient(p, "O", {"Q", "K", "V"}), operands);
                CHECK(near(slopes["O"], wanted.O, 1e-11));
                CHECK(near(slopes["dL/dQ"], wanted.Q, 1e-11));
                CHECK(near(slopes["dL/dK"], wanted.K, 1e-11));
                CHECK(near(slopes["dL/dV"], wanted.V, 1e-11));
            }
    }
}

TEST_CASE("a stored 0 is a number, of which no product is left out unseen", "[prefixes]") {
    const std::size_t n = 300;
    array V = drawn({n, c}, 3);
    for (std::size_t y = 0; y < c; ++y) entry(V, 250 * c + y) = std::nan("");
    const program p = text("A^{ij} = [j \\le i] Q^{ia} K^{ja}\nO^{ic} = A^{ij} V^{jc}").keep({"A"});
    const array got = run(p, {{"Q", drawn({n, a}, 1)}, {"K", drawn({n, a}, 2)}, {"V", V}})["O"];
    for (const double x : values_of(got)) CHECK(std::isnan(x));
}

TEST_CASE("a column of weights that is read beside all of them", "[masked_pairs]") {
    const program p = text(
        "S^{jk} = \\operatorname{softmax}_k(G^j O^k)\n"
        "T^{jk} = S^{jk} (H^j O^k - \\sum_m S^{jm} H^j O^m)\n"
        "d = \\sum_b \\sum_j (T^{j,0} S^{jb} + S^{j,0} T^{jb}) b");
    constexpr std::size_t rows = 2, columns = 3;
    const array g = drawn({rows}, 51), o = drawn({columns}, 52), h = drawn({rows}, 53);
    double want = 0;
    for (std::size_t j = 0; j < rows; ++j) {
        double weights[columns], slopes[columns], sum = 0, mean = 0;
        for (std::size_t k = 0; k < columns; ++k)
            sum += weights[k] = std::exp(entry(g, j) * entry(o, k));
        for (double& w : weights) w /= sum;
        for (std::size_t k = 0; k < columns; ++k) mean += weights[k] * entry(h, j) * entry(o, k);
        for (std::size_t k = 0; k < columns; ++k)
            slopes[k] = weights[k] * (entry(h, j) * entry(o, k) - mean);
        for (std::size_t b = 0; b < columns; ++b)
            want += static_cast<double>(b) * (slopes[0] * weights[b] + weights[0] * slopes[b]);
    }
    CHECK(std::abs(entry(run(p, {{"G", g}, {"O", o}, {"H", h}})["d"], 0) - want) < 1e-12);
}
