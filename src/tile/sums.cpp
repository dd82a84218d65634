// Which values of an element-wise program are sums of many terms.
#include "src/tile/sums.hpp"

#include <algorithm>

namespace ricci::elementwise {
namespace {

using steps::opcode;

constexpr std::size_t fewest_terms = 3, most_terms = most_terms_of_sum;

class sum_finder {
public:
    sum_finder(std::span<const node> program, const std::function<bool(std::size_t)>& is_number)
        : program_(program), is_number_(is_number), uses_(program.size(), 0) {
        for (const node& n : program)
            for (const int argument : n.argument)
                if (argument >= 0) ++uses_[static_cast<std::size_t>(argument)];
    }

    /// The last term comes first here.
    program_sum from(std::size_t k) const {
        program_sum sum;
        sum.result = k;
        for (std::size_t at = k;;) {
            const node& n = program_[at];
            program_sum::term t;
            int next = -1;
            if (const int scaled = scaled_sum(n); scaled >= 0) {
                t = {n.argument[n.argument[0] == scaled ? 1 : 0], n.argument[2], true};
                next = scaled;
            } else if (n.op == kernels::multiply_add) {
                t = product(n.argument[0], n.argument[1]);
                next = n.argument[2];
            } else if (is(n, opcode::multiply)) {
                return {};
            } else {
                const bool swaps =
                    !goes_on(n.argument[0]) && (goes_on(n.argument[1]) || number(n.argument[1]));
                t.b = n.argument[swaps ? 0 : 1];
                next = n.argument[swaps ? 1 : 0];
            }
            // What is one number is added by nobody but the first.
            if (!t.scales && (t.b < 0 || number(t.b))) {
                if (at == k) return {};
                sum.terms.push_back({-1, static_cast<int>(at)});
                sum.inside.pop_back();
                break;
            }
            sum.terms.push_back(t);
            // Where there is no room for all terms, the others are a sum of their own.
            if (goes_on(next) && sum.terms.size() + 2 < most_terms) {
                at = static_cast<std::size_t>(next);
                sum.inside.push_back(at);
                continue;
            }
            sum.terms.push_back(goes_on(next) ? program_sum::term{-1, next} : first(next, sum));
            break;
        }
        std::reverse(sum.terms.begin(), sum.terms.end());
        return sum;
    }

    bool is_sum(const node& n) const {
        return n.op == kernels::multiply_add || is(n, opcode::add) || scaled_sum(n) >= 0;
    }

private:
    bool number(int k) const { return is_number_(static_cast<std::size_t>(k)); }
    bool alone(int k) const { return uses_[static_cast<std::size_t>(k)] == 1; }
    /// Whether the sum goes on in one of its terms.
    bool goes_on(int k) const {
        return alone(k) && !number(k) && is_sum(program_[static_cast<std::size_t>(k)]);
    }
    /// In number * sum, and in number * sum + rows, the sum; -1: it is something else.
    int scaled_sum(const node& n) const {
        if (n.op != kernels::multiply_add && !is(n, opcode::multiply)) return -1;
        const int added = n.argument[2];
        if (added >= 0 && (number(added) || goes_on(added))) return -1;
        for (const int side : {0, 1})
            if (number(n.argument[1 - side]) && goes_on(n.argument[side]) &&
                n.argument[side] != added)
                return n.argument[side];
        return -1;
    }
    program_sum::term product(int a, int b) const {
        return number(b) ? program_sum::term{b, a} : program_sum::term{a, b};
    }
    program_sum::term first(int k, program_sum& sum) const {
        const node& n = program_[static_cast<std::size_t>(k)];
        if (number(k)) return {k, -1};
        if (!alone(k) || (!is(n, opcode::multiply) && !is(n, opcode::square))) return {-1, k};
        const auto factors = product(n.argument[0], n.argument[is(n, opcode::square) ? 0 : 1]);
        if (number(factors.b)) return {-1, k};
        sum.inside.push_back(static_cast<std::size_t>(k));
        return factors;
    }

    std::span<const node> program_;
    const std::function<bool(std::size_t)>& is_number_;
    std::vector<int> uses_;
};

}  // namespace

std::vector<program_sum> find_sums(std::span<const node> program,
                                   const std::function<bool(std::size_t)>& is_number) {
    std::vector<program_sum> sums;
    const sum_finder finder(program, is_number);
    std::vector<bool> taken(program.size(), false);
    for (std::size_t k = program.size(); k-- > 0;) {
        if (taken[k] || is_number(k) || !finder.is_sum(program[k])) continue;
        auto sum = finder.from(k);
        if (sum.terms.size() < fewest_terms) continue;
        for (const std::size_t inside : sum.inside) taken[inside] = true;
        sums.push_back(std::move(sum));
    }
    return sums;
}

}  // namespace ricci::elementwise
