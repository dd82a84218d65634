// Random texts in which most axes have one extent: the same tensor stands at several places, with
// its axes in any order and at one index twice, so that nothing can be told apart by its shape.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace ricci::testing {

/// A tensor at letters; or one of one axis, summed up to a letter that stands elsewhere, or read on
/// a ring beside it.
struct letters_of_tensor {
    std::size_t tensor = 0;
    std::string letters;
    char up_to = 0, beside = 0;
};
/// function(sum of a product), or a softmax or log-sum-exp of it over a letter.
struct square_term {
    std::string function;  // none: the product itself
    char over = 0;         // of softmax and logsumexp
    std::vector<letters_of_tensor> factors;
};
struct square_line {
    letters_of_tensor left;
    std::string function;  // of all terms together
    std::vector<square_term> terms;
};
struct square_tensor {
    std::string name, kinds;  // a letter for the extent of each axis
    bool defined = false;
};

/// Letters of one kind have one extent; those of the other kinds are few.
struct square_program {
    std::vector<square_tensor> tensors;
    std::vector<square_line> lines;
    std::map<char, std::int64_t> extents;  // by kind

    static char kind_of(char letter) {
        return letter == 'b'                                          ? 'b'
               : std::string("acd").find(letter) != std::string::npos ? 'a'
                                                                      : 'i';
    }
    std::vector<std::int64_t> shape_of(const square_tensor& t) const {
        std::vector<std::int64_t> all;
        for (const char kind : t.kinds) all.push_back(extents.at(kind));
        return all;
    }
    /// The inputs that some line reads.
    std::vector<square_tensor> inputs() const {
        std::vector<square_tensor> all;
        for (std::size_t t = 0; t < tensors.size(); ++t)
            if (!tensors[t].defined && is_read(t)) all.push_back(tensors[t]);
        return all;
    }
    /// Whether the result depends on each tensor.
    std::vector<bool> needed() const {
        std::vector<bool> needed(tensors.size(), false);
        needed[lines.back().left.tensor] = true;
        for (auto line = lines.rbegin(); line != lines.rend(); ++line)
            for (const auto& term : line->terms)
                for (const auto& f : term.factors)
                    needed[f.tensor] = needed[f.tensor] || needed[line->left.tensor];
        return needed;
    }
    bool has_dead_lines() const {
        const auto alive = needed();
        return std::any_of(lines.begin(), lines.end(),
                           [&](const square_line& line) { return !alive[line.left.tensor]; });
    }
    bool is_read(std::size_t tensor) const {
        for (const auto& line : lines)
            for (const auto& term : line.terms)
                for (const auto& f : term.factors)
                    if (f.tensor == tensor) return true;
        return false;
    }
    const square_tensor& result() const { return tensors[lines.back().left.tensor]; }
    std::string text() const {
        std::string all;
        for (const auto& line : lines) all += text_of(line);
        return all;
    }

private:
    std::string text_of(const letters_of_tensor& t) const {
        const std::string& name = tensors[t.tensor].name;
        if (t.up_to != 0)
            return "(\\sum_{p \\le " + std::string(1, t.up_to) + "} " + name + "^{p})";
        if (t.beside != 0)
            return name + "^{\\operatorname{wrap}(" + std::string(1, t.beside) + "-1)}";
        return name + (t.letters.empty() ? "" : "^{" + t.letters + "}");
    }
    std::string text_of(const square_line& line) const {
        std::string sum;
        for (const auto& term : line.terms)
            sum += (sum.empty() ? "" : " + ") + text_of(term, line.left.letters);
        return text_of(line.left) + " = " +
               (line.function.empty() ? sum : line.function + "(" + sum + ")") + "\n";
    }
    std::string text_of(const square_term& term, const std::string& free) const {
        std::string product, bound;
        for (const auto& f : term.factors) {
            product += (product.empty() ? "" : " ") + text_of(f);
            for (const char x : f.letters)
                if ((free + bound).find(x) == std::string::npos && x != term.over) bound += x;
        }
        if (!bound.empty()) {
            std::string list;
            for (const char x : bound) list += (list.empty() ? "" : ",") + std::string(1, x);
            product = "(\\sum_{" + list + "} " + product + ")";
        }
        if (term.function.empty()) return product;
        const std::string over = term.over == 0 ? "" : "_{" + std::string(1, term.over) + "}";
        return term.function + over + "(" + product + ")";
    }
};

