// Derivatives of texts in which a tensor is as long as those that read it make it: what is derived
// may keep the tensor and none of these.
#include <random>
#include <string>
#include <vector>

#include "tests/gradient/texts.hpp"
#include "tests/property/settings.hpp"

#include "tests/catch.hpp"

using ricci::testing::all_of;
using ricci::testing::given_tensor;
using ricci::testing::is_of_text;

namespace {

/// A tensor of positions, sometimes one made of it, and one or two numbers made of both.
class random_text {
public:
    explicit random_text(unsigned seed) : random_(seed) {}

    std::string write() {
        static const char* const positions[] = {"j + 1",
                                                "e^{-j/2}",
                                                "(j - 1)^2",
                                                "\\cos(0.3 j)",
                                                "\\operatorname{mean}_k([k < j])",
                                                "\\operatorname{mean}_{j'}([j' < j])"};
        std::string text = "P^j = " + std::string(positions[below(6)]) + "\n";
        std::string read = "P";
        if (below(3) == 0) {
            text += below(2) == 0 ? "Q^j = 2 P^j\n" : "Q^k = P^k z\n";
            read = below(2) == 0 ? "Q" : "P";
        }
        const bool two = below(3) == 0;
        if (two) text += "a = " + number(read) + "\n";
        if (below(4) == 0)
            return text + "Z^m = " + read + "^m " + place("m") + "\nr = \\sum_i Z^i" +
                   (two ? " + a" : "");
        return text + "r = " + number(two ? "P" : read) + (two ? " + a" : "");
    }

private:
    std::size_t below(std::size_t n) { return random_() % n; }
    std::string place(const std::string& i) {
        const std::string places[] = {i + "+1",
                                      "2" + i,
                                      i + "+2",
                                      "2" + i + "+1",
                                      "\\operatorname{pad}(" + i + "+1)",
                                      "\\operatorname{clamp}(" + i + "+1)"};
        return "x^{" + places[below(6)] + "}";
    }
    std::string number(const std::string& read) {
        static const char* const letters[] = {"j", "i", "j'", "k"};
        static const char* const signs[] = {"\\sum", "\\operatorname{mean}",
                                            "\\operatorname{logsumexp}"};
        const std::string i = letters[below(4)];
        const std::string x = below(2) == 0 ? place(i) : "(" + place(i) + ")^2";
        return std::string(signs[below(3)]) + "_{" + i + "} (" + read + "^{" + i +
               (below(2) == 0 ? "} " : "} + ") + x + ")";
    }

    std::mt19937 random_;
};

}  // namespace

TEST_CASE("a tensor of positions is as long as what reads it makes it", "[gradient]") {
    const given_tensor x{"x", {5}};
    CHECK(all_of("P^j = j + 1\nr = \\operatorname{mean}_j (P^j (x^{j+1})^2)", "r", {x}) == "");
    CHECK(all_of("w^t = e^{-t/2}\nr = \\operatorname{mean}_t (w^t (x^{t+1})^2)", "r", {x}) == "");
    for (const char* const at : {"\\operatorname{pad}(t+1)", "\\operatorname{clamp}(t+1)", "2t"})
        CHECK(all_of("w^t = e^{-t/2}\nr = \\operatorname{mean}_t (w^t (x^{" + std::string(at) +
                         "})^2)",
                     "r", {x}) == "");
    CHECK(all_of("y^j = \\operatorname{mean}_{i'}([i' < j])\n"
                 "r = \\operatorname{mean}_j (y^j (x^{j+1})^2)",
                 "r", {x}) == "");
    CHECK(all_of("P^j = j + 1\nQ^j = 2 P^j\nr = \\operatorname{mean}_j (Q^j (x^{j+1})^2) + "
                 "\\sum_j P^j x^{j+1}",
                 "r", {x}) == "");
    CHECK(all_of("P^j = j + 1\nZ^j = P^j (x^{j+1})^2\nr = \\operatorname{mean}_j Z^j", "r", {x}) ==
          "");
    CHECK(all_of("P^{jk} = j + 2 k\nr = \\operatorname{mean}_{jk} (P^{jk} (x^{j+1,2k})^2)", "r",
                 {{"x", {5, 7}}}) == "");
    // two letters of one place, of which a use says one
    CHECK(all_of("y^i = \\sum_k b^{i+k}\nr = \\sum_j y^j x^{2j}", "r", {{"b", {6}}, x}) == "");
}

TEST_CASE("random tensors that are as long as what reads them", "[gradient]") {
    const unsigned first = ricci::testing::first_seed(), count = ricci::testing::program_count(16);
    unsigned checked = 0;
    for (unsigned seed = first; seed < first + count; ++seed) {
        random_text random(seed);
        const std::string text = random.write();
        INFO("seed " << seed << "\n" << text);
        // the text itself may be refused: two of its sums can say two lengths
        const std::string wrong = all_of(text, "r", {{"x", {7}}, {"z", {}}});
        if (is_of_text(wrong, text)) continue;
        ++checked;
        CHECK(wrong == "");
    }
    CHECK(checked > count / 4);
}
