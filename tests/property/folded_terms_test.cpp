// Random maxima, minima and log-sum-exps of sums whose terms have different indices: their values
// beside plain loops in long double, and their gradients by all inputs beside differences.
// RICCI_SEED and RICCI_PROGRAMS say which and how many.
#include <algorithm>
#include <exception>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "src/base/texts.hpp"
#include "tests/catch.hpp"
#include "tests/property/settings.hpp"
#include "tests/unit/slopes.hpp"

using namespace ricci;
using namespace ricci::testing;

namespace {

struct folded_program {
    std::string text;
    std::vector<shaped_input> inputs;
};

class folded_generator {
public:
    explicit folded_generator(unsigned seed) : random_(seed * 2654435761u + 5) {
        static constexpr std::int64_t few[] = {1, 2, 5, 8, 12}, many[] = {16, 17, 20, 24, 31};
        for (const char l : {'i', 'j', 'k'}) extents_[l] = many[below(5)];
        extents_['l'] = few[below(5)];
        if (below(8) == 0) extents_[std::string("ijk")[below(3)]] = 1;
    }

    folded_program run() {
        const std::string terms = sum_of_terms();
        std::string all;
        for (const char l : std::string("ijkl"))
            if (std::ranges::any_of(lists_, [&](const std::string& s) { return has(s, l); }))
                all += l;
        std::string over(1, all[below(static_cast<unsigned>(all.size()))]);
        if (all.size() > 2 && below(4) == 0)
            for (const char l : all)
                if (!has(over, l)) {
                    over += l;
                    break;
                }
        std::string free;
        for (const char l : all)
            if (!has(over, l)) free += l;
        std::shuffle(free.begin(), free.end(), random_);
        std::string below_it = over.size() == 1 ? over : over.substr(0, 1) + "," + over.substr(1);
        if (over.size() == 1 && !free.empty() && below(5) == 0)
            below_it = over + " \\le " + free[0];  // never of nothing
        static const char* const names[] = {"\\max", "\\min", "\\operatorname{logsumexp}"};
        std::string whole = names[below(3)] + ("_{" + below_it) + "}(" + terms + ")";
        if (below(3) == 0) whole += " + " + tensor(some_of(free));
        if (below(4) == 0) whole = "2 " + tensor(some_of(free)) + " + \\tanh(" + whole + ")";
        const std::string left = free.empty() ? "Y" : "Y^{" + free + "}";
        return {left + " = " + whole, inputs_};
    }

private:
    unsigned below(unsigned n) { return static_cast<unsigned>(random_() % n); }
    static bool has(const std::string& list, char l) { return list.find(l) != std::string::npos; }
    std::string some_of(const std::string& letters) {
        std::string some;
        for (const char l : letters)
            if (below(2) == 0) some += l;
        std::shuffle(some.begin(), some.end(), random_);
        return some;
    }
    std::string tensor(const std::string& letters) {
        const std::string name(1, static_cast<char>('A' + inputs_.size()));
        shaped_input made{name, {}};
        for (const char l : letters) made.extents.push_back(extents_[l]);
        inputs_.push_back(std::move(made));
        return letters.empty() ? name : name + "^{" + letters + "}";
    }
    std::string sum_of_terms() {
        const unsigned count = 2 + below(3);
        std::string sum;
        for (unsigned k = 0; k < count; ++k) {
            std::string letters;
            while (letters.empty() || letters.size() > 2) letters = some_of("ijkl");
            lists_.push_back(letters);
            static const char* const factors[] = {"", "", "", "2 ", "\\frac{1}{3} "};
            const std::string sign = below(4) == 0 ? " - " : k == 0 ? "" : " + ";
            std::string t = factors[below(5)];
            const unsigned form = below(8);
            if (form == 0) t += "\\exp(" + tensor(letters) + ")";
            else if (form == 1) t += tensor(letters) + " " + tensor(some_of(letters));
            else t += tensor(letters);
            sum += sign + t;
        }
        return sum;
    }

    std::mt19937 random_;
    std::map<char, std::int64_t> extents_;
    std::vector<std::string> lists_;  // the letters of each term
    std::vector<shaped_input> inputs_;
};

std::string check(const folded_program& p, unsigned seed) {
    try {
        slopes s(program_of(read_equations(p.text)), "Y", p.inputs, seed);
        if (!s.usable()) return {};
        const std::string wrong = s.check_values();
        return wrong.empty() ? s.check_gradients() : wrong;
    } catch (const std::exception& e) {
        return e.what();
    }
}

}  // namespace

TEST_CASE("folds of sums whose terms have different indices, and their gradients") {
    const unsigned first = first_seed(), count = program_count(20);
    unsigned failures = 0;
    for (unsigned seed = first; seed < first + count && failures < 5; ++seed) {
        const folded_program p = folded_generator(seed).run();
        const std::string wrong = check(p, seed);
        if (wrong.empty()) continue;
        ++failures;
        FAIL_CHECK("seed " << seed << "\n" << p.text << "\n" << wrong);
    }
}
