// Random programs of the shape that is fused: a contraction, a chain of element-wise equations, a
// normalisation or none, and a contraction again.
#pragma once

#include <algorithm>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "tests/property/fused_choices.hpp"

namespace ricci::testing {

/// Places along `over` in a plane, by their names, with the indices of both in order.
struct drawn_places {
    std::string name, indices, plane, plane_indices;
    char over = 'j';
};

/// A program and what its inputs are.
struct fused_program {
    std::string text;
    std::vector<std::string> wrt;                 // inputs that have a gradient
    std::map<std::string, std::string> contents;  // "mask", "truth", "numbers", …
    std::vector<drawn_places> places;
};

/// Writes the choices down as equations.
class fused_writer {
public:
    explicit fused_writer(const fused_choices& c) : c_(c) {}

    fused_program write() {
        plane_ = c_.batch + c_.queries + c_.rows + c_.columns;
        const auto keys = without(c_.batch, c_.keys_lack) + c_.columns + c_.contracted;
        const auto queries = input("Q", c_.batch + c_.queries + c_.rows + c_.contracted);
        const auto keyed = c_.has_own_keys() ? with_place(queries, 'i', "j")
                           : c_.finds_keys   ? found("K", keys)
                                             : input("K", keys);
        if (c_.of == scores::products) {
            line("S", plane_, queries + " " + keyed);
        } else {
            const auto weights =
                c_.of == scores::distances
                    ? ""
                    : input("w", c_.contracted, c_.seed % 4 == 0 ? "" : "positive") + " ";
            line("S", plane_,
                 "\\frac{1}{4} \\sum_{" + listed(c_.contracted) + "} " + weights + "(" + queries +
                     " - " + keyed + ")^2");
        }
        current_ = use("S", plane_);
        for (std::size_t k = 0; k < c_.chain.size(); ++k)
            add(c_.chain[k], std::string(1, static_cast<char>('A' + k)));
        for (std::size_t k = 0; k < c_.folds.size(); ++k) add_fold(c_.folds[k], k == 0 ? "E" : "L");
        if (c_.picks_a_score && !c_.rows.empty() && c_.columns == "j" && c_.extent('j') > 0)
            added_ += " + \\tanh(" + with_place(current_, 'j', number("y", "i", "columns")) + ")";
        normalise();
        if (c_.factor_after) {
            line("D", plane_, current_ + " " + input("Z", some_of("Z"), sign()));
            current_ = use("D", plane_);
        }
        const auto values = without(c_.batch, c_.values_lack) + c_.columns + c_.values;
        const auto product =
            current_ + " " +
            (c_.pulls          ? input("m", c_.columns) + " (" + keyed + " - " + queries + ")"
             : c_.finds_values ? found("V", values)
                               : input("V", values));
        line("O", c_.batch + c_.queries + c_.rows + (c_.pulls ? c_.contracted : c_.values),
             (is_quotient() ? "\\frac{\\sum_{" + listed(c_.columns) + "} " + product + "}{" +
                                  over_columns(current_) + "}"
                            : product) +
                 added_);
        for (int k = 0; k < c_.sums; ++k) {
            const std::string name(1, static_cast<char>('W' + k));
            const auto kept = some_of(name);
            const auto summed = without(plane_, kept);
            if (!summed.empty())
                line(name, kept, "\\sum_{" + listed(summed) + "} " + part_of_sum(name));
            if (!summed.empty()) sums_.push_back(use(name, kept));
        }
        return std::move(p_);
    }

private:
    static std::string without(const std::string& letters, const std::string& less) {
        std::string result;
        for (const char x : letters)
            if (less.find(x) == std::string::npos) result += x;
        return result;
    }
    static std::string listed(const std::string& letters) {
        std::string result;
        for (const char x : letters) result += std::string(result.empty() ? "" : ",") + x;
        return result;
    }
    bool has(char index) const { return plane_.find(index) != std::string::npos; }

