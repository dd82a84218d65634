// Formulas in DIMACS: clauses as tensors of ones with one zero, and the literals' weights.
#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <utility>

#include "src/files/network_formats.hpp"
#include "src/files/word_reader.hpp"

namespace ricci::files {
namespace {

// Each of them may become a tensor, whatever the file's size is.
constexpr std::int64_t most_dimacs_variables = std::int64_t{1} << 24;

// The weights of a variable's two literals, where they are given.
struct literal_weights {
    std::optional<double> no, yes;
};

struct formula {
    std::int64_t variables = -1;  // not said yet
    std::int64_t clauses = 0;
    std::map<std::int64_t, literal_weights> weights;
};

// Makes the network clause by clause. Tables are shared by all clauses of a length and signs.
class formula_network {
public:
    explicit formula_network(std::int64_t variables)
        : mentioned_(static_cast<std::size_t>(variables) + 1, false), next_index_(variables + 1) {}

    /// Literals in any order; one may be there twice, or with its opposite.
    void add_clause(std::vector<std::int64_t>& literals) {
        for (const std::int64_t l : literals) mentioned_[variable_of(l)] = true;
        const auto by_variable = [](std::int64_t a, std::int64_t b) {
            return std::pair(std::abs(a), a) < std::pair(std::abs(b), b);
        };
        std::sort(literals.begin(), literals.end(), by_variable);
        literals.erase(std::unique(literals.begin(), literals.end()), literals.end());
        for (std::size_t k = 1; k < literals.size(); ++k)
            if (literals[k - 1] == -literals[k]) return add_always_true(literals);
        add_in_parts(literals);
    }
    void add_weights(std::int64_t variable, double no, double yes) {
        array both(element::f64, {2});
        auto* values = static_cast<double*>(both.data());
        values[0] = no;
        values[1] = yes;
        network_.add(std::move(both), {variable});
        mentioned_[static_cast<std::size_t>(variable)] = true;
    }
    /// Of variables that nothing has mentioned both values count.
    network finished() && {
        for (std::size_t v = 1; v < mentioned_.size(); ++v)
            if (!mentioned_[v]) add_ones(static_cast<std::int64_t>(v));
        return std::move(network_);
    }

private:
    // A table of so many axes at most, beside those that link the parts of a clause.
    static constexpr std::size_t most_literals = 6;

    static std::size_t variable_of(std::int64_t literal) {
        return static_cast<std::size_t>(std::abs(literal));
    }
    void add_ones(std::int64_t variable) {
        if (ones_.size() == 0) {
            ones_ = array(element::f64, {2});
            std::fill_n(static_cast<double*>(ones_.data()), 2, 1.0);
        }
        network_.add(ones_, {variable});
    }
    // A variable stays an index of the network, though the clause says nothing of it.
    void add_always_true(const std::vector<std::int64_t>& literals) {
        std::int64_t last = 0;
        for (const std::int64_t l : literals) {
            if (std::abs(l) != last) add_ones(std::abs(l));
            last = std::abs(l);
        }
    }
    // A link between two parts is true where a literal before it is.
    void add_in_parts(const std::vector<std::int64_t>& literals) {
        std::int64_t before = 0;  // none
        std::size_t k = 0;
        while (literals.size() - k > most_literals) {
            const std::vector<std::int64_t> part(
                literals.begin() + static_cast<std::ptrdiff_t>(k),
                literals.begin() + static_cast<std::ptrdiff_t>(k + most_literals - 1));
            add_part(part, before, next_index_);
            before = next_index_++;
            k += part.size();
        }
        add_part({literals.begin() + static_cast<std::ptrdiff_t>(k), literals.end()}, before, 0);
    }
    void add_part(const std::vector<std::int64_t>& literals, std::int64_t before,
                  std::int64_t after) {
        std::vector<std::int64_t> indices;
        // The place of the table's entry where all that makes the part true is false.
        std::size_t all_false = 0;
        if (before != 0) indices.push_back(before);
        for (const std::int64_t l : literals) {
            indices.push_back(std::abs(l));
            all_false = 2 * all_false + (l < 0 ? 1 : 0);
        }
        if (after != 0) indices.push_back(after);
        network_.add(table(indices.size(), all_false, after != 0), indices);
    }
    // With a link on its last axis, a table says whether the link is what the others make it.
    const array& table(std::size_t axes, std::size_t all_false, bool has_link) {
        array& made = tables_[{axes, 2 * all_false + (has_link ? 1 : 0)}];
        if (made.size() != 0) return made;
        made = array(element::f64, std::vector<std::size_t>(axes, 2));
        auto* values = static_cast<double*>(made.data());
        if (!has_link) {
            std::fill_n(values, made.size(), 1.0);
            values[all_false] = 0;
            return made;
        }
        for (std::size_t k = 0; k < made.size() / 2; ++k)
            values[2 * k + (k == all_false ? 0 : 1)] = 1;
        return made;
    }

    network network_;
    std::vector<bool> mentioned_;
    std::int64_t next_index_;
    std::map<std::pair<std::size_t, std::size_t>, array> tables_;
    array ones_;
};

// Both bounds: the least whole number has no absolute value.
bool is_of_variables(std::int64_t literal, std::int64_t variables) {
    return literal <= variables && literal >= -variables;
}

// 0.25, 2.5e-1 and 1/4.
double weight_in(word_reader& words, std::string_view text) {
    const std::size_t slash = text.find('/');
    double above = 0, below = 1;
    if (text.empty()) words.fail("the line ends where a weight should stand");
    if (!read_number(text.substr(0, slash), above) ||
        (slash != std::string_view::npos && !read_number(text.substr(slash + 1), below)) ||
        below == 0)
        words.fail("a weight should stand where {} does", printable(text));
    return above / below;
}

class dimacs_reader {
public:
    dimacs_reader(std::string_view text, const place& where) : words_(text, where) {}

