// Derivatives of texts whose letters have their extents from one another, or from the caller: what
// is derived has to run as far, whichever of them its equations keep.
#include <map>
#include <random>
#include <string>
#include <vector>

#include "tests/gradient/texts.hpp"
#include "tests/property/settings.hpp"

#include "tests/catch.hpp"

using ricci::testing::given_tensor;
using ricci::testing::is_of_text;
using ricci::testing::text_check;

namespace {

using extents = std::map<std::string, std::int64_t>;

std::string wrong_in(const std::string& text, const std::string& of,
                     std::vector<given_tensor> inputs, extents given = {}) {
    return text_check(text, std::move(inputs), std::move(given)).run(of, true);
}

/// Nested reductions over i and k with primes, whose bodies have plain places, shifted ones,
/// divided axes, edges, conditions and positions of them, or nothing.
class random_text {
public:
    explicit random_text(unsigned seed) : random_(seed) {}

    std::string write() {
        std::string text;
        const bool two = below(3) == 0;
        if (two) text = "a = " + reduction({}, 1) + "\n";
        const std::string left = below(3) == 0 ? letter({}) : "";
        if (left.empty()) text += "r = ";
        else text += "r^{" + left + "} = b^{" + left + "} ";
        const std::vector<std::string> around(left.empty() ? 0 : 1, left);
        text += reduction(around, 2);
        if (below(2) == 0) text += " " + reduction(around, 1);
        if (two) text += " a";
        if (below(2) == 0) text += " + " + reduction(around, 1);
        return text;
    }
    extents given(const std::string& text) {
        extents out;
        for (const std::string i : {"i", "i'", "i''", "k", "k'", "k''"})
            if (below(3) > 0 && (i.size() == 1 || below(3) == 0) &&
                (text.find("_{" + i + "}") != std::string::npos ||
                 text.find("_{" + i + " :") != std::string::npos))
                out[i] = 1 + static_cast<std::int64_t>(below(4));
        return out;
    }

private:
    std::size_t below(std::size_t n) { return random_() % n; }
    template <class List>
    auto one_of(const List& list) {
        return list[below(std::size(list))];
    }
    std::string letter(const std::vector<std::string>& taken) {
        static const char* const letters[] = {"i", "i'", "i''", "k", "k'", "k''"};
        for (;;) {
            const std::string i = one_of(letters);
            bool free = true;
            for (const auto& t : taken) free = free && t != i;
            if (free) return i;
        }
    }
    std::string name() {
        static const char* const names[] = {"x", "w", "v"};
        return one_of(names);
    }
    std::string factor(const std::string& i, const std::vector<std::string>& around, int depth) {
        const std::string other = around.empty() ? "" : one_of(around);
        const std::string more = std::to_string(below(3));
        switch (below(14)) {
            case 0:
                return name() + "^{" + i + "}";
            case 1:
                return name() + "^{" + i + "+1}";
            case 2:
            case 3:
                if (other.empty()) return name() + "^{3-" + i + "}";
                return name() + "^{" + other + "-" + i + "+" + std::to_string(1 + below(3)) + "}";
            case 4:
                if (other.empty()) return name() + "^{2" + i + "}";
                return name() + "^{" + i + "-" + other + "+" + std::to_string(1 + below(3)) + "}";
            case 5: {
                static const char* const ends[] = {"wrap", "clamp", "pad"};
                return name() + "^{\\operatorname{" + one_of(ends) + "}(" + i + "+" + more + ")}";
            }
            case 6:
                if (other.empty()) return "[" + i + " \\le 1] c";
                return "[" + i + " \\le " + other + "] c";
            case 7:
                return "(1 + 0.1 " + i + ")";
            case 8:
                if (other.empty()) return "c";
                return "z^{(" + (below(2) == 0 ? i + other : other + i) + ")}";
            case 9:
                if (other.empty()) return "\\sin(c)";
                return name() + "^{" + i + "+" + other + "}";
            case 10:
                return "\\frac{c}{\\sum_{" + i + "'''} 1}";
            default:
                if (depth == 0) return "c";
                std::vector<std::string> inner = around;
                inner.push_back(i);
                return reduction(inner, depth - 1);
        }
    }
    std::string reduction(const std::vector<std::string>& around, int depth) {
        const std::string i = letter(around);
        std::string body = factor(i, around, depth);
        for (std::size_t more = below(3); more > 0; --more)
            body += " \\cdot " + factor(i, around, depth);
        std::string below_sign = i;
        if (below(5) == 0 && !around.empty()) below_sign += " : " + i + " \\le " + one_of(around);
        static const char* const signs[] = {"\\operatorname{mean}", "\\operatorname{mean}",
                                            "\\operatorname{logsumexp}", "\\prod", "\\sum"};
        const std::size_t sign = below(6);
        if (sign > 3) return "(\\sum_{" + i + "} " + body + ")";
        return std::string("(") + signs[sign] + "_{" + below_sign + "}(" + body + "))";
    }