    // What is drawn for a name stays the same when other choices are taken back.
    std::mt19937 random_of(const std::string& name) const {
        unsigned hash = c_.seed * 31 + 7;
        for (const char x : name) hash = hash * 131 + static_cast<unsigned char>(x);
        return std::mt19937(hash);
    }
    std::string ordered(const std::string& name, std::string letters) const {
        if (!c_.shuffled) return letters;
        auto random = random_of(name);
        std::shuffle(letters.begin(), letters.end(), random);
        return letters;
    }
    std::string some_of(const std::string& name) const {
        auto random = random_of(name + "some");
        std::string result;
        for (const char x : plane_)
            if (random() % 100 < 60) result += x;
        return result;
    }
    std::string use(const std::string& name, const std::string& letters) const {
        const auto order = ordered(name, letters);
        return order.empty() ? name : name + "^{" + order + "}";
    }
    void line(const std::string& name, const std::string& letters, const std::string& body) {
        p_.text += use(name, letters) + " = " + body + "\n";
    }
    std::string input(const std::string& name, const std::string& letters,
                      const std::string& contents = {}) {
        if (contents.empty() || contents == "positive") p_.wrt.push_back(name);
        if (!contents.empty()) p_.contents[name] = contents;
        return use(name, letters);
    }
    /// A use at `place` instead of the index.
    static std::string with_place(const std::string& use, char index, const std::string& place) {
        const auto at = use.find(index, use.find("^{"));
        return use.substr(0, at) + " " + place + " " + use.substr(at + 1);
    }
    /// A table, of which numbers of the columns find the places.
    std::string found(const std::string& name, const std::string& letters) {
        return with_place(input(name, letters), 'j', number("u" + name, "j"));
    }
    std::string number(const std::string& name, const std::string& letters,
                       const std::string& contents = "numbers") {
        p_.contents[name] = contents;
        return "\\text{" + name + "}_{" + letters + "}";
    }
    bool has_minus_infinity() const {
        return c_.normal == normaliser::softmax || c_.normal == normaliser::written_out;
    }
    std::string where(const std::string& condition) const {
        return "\\begin{cases} " + current_ + " & \\text{if } " + condition + " \\\\ " +
               (has_minus_infinity() ? "-\\infty" : "0") + " & \\text{otherwise} \\end{cases}";
    }
    // What is divided by its sum has to stay away from 0.
    std::string sign() const { return is_quotient() ? "positive" : ""; }
    bool is_quotient() const {
        return c_.normal == normaliser::by_sum || c_.normal == normaliser::by_exps;
    }
    std::string head() const { return has('h') ? "h" : has('b') ? "b" : ""; }

    void add(link what, const std::string& suffix) {
        std::string body;
        const bool rows = has('i');
        switch (what) {
            case link::scale:
                body = "\\frac{1}{2} " + current_;
                break;
            case link::bias:
                body = current_ + " + " + input("B" + suffix, some_of(suffix));
                break;
            case link::relative:
                if (!rows) return;
                p_.wrt.push_back("r" + suffix);
                body = current_ + " + r" + suffix + (has('h') ? "^h" : "") + "_{i-j}";
                break;
            case link::slope:
                body = current_ + " - " + input("m" + suffix, head()) + (rows ? " |i - j|" : " j");
                break;
            case link::additive_mask:
                if (!has_minus_infinity()) return;
                body = current_ + " + " + input("N" + suffix, some_of(suffix), "mask");
                break;
            case link::boolean_mask:
                body = where(input("U" + suffix, some_of(suffix), "truth") + " \\ne 0");
                break;
            case link::causal:
                if (!rows) return;
                body = where("j \\le i");
                break;
            case link::window:
                if (!rows) return;
                body = where("j \\le i \\land i - j < 5");
                break;
            case link::blocks:
                if (!rows) return;
                body = where("i - i \\bmod 8 = j - j \\bmod 8");
                break;
            case link::strided:
                body = rows ? where("i \\bmod 3 = j \\bmod 3") : where("j \\bmod 3 = 1");
                break;
            case link::lengths:
                body = where("j < " + input("n" + suffix, head(), "lengths"));
                break;
            case link::distant:
                if (!rows) return;
                body = where("j < i - 5");
                break;
            case link::softcap:
                if (has_minus_infinity_already_) return;
                body = "3 \\tanh(" + current_ + " / 3)";
                break;
            case link::temperature:
                // The derivative by the temperature of what is masked is 0 times infinity.
                if (has_minus_infinity_already_) return;
                body = "\\frac{" + current_ + "}{" + input("t" + suffix, head(), "positive") + "}";
                break;
            case link::bracket:
                if (has_minus_infinity_already_) return;
                body = (rows ? "[j \\le i] " : "[j < 4] ") + current_;
                break;
            case link::product:
                body = current_ + " + " + input("P" + suffix, c_.rows + "a") + " " +
                       input("R" + suffix, c_.columns + "a");
                break;
            case link::ranges: {
                const auto first = input("f" + suffix, c_.rows, "lengths");
                body = where(first + " \\le j \\land j < " + first + " + " +
                             input("g" + suffix, c_.rows, "lengths"));
                break;
            }
            case link::documents:
                body = where(input("p" + suffix, c_.rows, "documents") + " = " +
                             input("q" + suffix, head() + "j", "documents"));
                break;
            case link::near:
                body = where("|" + input("x" + suffix, head() + c_.rows, "places") + " - " +
                             input("y" + suffix, "j", "places") + "| < 1/3");
                break;
            case link::buckets:
                p_.wrt.push_back("H" + suffix);
                body = current_ + " + H" + suffix + "^{" + head() + " " +
                       number("n" + suffix, c_.rows + "j") + "}";
                break;
            case link::table:
                p_.wrt.push_back("H" + suffix);
                body = current_ + " + H" + suffix + "^{" +
                       (rows ? number("p" + suffix, "i") + " " : "") + number("q" + suffix, "j") +
                       "}";
                break;
            case link::others:
                if (!rows) return;
                body = where("j \\ne i");
                break;
            case link::power:
                if (has_minus_infinity_already_) return;
                body = "((" + current_ + ")^2 + \\frac{1}{2})^{-3/2}";
                break;
            case link::one_hot:
                if (!rows) return;
                body = current_ + " - [" + number("v" + suffix, "i", "columns") + " = j]";
                break;
            case link::factor:
                if (has_minus_infinity_already_) return;
                body = input("G" + suffix, some_of(suffix), sign()) + " " + current_;
                break;
        }
        has_minus_infinity_already_ = has_minus_infinity_already_ ||
                                      body.find("infty") != std::string::npos ||
                                      what == link::additive_mask;
        line("M" + suffix, plane_, body);
        current_ = use("M" + suffix, plane_);
    }

