// Derivatives of what is made of derivatives, written within one text: each is what differences of
// its subject say, to third order, and what `gradient` of `gradient` and the other ways to it give.
#include <algorithm>
#include <cmath>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "tests/catch.hpp"
#include "tests/property/derived.hpp"
#include "tests/property/random_programs.hpp"
#include "tests/property/settings.hpp"

using namespace ricci;
using namespace ricci::testing;

namespace {

using tensors = std::map<std::string, dense>;

std::string places(std::size_t rank, const std::string& letters = "pqrswz") {
    return rank == 0 ? "" : "^{" + letters.substr(0, rank) + "}";
}
std::string over(std::size_t rank, const std::string& letters = "pqrswz") {
    std::string out;
    for (std::size_t k = 0; k < rank; ++k) out += std::string(k > 0 ? "," : "") + letters[k];
    return rank == 0 ? "" : "\\sum_{" + out + "} ";
}

/// A random program, and below it lines that differentiate again and again.
class nested {
public:
    nested(const random_program& p, std::size_t a, std::size_t b, std::size_t c)
        : p_(p), a_(p.tensors[a]), b_(p.tensors[b]), c_(p.tensors[c]), numbers_{a, b, c} {
        const declaration& y = result_of(p);
        const std::size_t rank = y.extents.size();
        // The lines below write every index above, whatever the program does.
        text_ = writer(p, with_all_sums{}).text() +
                line("first", "", over(rank) + "(" + y.latex + places(rank) + ")^2");
        bend_ = "(" + by("first", a_) + ")^2";
        text_ += line("bend", "", sum(a_, bend_) + (p.seed % 2 ? " + \\text{first}" : ""));
        text_ += line("slope", places(b_.extents.size()), by("bend", b_));
        const bool direct = p.seed % 3 == 0;  // no name for what is between
        text_ += line("twist", "",
                      sum(b_, direct ? by("bend", b_) + " \\sin(" + by("bend", b_) + ")"
                                     : "(\\text{slope}" + places(b_.extents.size()) + ")^2"));
        text_ += line("third", places(c_.extents.size()), by("twist", c_));
        // The same second derivatives as a Jacobian, a trace and a direction.
        const std::size_t both = a_.extents.size() + b_.extents.size();
        if (both <= 6) {
            const std::string q = std::string("pqrswz").substr(a_.extents.size());
            const auto entry = [&](const declaration& second, const std::string& at) {
                return "\\frac{\\partial^2 \\text{first}}{\\partial " + a_.latex +
                       places(a_.extents.size()) + " \\partial " + second.latex +
                       places(second.extents.size(), at) + "}";
            };
            text_ += line("entries", places(both), entry(b_, q));
            text_ += line("trace", "", sum(a_, entry(a_, "pqrswz")));
        }
        entries_ = text_;
        text_ += line("along", places(a_.extents.size()),
                      "\\frac{d}{d t} " + by("first", a_) + " + 0 (" +
                          over(b_.extents.size(), "mnoufc") + "\\frac{d " + b_.latex +
                          places(b_.extents.size(), "mnoufc") + "}{d t})");
    }
    const std::string& text() const { return text_; }

