// Texts that print alike and mean two things are refused, and both ways to write them are read,
// each as what it says.
#include "tests/static/support.hpp"

namespace {

using ricci::detail::text_builder;
using ricci::detail::text_view;
using ricci::ir::mistake_kind;
using ricci::notation::parse_equations;
using ricci::testing::is_accepted;
using ricci::testing::is_text;
using ricci::testing::latex_of;
using ricci::testing::prints;
using ricci::testing::refused;

/// Where `part` begins the last time, or -1.
constexpr std::int32_t last_of(text_view text, text_view part) {
    for (std::int32_t at = text.size - part.size; at >= 0; --at)
        if (text.slice(at, at + part.size) == part) return at;
    return -1;
}
/// `text` with what the mistake marks replaced by `by` is read, and is what `meaning` is.
constexpr bool means(text_view text, const ricci::ir::mistake& mistake, text_view by,
                     text_view meaning) {
    text_builder written;
    written << text.slice(0, mistake.begin) << by << text.slice(mistake.end, text.size);
    const auto read = parse_equations(written), wanted = parse_equations(meaning);
    return !read.mistake && !wanted.mistake &&
           is_text(latex_of(read.program), latex_of(wanted.program));
}
/// `text` is refused, and the two texts that its mistake shows mean `one` and `other`.
constexpr bool both_ways(text_view text, text_view one, text_view other) {
    const auto read = parse_equations(text);
    const text_view words = read.mistake.words;
    const text_view write = "; write ", divides = " or ";
    const std::int32_t begin = last_of(words, write), middle = last_of(words, divides);
    return read.mistake.kind == mistake_kind::unexpected && begin >= 0 && middle > begin &&
           means(text, read.mistake, words.slice(begin + write.size, middle), one) &&
           means(text, read.mistake, words.slice(middle + divides.size, words.size), other);
}

// Functions without parentheses -------------------------------------------------------------------

static_assert(both_ways(R"(y_i = \sin 2 x_i)", R"(y_i = \sin(2 x_i))", R"(y_i = (\sin(2)) x_i)"));
static_assert(both_ways(R"(y_i = \cos \omega t_i)", R"(y_i = \cos(\omega t_i))",
                        R"(y_i = (\cos(\omega)) t_i)"));
static_assert(both_ways(R"(y = \sum_k a_k \cos k x)", R"(y = \sum_k a_k \cos(k x))",
                        R"(y = \sum_k a_k (\cos(k)) x)"));
static_assert(both_ways(R"(y = \sum_i p_i \log p_i / q_i)",
                        R"(y = \sum_i p_i \log(\frac{p_i}{q_i}))",
                        R"(y = \sum_i p_i \frac{\log(p_i)}{q_i})"));
static_assert(both_ways(R"(y_i = \operatorname{relu} 2 x_i + z_i)",
                        R"(y_i = \operatorname{relu}(2 x_i) + z_i)",
                        R"(y_i = \operatorname{relu}(2) x_i + z_i)"));
static_assert(both_ways(R"(y = \sin^2 2 x)", R"(y = (\sin(2 x))^2)", R"(y = (\sin(2))^2 x)"));
static_assert(both_ways(R"(y = \log \sin x z)", R"(y = \log(\sin(x z)))",
                        R"(y = \log(\sin(x)) z)"));
static_assert(both_ways(R"(y = a / \sin 2 x)", R"(y = \frac{a}{\sin(2 x)})",
                        R"(y = \frac{a}{\sin(2)} x)"));
static_assert(both_ways(R"(y = \sin 2 \cdot x \cdot z)", R"(y = \sin(2 x) z)",
                        R"(y = \sin(2) x z)"));
static_assert(both_ways(R"(y = \exp x \cos z)", R"(y = \exp(x \cos(z)))",
                        R"(y = \exp(x) \cos(z))"));
static_assert(both_ways(R"(y = \sin 2 x \cos z)", R"(y = \sin(2 x) \cos(z))",
                        R"(y = (\sin(2)) x \cos(z))"));
static_assert(both_ways(R"(y^i = \operatorname{softmax}_i x^i / T)",
                        R"(y^i = \operatorname{softmax}_i(\frac{x^i}{T}))",
                        R"(y^i = \frac{\operatorname{softmax}_i(x^i)}{T})"));
static_assert(both_ways(R"(y = \max_j x_j z)", R"(y = \max_j(x_j z))", R"(y = (\max_j(x_j)) z)"));
static_assert(both_ways(R"(y = -\frac{1}{2} \log 2 \pi s)", R"(y = -\frac{1}{2} \log(2 \pi s))",
                        R"(y = -\frac{1}{2} (\log(2)) \pi s)"));

static_assert(is_accepted(R"(H^i = -\sum_j A^{ij} \log A^{ij})"));
static_assert(prints(R"(y = \sin x \cos z)", R"(y = \sin(x) \cos(z))"));
static_assert(prints(R"(y = \log x \cdot z)", R"(y = \log(x) z)"));
static_assert(prints(R"(y = \log (a + b)(c + d))", R"(y = \log(a + b) (c + d))"));
static_assert(is_accepted(R"(R^{ia} = \sin(i / 10000^{2a/d}) x^{ia})"));
static_assert(is_accepted(R"(y^{ic} = \operatorname{softmax}_j S^{ij} V^{jc})"));

static_assert(both_ways(R"(y_i = \tan^{-1} x_i)", R"(y_i = \frac{1}{\tan(x_i)})",
                        R"(y_i = \arctan(x_i))"));
static_assert(both_ways(R"(y_i = \sin^{-1}(x_i))", R"(y_i = \frac{1}{\sin(x_i)})",
                        R"(y_i = \arctan(\frac{x_i}{\sqrt{1 - (x_i)^2}}))"));
static_assert(both_ways(R"(y = z \cosh^{-1} x)", R"(y = z \frac{1}{\cosh(x)})",
                        R"(y = z \log(x + \sqrt{x^2 - 1}))"));
static_assert(prints(R"(y = \sin^{-2} x)", R"(y = (\sin(x))^{-2})"));
static_assert(refused(R"(y = \operatorname{erf}^{-1}(x))", mistake_kind::unexpected, 1, 5,
                      "none of the notation"));
static_assert(refused("f(x) = x + 1\ny = f^{-1}(z)", mistake_kind::unexpected, 2, 5,
                      "the inverse of the function f"));
static_assert(refused("f(x) = x + 1\ny = f^2(z)", mistake_kind::unexpected, 2, 5,
                      "f(f(z)) for a repetition"));
static_assert(refused(R"(y = \sigma^{-1}(x))", mistake_kind::unexpected, 1, 5, "the inverse"));
static_assert(is_accepted(R"(y = \sigma + \sigma^{-1} (x - \mu))"));
static_assert(is_accepted(R"(y = \sigma^2 (x - \mu))"));
static_assert(refused(R"(y = \log_2 x)", mistake_kind::unexpected, 1, 9, "another base"));

// What / and \bmod divide by ----------------------------------------------------------------------

static_assert(both_ways(R"(p_i = e^{-E_i / k_B T})", R"(p_i = e^{-\frac{E_i}{k_B T}})",
                        R"(p_i = e^{-\frac{E_i}{k_B} T})"));
static_assert(both_ways(R"(y_i = e^{-x_i^2/2\sigma^2})", R"(y_i = e^{-\frac{x_i^2}{2 \sigma^2}})",
                        R"(y_i = e^{-\frac{x_i^2}{2} \sigma^2})"));
static_assert(both_ways(R"(y_i = x_i / 2\pi)", R"(y_i = \frac{x_i}{2 \pi})",
                        R"(y_i = \frac{x_i}{2} \pi)"));
static_assert(both_ways("y = a / b / c d", R"(y = \frac{\frac{a}{b}}{c d})",
                        R"(y = \frac{\frac{a}{b}}{c} d)"));
static_assert(both_ways("y = z + a b / c d / x", R"(y = z + a \frac{\frac{b}{c d}}{x})",
                        R"(y = z + a \frac{b}{c} \frac{d}{x})"));
static_assert(both_ways(R"(y = 1/n \sum_i x_i)", R"(y = \frac{1}{n \cdot (\sum_i x_i)})",
                        R"(y = \frac{1}{n} \sum_i x_i)"));
static_assert(both_ways("y = a / (b + c)(d + x)", R"(y = \frac{a}{(b + c)(d + x)})",
                        R"(y = \frac{a}{b + c} (d + x))"));
static_assert(both_ways(R"(y = a \bmod b c)", R"(y = a \bmod (b c))", R"(y = (a \bmod b) c)"));
static_assert(both_ways(R"(y^{ij} = [i + j \bmod 2 = 0])", R"(y^{ij} = [(i + j) \bmod 2 = 0])",
                        R"(y^{ij} = [i + (j \bmod 2) = 0])"));
static_assert(both_ways(R"(y^i = -i \bmod 3)", R"(y^i = (-i) \bmod 3)", R"(y^i = -(i \bmod 3))"));
static_assert(is_accepted(R"(y^i = i - i \bmod 2)"));
static_assert(prints(R"(y = a/b \cdot c)", R"(y = \frac{a}{b} c)"));
static_assert(prints(R"(y = a / b / c + d)", R"(y = \frac{\frac{a}{b}}{c} + d)"));
static_assert(prints(R"(y = (a / b) c)", R"(y = \frac{a}{b} c)"));
static_assert(prints(R"(y = a / (b c))", R"(y = \frac{a}{b c})"));

// Braces, which are not printed -------------------------------------------------------------------

static_assert(both_ways("y_i = {x_i + z_i} w_i", "y_i = (x_i + z_i) w_i", "y_i = x_i + z_i w_i"));
static_assert(both_ways("y_i = x_i - {z_i + w_i}", "y_i = x_i - (z_i + w_i)",
                        "y_i = x_i - z_i + w_i"));
static_assert(both_ways("y_i = {x_i z_i}^2", "y_i = (x_i z_i)^2", "y_i = x_i (z_i)^2"));
static_assert(both_ways("y = {a + b} / c", R"(y = \frac{a + b}{c})", R"(y = a + \frac{b}{c})"));
static_assert(both_ways("y = a / {b c}", R"(y = \frac{a}{b c})", R"(y = \frac{a}{b} c)"));
static_assert(both_ways("y = k{a + b}", R"(y = k \cdot (a + b))", "y = k a + b"));
static_assert(both_ways("y = c {-b}", R"(y = c \cdot (-b))", "y = c - b"));
static_assert(both_ways(R"(y = {\sum_j x_j} z)", R"(y = (\sum_j x_j) z)", R"(y = \sum_j x_j z)"));
static_assert(both_ways(R"(y = \sum_j {x_j + z})", R"(y = \sum_j (x_j + z))",
                        R"(y = \sum_j x_j + z)"));
static_assert(both_ways(R"(y = {\sin x}^2)", R"(y = (\sin(x))^2)", R"(y = \sin(x^2))"));
static_assert(both_ways(R"(y = \sin{x}^2)", R"(y = (\sin(x))^2)", R"(y = \sin(x^2))"));
static_assert(both_ways(R"(y_i = \sin{2 x_i})", R"(y_i = \sin(2 x_i))", R"(y_i = \sin(2) x_i)"));
static_assert(both_ways(R"(y = \log{a + b})", R"(y = \log(a + b))", R"(y = \log(a) + b)"));
static_assert(both_ways(R"(y = \underbrace{a + b}_{\text{c}} d)", "y = (a + b) d", "y = a + b d"));
static_assert(both_ways("y = x^2^3", "y = (x^2)^3", "y = (x)^{2^3}"));
static_assert(is_accepted("y = {a + b}; z = a + {b + c}; u = {a b} c; v_i = {x_i}^2"));
static_assert(
    is_accepted(R"(y = \exp{-x^2} + \log{x} + \underbrace{a + b}_{\text{c}} + {\sin x})"));
static_assert(is_accepted(R"(y = \sqrt{a + b} c + e^{{a + b}} + |{a + b}| c)"));

// Numbers -----------------------------------------------------------------------------------------

static_assert(both_ways("y_i = 1e-3 x_i", "y_i = 10^{-3} x_i", "y_i = 1 e - 3 x_i"));
static_assert(both_ways("y = x / 2.5E4", R"(y = \frac{x}{2.5 \cdot 10^{4}})",
                        R"(y = x / 2.5 \cdot E \cdot 4)"));
static_assert(both_ways("y = 30 000 x", "y = 30000 x", R"(y = 30 \cdot 0 x)"));
static_assert(both_ways(R"(y = 2 \frac{1}{2} x)", R"(y = (2 + \frac{1}{2}) x)",
                        R"(y = 2 \cdot \frac{1}{2} x)"));
static_assert(both_ways("y = x2", "y = x_{2}", R"(y = x \cdot 2)"));
static_assert(both_ways("y_i = x_i2", "y_i = x_{i2}", R"(y_i = x_i \cdot 2)"));
static_assert(both_ways(R"(y^i = \sum_j x^ij)", R"(y^i = \sum_j x^{ij})",
                        R"(y^i = \sum_j x^i \cdot j)"));
static_assert(is_accepted(R"(y = \sum_i w_ix_i + 2z + 2.5 z + 2^3 4)"));
static_assert(is_accepted(R"(y = \frac{1}{3} \cdot 2 \cdot \frac{1}{2} x)"));

// ^{-1} and indices -------------------------------------------------------------------------------

static_assert(refused("C_{ij} = K_{ij}^{-1}", mistake_kind::unexpected, 1, 10,
                      "write \\frac{1}{K_{ij}} for the first, or (K^{-1})_{ij} for the inverse"));
static_assert(refused("y^i = K^{-1ij} x^j", mistake_kind::unexpected, 1, 7,
                      "write \\frac{1}{K^{ij}} for the first, or (K^{-1})^{ij} for the inverse"));
static_assert(refused(R"(y = \sum_{ij} K^{ij\,-1})", mistake_kind::unexpected, 1, 15,
                      "K^{i,j-1} for the last"));
static_assert(refused(R"(y^i = x^{i}{}^{-1})", mistake_kind::unexpected, 1, 7, "\\frac{1}{x^{i}}"));
static_assert(refused(R"(y^i = x^{i\,-1})", mistake_kind::unexpected, 1, 7, "\\frac{1}{x^{i}}"));
static_assert(refused(R"(y_{ij} = {K_{ij}}^{-1})", mistake_kind::unexpected, 1, 10,
                      "\\frac{1}{K_{ij}}"));
static_assert(refused(R"(y^{ij} = \hat{K}_{\text{new}}_{ij}^{-1})", mistake_kind::unexpected, 1, 10,
                      "\\frac{1}{\\hat{K}_{\\text{new}}_{ij}}"));
static_assert(is_accepted(R"(y^i = (K^{-1})^{ij} x^j)"));
static_assert(is_accepted(R"(y_i = (K^{-1})_{ij} x_j)"));
static_assert(refused(R"(y^i = (K^{-1})^{i1} x^i)", mistake_kind::unexpected, 1, 7, "two indices"));
static_assert(refused(R"(y_i = K^{-1}_{ij} x_j)", mistake_kind::unexpected, 1, 7, "the inverse"));
static_assert(is_accepted(R"(y^i = (K^{-1})^i{}_j x^j)"));
static_assert(refused(R"(y^i = K^{-1}{}^{ij} x^j)", mistake_kind::unexpected, 1, 7, "the inverse"));
static_assert(is_accepted(R"(y = (\gamma^{-1})^t)"));
static_assert(is_accepted(R"(y_{ij} = \frac{1}{K_{ij}} + (K_{ij})^{-1})"));
static_assert(is_accepted(R"(y_i = x_i^{-1} + D_{ii}^{-1/2} + D_{ii}^{2} + {z_i}^{-1})"));
static_assert(is_accepted(R"(y_{ij} = b_{-i+j} + c^{-i+j} + [j \ge 1] K^{i(j-1)} + K^{i,j+1})"));
static_assert(is_accepted(R"(y = K + (K^{-1})^{ij})"));

}  // namespace
