// The reader behind spell(): one side of an equation, from left to right.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "check/paper_spelling.hpp"

namespace ricci::papers {

/// Thrown where a side is not read.
struct not_spelt {
    spelling::state what;
    std::string why;
};
[[noreturn]] void not_computed(std::string_view why);
[[noreturn]] void not_read(std::string_view why);

/// Why matrices without indices are not read, and how to write what is meant.
inline constexpr std::string_view transposition =
    "matrix notation: a transposition; with indices A^T is A_{ji}, and A^T B is A_{ki} B_{kj}";
inline constexpr std::string_view inverse_matrix =
    "matrix notation: an inverse; with indices K^{-1} y is (K^{-1})_{ij} y_j";
inline constexpr std::string_view determinant =
    "matrix notation: a determinant; with indices it is \\det_{ij}(K_{ij})";

/// Behind the bracket that opens at `now`; what nothing closes is not read.
token_at behind_closed(token_at now, token_at last);

/// =, <, \le and the like, and what joins comparisons.
bool is_comparison(const token& t);

/// A factor, as far as products of matrices have to be told from products of numbers.
struct factor {
    std::string key;  // of a name; empty for all else
    bool indexed = false;
    bool bold = false;
    bool dotted = false;  // behind \cdot or \times
};

class name_speller;

class speller {
public:
    explicit speller(const spelling_context& context) : context_(context), names_(*context.names) {}

    /// A sum of products, up to `last`. `list`: commas may stand between several.
    std::string expression(token_at now, token_at last, bool list = false);
    const std::string& doubt() const { return doubt_; }
    bool has_position() const { return position_; }
    const std::string& values() const { return values_; }
    const std::set<std::string>& totals() const { return totals_; }

private:
    friend class name_speller;

    std::string one_factor(token_at& now, token_at last);
    std::string command(token_at& now, token_at last);
    std::string bracket(token_at& now, token_at last);
    std::string bars(token_at& now, token_at last);
    std::string norm(token_at& now, token_at last);
    std::string average(token_at& now, token_at last);
    std::string fraction(token_at& now, token_at last);
    std::string derivative(const tokens& above, const tokens& below, token_at& now, token_at last);
    std::string differentiated_behind(token_at& now, token_at last);
    std::string differentiated(token_at now, token_at last, factor& whole);
    std::string value_of(token_at first, token_at last);
    std::string value_named(const std::string& as, const std::string& expression_spelt);
    std::string repeated(const std::string& of, const std::vector<std::string>& by);
    std::string differentiated_by(const tokens& list);
    std::string root(token_at& now, token_at last);
    std::string big_operator(token_at& now, token_at last);
    std::string function(std::string_view name, token_at& now, token_at last);
    /// What stands above and below the word of a function.
    struct function_scripts {
        std::string raised, base;
        std::string over;  // of what folds: its indices, with _{} around them
    };
    function_scripts scripts_of_function(std::string_view name, token_at& now, token_at last);
    std::string letters_below(const tokens& script) const;
    std::string extremum_of_some(const std::string& word, token_at& now, token_at last);
    std::string argument(token_at& now, token_at last);
    std::string sum_as_argument(token_at& now, token_at last);
    std::string factors_as_argument(token_at& now, token_at last);
    /// \det K, \det(g_{ij}), \operatorname{chol}_{ij}(K_{ij}).
    std::string matrix_function(std::string_view name, token_at& now, token_at last);
    std::string whole_matrix(const std::string& spelt, const name_speller& name,
                             std::string& rows_and_columns) const;
    /// (K^{-1})_{ij}; empty where something else stands at `now`.
    std::string inverse(token_at& now, token_at last);
    std::string environment(token_at& now, token_at last);
    std::string power(token_at& now, token_at last);
    void divide(token_at now, token_at last) const;
    bool is_function(const factor& f) const;
    void check(std::vector<factor>& product);
    void doubt(std::string_view why) {
        if (doubt_.empty()) doubt_ = why;
    }

    const spelling_context& context_;
    const symbols& names_;
    std::vector<factor>* product_ = nullptr;  // what the factors now belong to
    std::string doubt_;
    std::string values_;
    std::set<std::string> totals_;
    bool position_ = false;
    int depth_ = 0;
    bool bold_ = false;   // what was read last holds a vector
    bool below_ = false;  // in a denominator, where only numbers stand
};

/// Names with their scripts and what stands in parentheses behind them.
class name_speller {
public:
    name_speller(speller& all, token_at& now, token_at last)
        : all_(all), now_(now), start_(now), last_(last) {}
    /// The name at `now`; empty where none begins. `calls`: parentheses behind it belong to it.
    std::string run(bool calls = true);
    const factor& what() const { return factor_; }
    bool raised() const { return !power_.empty() || exponential_; }

private:
    bool base();
    void square_of_its_own();
    // Letters that stand together: a word, or the first of them.
    bool letters();
    bool word(const std::string& all);
    bool letter_e();
    bool of_basis(token_at up);
    bool letter_i();
    bool has_whole_power() const;
    void power_of_e(token_at up);
    // What stands in a command, of which `behind` is the end.
    bool wrapped();
    void wrapped_words(const token& wrapper, const tokens& inner, token_at behind);
    bool wrapped_value(const token& wrapper, const std::string& plain, token_at behind);
    void refuse_undefined_function() const;
    void accented(const token& accent, const tokens& inner, token_at behind);
    void in_alphabet(const token& wrapper, const tokens& inner, token_at behind);
    void scripts();
    // What stands below. Each of these that reads the script writes it and returns true.
    void lower_script(const tokens& script);
    bool place_beyond_edges(const tokens& script, char sign);
    bool label_of_function(const tokens& script);
    bool label_of_sign(const tokens& script);
    bool label_of_words(const tokens& script);
    bool label_and_places(const tokens& script);
    bool label_of_letters(const tokens& script);
    bool label_of_capitals(const tokens& script);
    void add_places_behind(token_at comma, const tokens& script);
    // What stands above, likewise; `s` is the script as it is spelt.
    void upper_script(const tokens& whole);
    void refuse_matrices(const std::string& s) const;
    bool sign_above(const tokens& script, const std::string& s);
    bool words_above(const tokens& script);
    bool parentheses_above(const tokens& script, const std::string& s);
    bool power_above(const tokens& script, const std::string& s);
    void call();
    bool functional();
    void add_places(const tokens& inside, bool arithmetic);
    bool is_usual_function() const;
    void value_at(const tokens& inside);
    std::string label(const tokens& script) const;

    speller& all_;
    token_at& now_;
    token_at start_;
    token_at last_;
    factor factor_;
    std::string out_;
    std::string before_;  // what was written of a run of letters before this name
    std::string power_;
    std::string primes_;
    std::size_t base_ = 0;  // where the name without scripts ends
    bool exponential_ = false;
};

}  // namespace ricci::papers