    std::mt19937 random_;
};

}  // namespace

TEST_CASE("the axis that a place is written out on lends its letter to nothing", "[gradient]") {
    CHECK(wrong_in("r^{l'} = \\operatorname{mean}_{i'}(\\operatorname{mean}_{n'}(z^{(n'l')}) "
                   "(\\sum_{n'} [l' < n'] x^{i'-n'+1}))",
                   "r", {{"z", {2}}, {"x", {11}}}, {{"i", 10}, {"n", 2}}) == "");
    CHECK(wrong_in("r^{jn'} = \\operatorname{mean}_{i' : i' \\le j}(\\sum_b x^{(n'+b)(i'-j+1)})",
                   "r", {{"x", {1, 2}}}, {{"i", 1}, {"j", 2}, {"n", 1}, {"b", 1}}) == "");
    CHECK(wrong_in("r^j = \\prod_{i'} x^{i'-j+1, j}", "r", {{"x", {3, 2}}}, {{"i", 2}}) == "");
    CHECK(wrong_in("r = (\\sum_{j',b} z^{1, j'-b+1}) x^{0,}", "r", {{"z", {2, 2}}, {"x", {1}}},
                   {{"j", 1}, {"b", 2}}) == "");
    CHECK(wrong_in("r = (\\sum_{k'} x^{3-k'}) \\operatorname{mean}_k(x^k w^k)", "r",
                   {{"x", {6}}, {"w", {6}}}) == "");
}

TEST_CASE("a letter has its extent from where the source has it", "[gradient]") {
    const std::vector<given_tensor> inputs{{"x", {6}}, {"w", {5}}, {"v", {4}}, {"c", {}}};
    // by what an edge leaves open, as the letter stands below two signs
    CHECK(wrong_in("r = \\operatorname{logsumexp}_{k'}(w^{2k'} x^{2k'}) + "
                   "\\operatorname{logsumexp}_i(w^i \\sum_{k'} w^{\\operatorname{wrap}(k'+2)} c)",
                   "r", inputs) == "");
    // by the letter before the place that a condition hides
    CHECK(wrong_in("r = \\operatorname{mean}_{k''}([k'' \\le 1] c v^{2k''}) + "
                   "\\operatorname{logsumexp}_{k'}(v^{k'+1} c)",
                   "r", inputs) == "");
    // a condition that is derived hides no place of the source
    CHECK(wrong_in("r = \\prod_{k''} \\operatorname{mean}_i(w^{i+k''})", "r", inputs, {{"k", 4}}) ==
          "");
    CHECK(wrong_in("r = \\operatorname{mean}_i(v^{2i} \\operatorname{mean}_k(x^{k+1} x^{i-k+3})) "
                   "\\operatorname{mean}_k(x^k c)",
                   "r", inputs, {{"i", 2}}) == "");
}

TEST_CASE("what a letter with primes is given is nothing of what is derived", "[gradient]") {
    const given_tensor d{"D", {8}}, e{"E", {6}}, a{"A", {5}};
    CHECK(wrong_in("y = \\sum_{j'} D^{j'+1}\nr = y + \\operatorname{mean}_j A^j", "r", {d, a},
                   {{"j'", 3}}) == "");
    CHECK(wrong_in("y^{i'} = D^{i'}\nz = \\operatorname{mean}_i (A^i)\nr = \\sum_{i'} y^{i'} z",
                   "r", {d, a}, {{"i'", 8}}) == "");
    const given_tensor x{"x", {6}}, v{"v", {4}}, b{"b", {3}}, c{"c", {}};
    CHECK(wrong_in("r^i = b^i \\operatorname{logsumexp}_{i'}([i' \\le i] c) "
                   "+ \\operatorname{mean}_{i''}(x^{i-i''+1} [i'' \\le i] c)",
                   "r", {b, c, x}, {{"i'", 4}}) == "");
    CHECK(wrong_in("r^k = b^k (\\sum_{i'} (1 + 0.1 i')) \\operatorname{mean}_i(x^i)", "r", {b, x},
                   {{"i'", 3}}) == "");
    CHECK(wrong_in("r = (\\prod_{i'}(v^{\\operatorname{clamp}(i'+2)} [i' \\le 1] c "
                   "x^{\\operatorname{wrap}(i'+1)})) (\\operatorname{mean}_{i''}(x^{i''+1} "
                   "\\operatorname{mean}_i(x^{i+i''})))",
                   "r", {v, x, c}, {{"i", 4}, {"i'", 2}}) == "");
    for (const char* const i : {"i'", "i''"})
        for (const char* const k : {"i", "i'", "i'''"}) {
            if (std::string(i) == k) continue;
            const std::string text = "r = (\\sum_{" + std::string(i) + "} D^{" + i +
                                     "+1})^2 (\\sum_{" + k + "} E^{" + k + "+1})^2";
            CHECK(wrong_in(text, "r", {d, e}, {{i, 2}}) == "");
            CHECK(wrong_in(text, "r", {d, e}, {{k, 2}}) == "");
        }
}