    network read() {
        // Weights may stand before the number of variables does.
        while (!words_.done()) {
            const std::string_view word = words_.word("a clause");
            if (word == "c") read_comment();
            else if (word[0] == 'c') words_.rest_of_line();
            else if (word == "p") read_problem();
            else if (word == "w") read_weight();
            else if (word == "%") break;  // of old collections, which go on with a 0
            else read_literals(word);
        }
        return finished();
    }

private:
    // "c p weight LITERAL WEIGHT 0" and "c p show ..." are more than comments, and so is the task.
    void read_comment() {
        word_reader line = comment_words();
        if (line.done()) return;
        const std::string_view first = line.word("a word");
        if (first == "t" && !line.done()) {
            const std::string_view task = line.word("a task");
            if (task == "pmc" || task == "pwmc" || task == "wpmc")
                words_.fail(
                    "the task is to count the assignments of some variables that others "
                    "complete, which is no sum over products");
            counts_all_ = true;
        }
        if (first != "p" || line.done()) return;
        const std::string_view second = line.word("a word");
        if (second == "weight") {
            const std::string_view literal = line.done() ? "" : line.word("a literal");
            const std::string_view weight = line.done() ? "" : line.word("a weight");
            set_weight(literal, weight);
        } else if (second == "show") {
            shows_some_ = true;
        }
    }
    word_reader comment_words() { return word_reader(words_.rest_of_line(), {}); }

    void read_weight() {
        word_reader line = comment_words();
        const std::string_view literal = line.done() ? "" : line.word("a literal");
        const std::string_view weight = line.done() ? "" : line.word("a weight");
        set_weight(literal, weight);
    }

    void set_weight(std::string_view literal_text, std::string_view text) {
        std::int64_t literal = 0;
        if (!read_integer(literal_text, literal) || literal == 0 ||
            !is_of_variables(literal, most_dimacs_variables))
            words_.fail("a literal should stand where {} does", printable(literal_text));
        const double weight = weight_in(words_, text);
        literal_weights& both = formula_.weights[std::abs(literal)];
        std::optional<double>& one = literal > 0 ? both.yes : both.no;
        if (one.has_value() && *one != weight)
            words_.fail("literal {} has weights {} and {}", literal, *one, weight);
        one = weight;
    }

    void read_problem() {
        if (formula_.variables >= 0) words_.fail("a second line begins with p");
        const std::string_view kind = words_.word("cnf");
        if (kind != "cnf") words_.fail("the problem is {}, not cnf", printable(kind));
        formula_.variables = words_.integer("the number of variables", 0, most_dimacs_variables);
        formula_.clauses = words_.integer("the number of clauses", 0, most_dimacs_variables);
        network_.emplace(formula_.variables);
    }

    void read_literals(std::string_view word) {
        if (!network_.has_value()) words_.fail("a clause stands before the line \"p cnf\"");
        std::int64_t literal = 0;
        if (!read_integer(word, literal))
            words_.fail("a literal should stand where {} does", printable(word));
        if (!is_of_variables(literal, formula_.variables))
            words_.fail("literal {} is of no variable: there are {}", literal, formula_.variables);
        if (literal != 0) return clause_.push_back(literal);
        if (++clauses_read_ > formula_.clauses)
            words_.fail("there are more clauses than {}", formula_.clauses);
        network_->add_clause(clause_);
        clause_.clear();
    }

    network finished() {
        if (!network_.has_value()) words_.fail("there is no line \"p cnf\"");
        if (!clause_.empty()) words_.fail("the last clause has no 0 at its end");
        if (clauses_read_ != formula_.clauses)
            words_.fail("there are {} clauses, and \"p cnf\" says {}", clauses_read_,
                        formula_.clauses);
        if (shows_some_ && !counts_all_)
            words_.fail(
                "\"c p show\" asks for the assignments of some variables that others "
                "complete, which is no sum over products");
        for (const auto& [variable, both] : formula_.weights) add_weights(variable, both);
        return std::move(*network_).finished();
    }
    void add_weights(std::int64_t variable, const literal_weights& both) {
        if (variable > formula_.variables)
            words_.fail("variable {} has a weight, and there are {}", variable, formula_.variables);
        const double one = both.yes.has_value() ? *both.yes : *both.no;
        if (!(both.yes.has_value() && both.no.has_value()) && !(one >= 0 && one <= 1))
            words_.fail("one literal of variable {} has weight {}, and the other none", variable,
                        one);
        network_->add_weights(variable, both.no.value_or(1 - one), both.yes.value_or(1 - one));
    }

    word_reader words_;
    formula formula_;
    std::optional<formula_network> network_;
    std::vector<std::int64_t> clause_;
    std::int64_t clauses_read_ = 0;
    bool shows_some_ = false, counts_all_ = false;
};

}  // namespace

network read_dimacs(std::string_view text, const place& where) {
    return dimacs_reader(text, where).read();
}

}  // namespace ricci::files