    std::string check() {
        // Of some programs the third derivatives have thousands of sums: the tangent of all that
        // takes minutes.
        if (read_program(entries_).program.nodes.size() > 5000) return {};
        const auto read = read_program(text_);
        if (read.mistake) return "not read: " + spelled(read.mistake.words) + "\n" + text_;
        program_ = read.program;
        for (ir::name_symbol& s : program_.names)
            s.kept = program_.definition(program_.find(program_.text(s.text))) != ir::none;
        try {
            const tensors here = run({}, 0);
            compare("bend by differences", 1, here, "slope", "bend");
            compare("twist by differences", 2, here, "third", "twist");
            compare_entries(here);
        } catch (const std::exception& e) {
            if (wrong_.empty()) wrong_ = std::string("refused: ") + e.what();
        }
        return wrong_.empty() ? "" : wrong_ + "\n" + text_ + "\n" + to_latex(program_.view());
    }

private:
    static std::string line(const std::string& name, const std::string& at,
                            const std::string& body) {
        return "\\text{" + name + "}" + at + " = " + body + "\n";
    }
    static std::string by(const std::string& of, const declaration& d) {
        return "\\frac{\\partial \\text{" + of + "}}{\\partial " + d.latex +
               places(d.extents.size()) + "}";
    }
    static std::string sum(const declaration& d, const std::string& body) {
        return over(d.extents.size()) + body;
    }
    dense direction(std::size_t which) const {
        std::mt19937 random(p_.seed * 31u + static_cast<unsigned>(which));
        dense v = dense::zeros(p_.tensors[numbers_[which]].extents);
        for (auto& x : v.values) x = static_cast<double>(random() % 2001) / 1000 - 1;
        return v;
    }
    /// What the text gives where one tensor has moved so far.
    tensors run(std::vector<std::size_t> which, double far) const {
        std::map<std::size_t, dense> changed;
        for (const std::size_t k : which) {
            dense x = input_values(p_).of(numbers_[k], element::f64);
            const dense v = direction(k);
            for (std::size_t n = 0; n < x.values.size(); ++n) x.values[n] += far * v.values[n];
            changed[numbers_[k]] = x;
        }
        const tensors more{{"d/dt " + b_.name, direction(1)}};
        return run_derived(p_, program_, more, changed);
    }
    static long double dot(const dense& a, const dense& b, long double& size) {
        long double value = 0;
        for (std::size_t k = 0; k < a.values.size(); ++k) {
            value += a.values[k] * b.values[k];
            size += std::abs(a.values[k] * b.values[k]);
        }
        return value;
    }
    /// The derivative along a direction against differences of the subject along it.
    void compare(const char* what, std::size_t which, const tensors& here, const std::string& slope,
                 const std::string& subject) {
        constexpr double h = 2e-3;
        const dense v = direction(which);
        if (here.at(slope).extents != v.extents) return fail(what, ": another shape");
        long double size = 0;
        const long double got = dot(here.at(slope), v, size);
        const auto at = [&](double far) { return run({which}, far).at(subject).values[0]; };
        const long double near = (at(h) - at(-h)) / (2 * h),
                          far = (at(2 * h) - at(-2 * h)) / (4 * h);
        const long double wanted = (4 * near - far) / 3, error = std::abs(near - far) / 3;
        if (!std::isfinite(wanted) || error > 0.05L * (std::abs(wanted) + size)) return;
        size = std::max({size, std::abs(here.at(subject).values[0]), 1.0L});
        if (std::abs(got - wanted) <= 2e-5L * size + 0.1L * error) return;
        fail(what, ": " + std::to_string(static_cast<double>(got)) + " instead of " +
                       std::to_string(static_cast<double>(wanted)));
    }
    void compare_entries(const tensors& here) {
        if (here.count("entries") == 0) return;
        const dense &entries = here.at("entries"), v = direction(1);
        const std::size_t columns = v.values.size();
        if (columns == 0) return;
        const std::size_t rows = entries.values.size() / columns;
        dense along = dense::zeros(here.at("along").extents);
        long double size = 1, trace = 0;
        if (along.values.size() != rows) return fail("entries", ": another shape");
        for (std::size_t r = 0; r < rows; ++r)
            for (std::size_t c = 0; c < columns; ++c) {
                const long double x = entries.values[r * columns + c];
                along.values[r] += x * v.values[c];
                size = std::max(size, std::abs(x));
                if (numbers_[0] == numbers_[1] && r == c) trace += x;
            }
        for (std::size_t r = 0; r < rows; ++r)
            if (std::abs(along.values[r] - here.at("along").values[r]) > 1e-9L * size)
                fail("entries along a direction", ": " + std::to_string(r));
        if (numbers_[0] == numbers_[1] &&
            std::abs(trace - here.at("trace").values[0]) > 1e-9L * size * static_cast<double>(rows))
            fail("trace", ": differs");
        by_gradients(here, entries, size);
    }
    /// gradient of gradient: the row of each output cotangent.
    void by_gradients(const tensors& here, const dense& entries, long double size) {
        const std::string slope = "dL/d" + a_.name, again = "dL'/d" + b_.name;
        const auto read = read_equations(text_.substr(0, text_.find("\\text{bend}")));
        const auto first = gradient_of(read.program, "first", {a_.name});
        if (first.mistake) return;
        const auto second = gradient_of(first.program, slope, {b_.name});
        if (second.mistake) return;
        const dense w = direction(0);
        tensors more{{"dL'/d(" + slope + ")", w}};
        more["dL/dfirst"] = dense::zeros({});
        more["dL/dfirst"].values[0] = 1;
        const dense got = run_derived(p_, second.program, more).at(again);
        for (std::size_t c = 0; c < got.values.size(); ++c) {
            long double wanted = 0;
            for (std::size_t r = 0; r < w.values.size(); ++r)
                wanted += w.values[r] * entries.values[r * got.values.size() + c];
            if (std::abs(got.values[c] - wanted) > 1e-9L * size)
                return fail("gradient of gradient", ": differs");
        }
        (void)here;
    }
    void fail(const std::string& what, const std::string& words) {
        if (wrong_.empty()) wrong_ = what + words;
    }

    const random_program& p_;
    const declaration &a_, &b_, &c_;
    std::size_t numbers_[3];
    std::string text_, entries_, bend_, wrong_;  // entries_: the text without its last line
    ir::program program_;
};

std::string check_nested(const random_program& p) {
    std::vector<std::size_t> inputs;
    for (std::size_t t = 0; t < p.tensors.size(); ++t)
        if (!p.tensors[t].defined && p.tensors[t].places == 0 && reaches(p, t)) inputs.push_back(t);
    if (inputs.empty()) return {};
    const auto pick = [&](unsigned k) { return inputs[k % inputs.size()]; };
    return nested(p, pick(p.seed), pick(p.seed / 3), pick(p.seed / 7)).check();
}

}  // namespace

TEST_CASE("derivatives of derivatives within one text are what differences say") {
    on_random_programs(program_count(600) / 10, smooth, check_nested);
}