    // Some of the rows of an infinite maximum would make the result infinite: bounded values are
    // added to it.
    void add_fold(const drawn_fold& f, const std::string& name) {
        // A product of all pairs would leave the range of a float.
        const bool columns = f.over == folded_indices::columns ||
                             (f.over == folded_indices::both && f.what == fold_choice::product);
        const auto kept = columns                          ? without(plane_, c_.columns)
                          : f.over == folded_indices::rows ? without(plane_, c_.rows)
                                                           : c_.batch + c_.queries;
        const auto over = without(plane_, kept);
        if (over.empty()) return;
        if (f.place != place_choice::none && add_places(f.what, name, kept, over) &&
            f.place == place_choice::alone)
            return;
        const auto value = "\\tanh(" + current_ + ")";
        line(name, kept,
             f.what == fold_choice::product
                 ? "\\prod_{" + listed(over) + "} (1 + \\frac{1}{64} " + value + ")"
                 : std::string(f.what == fold_choice::maximum ? "\\max" : "\\min") + "_{" +
                       listed(over) + "}(" + (has_minus_infinity_already_ ? value : current_) +
                       ")");
        if (f.added && f.over != folded_indices::rows) added_ += " + " + use(name, kept);
    }

    // One index has places, if it has any.
    bool add_places(fold_choice what, const std::string& fold, const std::string& kept,
                    const std::string& over) {
        if (what == fold_choice::product || over.size() != 1 || c_.extent(over[0]) == 0)
            return false;
        const std::string name = fold == "E" ? "J" : "I";
        const std::string plane = current_.substr(0, current_.find('^'));
        p_.places.push_back({name, ordered(name, kept), plane, ordered(plane, plane_), over[0]});
        line(name, kept,
             std::string("\\operatorname{arg") + (what == fold_choice::maximum ? "max" : "min") +
                 "}_" + over + "(" + current_ + ")");
        return true;
    }

    // The sum of a use over its columns, which get primes.
    std::string over_columns(const std::string& body) const {
        std::string primed, list;
        const auto start = body.find("^{");
        for (std::size_t k = 0; k < body.size(); ++k) {
            primed += body[k];
            if (k > start && c_.columns.find(body[k]) != std::string::npos) primed += '\'';
        }
        for (const char x : c_.columns) list += std::string(list.empty() ? "" : ",") + x + "'";
        return "\\sum_{" + list + "} " + primed;
    }
    // What a further sum adds up: the weights, or them with factors, which no gradient is asked by.
    std::string part_of_sum(const std::string& name) const {
        auto random = random_of(name + "part");
        if (!c_.factors || random() % 4 == 0) return current_;
        const auto factor = sums_.empty() || random() % 3 == 0
                                ? use("F" + name, some_of("F" + name))
                                : sums_[random() % sums_.size()];
        if (random() % 3 == 0) return "\\tanh(" + factor + ") " + current_;
        if (random() % 2 == 0) return factor + " " + current_;
        return factor + " (" + current_ + " - " + use("G" + name, some_of("G" + name)) + ")";
    }
    std::string over_columns_of_exp() const {
        const auto sum = over_columns(current_);
        const auto body = sum.find("} ") + 2;
        return sum.substr(0, body) + "\\exp(" + sum.substr(body) + ")";
    }

    void normalise() {
        const std::string scores = current_;
        normalise_columns();
        if (!c_.both_sides) return;
        line("X_2", plane_, "\\operatorname{softmax}_{" + c_.rows + "}(" + scores + ")");
        line("U_2", plane_, current_ + " + " + use("X_2", plane_));
        current_ = use("U_2", plane_);
    }
    void normalise_columns() {
        switch (c_.normal) {
            case normaliser::softmax:
                line("A", plane_, "\\operatorname{softmax}_{" + c_.columns + "}(" + current_ + ")");
                break;
            case normaliser::written_out:
                line("A", plane_, "\\frac{\\exp(" + current_ + ")}{" + over_columns_of_exp() + "}");
                break;
            case normaliser::by_sum:
                line("A", plane_, "(" + current_ + ")^2 + 1");
                break;
            case normaliser::by_exps:
                line("A", plane_, "\\exp(\\tanh(" + current_ + "))");
                break;
            case normaliser::none:
                return;
        }
        current_ = use("A", plane_);
    }

    const fused_choices& c_;
    fused_program p_;
    std::string plane_, current_;
    std::vector<std::string> sums_;  // of the weights, as they are used
    std::string added_;              // folds that are added to the result
    bool has_minus_infinity_already_ = false;
};

}  // namespace ricci::testing