TEST_CASE("a count is of what is around it through all sums", "[gradient]") {
    CHECK(wrong_in("r^{k'} = b^{k'} (\\operatorname{mean}_k(x^{k'-k+3} \\frac{c}{\\sum_{k'''} 1})) "
                   "(\\operatorname{mean}_{k''}(\\frac{c}{\\sum_{k'''''} 1}))",
                   "r", {{"b", {3}}, {"x", {6}}, {"c", {}}}) == "");
}

TEST_CASE("what says an extent in the source says it in what is derived", "[gradient]") {
    // k'' and i are open in v^{k''+i}: k, which is around it, says k''
    CHECK(wrong_in("r^k = b^k (\\sum_i (\\operatorname{mean}_{k''}(v^{k''+i} "
                   "\\prod_{i'}(w^{k-i'+1})))) (\\operatorname{logsumexp}_{k''}(z^{(k''k)} "
                   "v^{\\operatorname{clamp}(k''+0)}))",
                   "r", {{"b", {3}}, {"v", {4}}, {"w", {5}}, {"z", {6}}}, {{"i'", 1}}) == "");
    // the place that is taken around v says i' before i'' has an extent
    CHECK(wrong_in("r = (\\operatorname{mean}_{i''}(w^{i''} \\operatorname{mean}_{i : i \\le i''}("
                   "\\operatorname{logsumexp}_k(x^{\\operatorname{pad}(k+1)})))) "
                   "(\\operatorname{logsumexp}_{i''}(\\prod_{i'}(v^{\\operatorname{wrap}(i'+1)})))",
                   "r", {{"x", {6}}, {"v", {4}}, {"w", {5}}}) == "");
}

TEST_CASE("a letter of two extents is refused before it is differentiated", "[gradient]") {
    const std::vector<given_tensor> inputs{{"x", {6}}, {"w", {5}}, {"c", {}}};
    const std::string wrong =
        wrong_in("r = (\\sum_{k''} (\\sum_{k'} x^{k'+1}) c) (\\sum_{k'} w^{2k'})", "r", inputs);
    CAPTURE(wrong);
    CHECK(wrong.find("nothing says which extent the index k'' has: 5 in axis 0 of x, or 3 in axis "
                     "0 of w") != std::string::npos);
    // but where a place says it
    CHECK(wrong_in("r = (\\sum_{k''} (\\sum_{k'} x^{k'+1}) x^{\\operatorname{clamp}(k''+0)}) "
                   "(\\sum_{k'} w^{2k'})",
                   "r", inputs) == "");
}

TEST_CASE("random letters that have their extents from one another", "[gradient]") {
    const unsigned first = ricci::testing::first_seed(), count = ricci::testing::program_count(40);
    unsigned checked = 0;
    for (unsigned seed = first; seed < first + count; ++seed) {
        random_text random(seed);
        const std::string text = random.write();
        const extents given = random.given(text);
        std::string words;
        for (const auto& [i, n] : given) words += " " + i + " = " + std::to_string(n);
        INFO("seed " << seed << words << "\n" << text);
        const std::string wrong = wrong_in(
            text, "r", {{"x", {6}}, {"w", {5}}, {"v", {4}}, {"z", {6}}, {"b", {3}}, {"c", {}}},
            given);
        if (is_of_text(wrong, text)) continue;
        ++checked;
        CHECK(wrong == "");
    }
    UNSCOPED_INFO(checked << " of " << count);
    CHECK(checked > count / 8);
}