class square_generator {
public:
    explicit square_generator(unsigned seed) : seed_(seed), random_(seed * 2654435761u + 29) {}

    /// `layer`: a program from X to a last tensor of its shape.
    square_program run(bool layer = false) {
        p_.extents = {{'i', 4 + below(4)}, {'a', 1 + below(3)}, {'b', 2}};
        const bool batch = chance(25) && !layer;
        const std::vector<std::string> kinds =
            batch ? std::vector<std::string>{"ii", "bii", "bia", "bia", "ia", "i", "bi"}
                  : std::vector<std::string>{"ii", "ii", "ia", "ia", "ai", "i", "i", "aii"};
        const char* const names[] = {"A", "B", "X", "Y", "D", "u", "v", "H"};
        for (std::size_t k = 0; k < kinds.size(); ++k)
            p_.tensors.push_back({names[k], kinds[k], false});
        const unsigned count = 2 + below(3);
        for (unsigned k = 0; k < count; ++k) add_line(batch, layer, k + 1 == count);
        return std::move(p_);
    }

private:
    unsigned below(unsigned n) { return static_cast<unsigned>(random_() % n); }
    bool chance(unsigned percent) { return below(100) < percent; }
    static bool has(const std::string& list, char x) { return list.find(x) != std::string::npos; }

    void add_line(bool batch, bool layer, bool last) {
        static const char* const of_one[] = {"ij", "ij", "ij", "ijk", "i", "ic", "ic"};
        static const char* const of_many[] = {"bij", "bij", "bij", "bi", "bic", "bic", "ij"};
        square_line line;
        line.left.letters = (batch ? of_many : of_one)[below(7)];
        if (last && layer) line.left.letters = "ic";
        else if (last && chance(40)) line.left.letters = "";
        else if (chance(50))
            std::shuffle(line.left.letters.begin(), line.left.letters.end(), random_);
        const unsigned terms = 1 + (chance(50) ? 1 + below(2) : 0);
        for (unsigned k = 0; k < terms; ++k) line.terms.push_back(term(line.left.letters));
        static const char* const functions[] = {"\\tanh", "\\sigma", "\\sin"};
        if (chance(20)) line.function = functions[below(3)];
        std::string kinds;
        for (const char x : line.left.letters) kinds += square_program::kind_of(x);
        static const char* const names[] = {"S", "T", "P", "R"};
        line.left.tensor = p_.tensors.size();
        p_.tensors.push_back({names[p_.lines.size()], kinds, true});
        p_.lines.push_back(std::move(line));
    }

