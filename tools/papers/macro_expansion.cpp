// Puts the texts of macros where they are used.
#include <utility>
#include <vector>

#include "papers/macros.hpp"

namespace ricci::papers {
namespace {

constexpr std::size_t longest_expansion = 20000;  // tokens
constexpr int most_expansions = 4000;             // in one display

// The next argument of what is still to be read, whose next token is the last one.
tokens next_argument(tokens& rest) {
    tokens argument;
    if (rest.empty()) return argument;
    int depth = 0;
    do {
        token t = std::move(rest.back());
        rest.pop_back();
        if (t.kind == token_kind::open) ++depth;
        if (t.kind == token_kind::close) --depth;
        argument.push_back(std::move(t));
    } while (depth > 0 && !rest.empty());
    if (argument.size() >= 2 && argument.front().kind == token_kind::open) {
        argument.erase(argument.begin());
        if (argument.back().kind == token_kind::close) argument.pop_back();
    }
    return argument;
}

// What stands in brackets, of which the first one is next.
tokens next_option(tokens& rest) {
    tokens option;
    rest.pop_back();
    while (!rest.empty() && !rest.back().is("]")) {
        option.push_back(std::move(rest.back()));
        rest.pop_back();
    }
    if (!rest.empty()) rest.pop_back();
    return option;
}

}  // namespace

tokens macro_table::filled_in(const macro& m, const std::vector<tokens>& arguments,
                              std::size_t at) {
    tokens body;
    for (std::size_t k = 0; k < m.body.size(); ++k) {
        const token& b = m.body[k];
        if (b.is("#") && k + 1 < m.body.size() && m.body[k + 1].kind == token_kind::number) {
            // "#12" is the first parameter and a 2
            const std::string digits = m.body[++k].text;
            const auto which = static_cast<std::size_t>(digits[0] - '1');
            if (which < arguments.size()) {
                if (body.size() + arguments[which].size() > longest_expansion) break;
                body.insert(body.end(), arguments[which].begin(), arguments[which].end());
            }
            if (digits.size() > 1)
                body.push_back({token_kind::number, digits.substr(1), at, false});
            continue;
        }
        body.push_back(b);
        body.back().at = at;
    }
    return body;
}

bool macro_table::expand(tokens& list) const {
    tokens out;
    // what is still to be read, the next one last
    tokens rest(list.rbegin(), list.rend());
    int expansions = 0;
    while (!rest.empty()) {
        if (out.size() + rest.size() > longest_expansion) break;
        token t = std::move(rest.back());
        rest.pop_back();
        const auto found = t.is_command() ? macros_.find(t.text) : macros_.end();
        if (found == macros_.end()) {
            out.push_back(std::move(t));
            continue;
        }
        if (++expansions > most_expansions) break;
        const macro& m = found->second;
        if (!rest.empty() && rest.back().is("*")) rest.pop_back();
        std::vector<tokens> arguments;
        for (int k = 0; k < m.parameters; ++k) {
            const bool bracket = !rest.empty() && rest.back().is("[");
            if (k > 0 || !m.optional) arguments.push_back(next_argument(rest));
            else arguments.push_back(bracket ? next_option(rest) : m.standard);
        }
        tokens body = filled_in(m, arguments, t.at);
        if (!body.empty()) body.front().spaced = true;
        if (!rest.empty()) rest.back().spaced = true;
        if (body.size() + rest.size() > longest_expansion) break;
        rest.insert(rest.end(), body.rbegin(), body.rend());
    }
    const bool finished = rest.empty();
    list = std::move(out);
    return finished;
}

}  // namespace ricci::papers