    square_term term(const std::string& left) {
        square_term t;
        std::string free = left;
        if (chance(30)) {
            static const char* const functions[] = {"\\tanh", "\\sigma", "\\cos"};
            t.function = functions[below(3)];
        } else if (chance(35) && has(left, 'i')) {
            t.function = "\\operatorname{softmax}";
            t.over = has(left, 'j') && chance(60) ? 'j' : 'i';
        } else if (chance(20)) {
            t.function = "\\operatorname{logsumexp}";
            t.over = has(left, 'j') ? 'l' : 'j';
            free += t.over;
        }
        std::string open = free;  // letters that no factor has
        const unsigned factors = 1 + below(3);
        for (unsigned k = 0; k < factors || !open.empty(); ++k) add_factor(t, free, open, k);
        if (seed_ % 4 == 1 && chance(50)) add_lines(t);
        return t;
    }
    /// Sums over one letter, up to another one, or neighbours on a ring; of some programs alone.
    void add_lines(square_term& t) {
        std::string mine;
        for (const auto& f : t.factors)
            for (const char x : f.letters)
                if (square_program::kind_of(x) == 'i') mine += x;
        std::vector<std::size_t> of_one_axis;
        for (std::size_t k = 0; k < p_.tensors.size(); ++k)
            if (p_.tensors[k].kinds == "i") of_one_axis.push_back(k);
        if (mine.empty() || of_one_axis.empty()) return;
        const char x = mine[below(static_cast<unsigned>(mine.size()))];
        const bool sums = chance(65);
        for (unsigned k = 0; k < (sums ? 2u : 1u); ++k) {
            letters_of_tensor f;
            f.tensor = of_one_axis[below(static_cast<unsigned>(of_one_axis.size()))];
            (sums ? f.up_to : f.beside) = x;
            t.factors.push_back(std::move(f));
        }
    }
    void add_factor(square_term& t, const std::string& free, std::string& open, unsigned number) {
        // What an equation has just given is what the next one reads.
        const bool recent = number == 0 && !p_.lines.empty() && chance(80);
        std::size_t tensor =
            recent ? p_.tensors.size() - 1 : below(static_cast<unsigned>(p_.tensors.size()));
        if (number > 2) tensor = tensor_for(open[0]);
        letters_of_tensor f{tensor, {}, 0, 0};
        for (const char kind : p_.tensors[tensor].kinds)
            f.letters += letter(kind, free, open, f.letters);
        t.factors.push_back(std::move(f));
    }
    std::size_t tensor_for(char letter) const {
        for (std::size_t k = 0; k < p_.tensors.size(); ++k)
            if (has(p_.tensors[k].kinds, square_program::kind_of(letter))) return k;
        return 0;
    }
    char letter(char kind, const std::string& free, std::string& open, const std::string& mine) {
        if (kind == 'b') {
            std::erase(open, 'b');
            return 'b';
        }
        std::string wanted, allowed;
        for (const char x : open)
            if (square_program::kind_of(x) == kind) wanted += x;
        for (const char x : free + (kind == 'i' ? "jm" : "a"))
            if (square_program::kind_of(x) == kind && (!has(mine, x) || chance(10))) allowed += x;
        char taken = allowed.empty() ? (kind == 'i' ? 'n' : 'd')
                                     : allowed[below(static_cast<unsigned>(allowed.size()))];
        if (!wanted.empty() && chance(75))
            taken = wanted[below(static_cast<unsigned>(wanted.size()))];
        std::erase(open, taken);
        return taken;
    }

    unsigned seed_;
    std::mt19937 random_;
    square_program p_;
};

/// The program with one thing left out, for everything that can be.
inline std::vector<square_program> simpler(const square_program& p) {
    std::vector<square_program> all;
    const auto covers = [](const square_term& t, const std::string& free) {
        std::string met;
        for (const auto& f : t.factors) met += f.letters;
        return std::all_of(free.begin(), free.end(),
                           [&](char x) { return met.find(x) != std::string::npos; });
    };
    const auto with = [&](auto change) {
        square_program less = p;
        change(less);
        all.push_back(std::move(less));
    };
    // What a layer gives has the shape of what it takes.
    if (p.lines.size() > 1 &&
        p.tensors[p.lines[p.lines.size() - 2].left.tensor].kinds == p.result().kinds)
        with([](auto& x) { x.lines.pop_back(); });
    for (std::size_t l = 0; l < p.lines.size(); ++l) {
        const auto& line = p.lines[l];
        if (l + 1 < p.lines.size() && !p.is_read(line.left.tensor))
            with([&](auto& x) { x.lines.erase(x.lines.begin() + static_cast<std::ptrdiff_t>(l)); });
        if (!line.function.empty()) with([&](auto& x) { x.lines[l].function.clear(); });
        for (std::size_t t = 0; t < line.terms.size(); ++t) {
            if (line.terms.size() > 1)
                with([&](auto& x) {
                    auto& terms = x.lines[l].terms;
                    terms.erase(terms.begin() + static_cast<std::ptrdiff_t>(t));
                });
            std::string free = line.left.letters;
            if (line.terms[t].over != 0) free += line.terms[t].over;
            if (!line.terms[t].function.empty())
                with([&](auto& x) {
                    x.lines[l].terms[t].function.clear();
                    x.lines[l].terms[t].over = 0;
                });
            for (std::size_t f = 0; f < line.terms[t].factors.size(); ++f) {
                square_program less = p;
                auto& factors = less.lines[l].terms[t].factors;
                factors.erase(factors.begin() + static_cast<std::ptrdiff_t>(f));
                if (!factors.empty() && covers(less.lines[l].terms[t], free))
                    all.push_back(std::move(less));
            }
        }
    }
    return all;
}

}  // namespace ricci::testing
