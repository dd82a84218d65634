// Element-wise bodies: values, each once.
#include "src/bodies/body.hpp"

#include <algorithm>
#include <cstdint>

#include "src/kernels/elementwise/price.hpp"

namespace ricci::bodies {

using steps::opcode;

int body::append(const node& n) {
    const std::uint64_t hash = elementwise::hash_of(n);
    const auto is_same = [&](std::int32_t k) { return (*this)[k] == n; };
    if (const std::int32_t known = known_.find(hash, is_same); known >= 0) return known;
    values_.push_back(n);
    const int number = static_cast<int>(values_.size()) - 1;
    known_.insert(hash, number);
    return number;
}

int body::load(leaf what) {
    node n;
    n.op = kernels::operation(opcode::load);
    n.operand = leaf_kinds * what.number + static_cast<int>(what.kind);
    return append(n);
}

int body::row(std::int32_t number) { return load({leaf_kind::row, number}); }
int body::column(std::int32_t number) { return load({leaf_kind::column, number}); }
int body::element(std::int32_t number) { return load({leaf_kind::element, number}); }
int body::pair(std::int32_t number) { return load({leaf_kind::pair, number}); }

leaf body::leaf_of(int k) const {
    const int operand = (*this)[k].operand;
    return {static_cast<leaf_kind>(operand % leaf_kinds), operand / leaf_kinds};
}

int body::constant(double value) {
    node n;
    n.value = value;
    return append(n);
}

int body::apply(int op, int a, int b, int c) {
    node n;
    n.op = op;
    n.argument[0] = a;
    n.argument[1] = b;
    n.argument[2] = c;
    return append(n);
}

std::vector<int> body::uses() const {
    std::vector<int> uses(values_.size(), 0);
    for (const auto& f : folds_) {
        ++uses[static_cast<std::size_t>(f.value)];
        if (f.beside >= 0) ++uses[static_cast<std::size_t>(f.beside)];
    }
    for (const int value : results_) ++uses[static_cast<std::size_t>(value)];
    for (std::size_t k = values_.size(); k-- > 0;) {
        if (uses[k] == 0) continue;
        const auto& arguments = values_[k].argument;
        for (int i = 0; i < 3; ++i)
            // Who wants a value twice is one who wants it.
            if (arguments[i] >= 0 &&
                std::find(arguments, arguments + i, arguments[i]) == arguments + i)
                ++uses[static_cast<std::size_t>(arguments[i])];
    }
    return uses;
}

namespace {

/// Of an argument the last digit may be all that the value is: 6 / 3 below 2 has another floor.
bool jumps(const node& n) {
    if (n.op >= kernels::operation_count) return false;
    switch (static_cast<opcode>(n.op)) {
        case opcode::floor:
        case opcode::ceil:
        case opcode::sign:
        case opcode::modulo:
        case opcode::less:
        case opcode::less_equal:
        case opcode::equal:
        case opcode::not_equal:
        case opcode::logical_and:
        case opcode::logical_or:
        case opcode::logical_not:
        case opcode::select:
            return true;
        default:
            return false;
    }
}

/// Whether a value jumps where a quotient does not. Conditions on positions and distances do not.
bool has_jump_of_quotient(const body& of) {
    std::vector<char> divided;
    for (const node& n : of.values()) {
        const auto is_divided = [&](int k) {
            return k >= 0 && divided[static_cast<std::size_t>(k)] != 0;
        };
        // Who is chosen is no argument that decides.
        const bool selects = elementwise::is(n, opcode::select);
        const bool decided = is_divided(n.argument[0]) ||
                             (!selects && (is_divided(n.argument[1]) || is_divided(n.argument[2])));
        if (jumps(n) && decided) return true;
        divided.push_back(decided || is_divided(n.argument[1]) || is_divided(n.argument[2]) ||
                          elementwise::is(n, opcode::divide) ||
                          elementwise::is(n, opcode::reciprocal));
    }
    return false;
}

/// Makes the values of a body anew, each from what its arguments have become.
class rewriting {
public:
    rewriting(const body& from, bool freely)
        : from_(from),
          uses_(from.uses()),
          has_jumps_(has_jump_of_quotient(from)),
          freely_(freely && !has_jumps_) {}

    body run() {
        for (std::size_t k = 0; k < from_.values().size(); ++k)
            became_.push_back(uses_[k] == 0 ? -1 : value(static_cast<int>(k)));
        for (auto f : from_.folds()) {
            f.value = became(f.value);
            f.beside = became(f.beside);
            made_.fold(f);
        }
        for (const int result : from_.results()) made_.result(became(result));
        return std::move(made_);
    }

private:
    int became(int k) const { return k < 0 ? -1 : became_[static_cast<std::size_t>(k)]; }
    bool is_used_once(int k) const { return uses_[static_cast<std::size_t>(k)] == 1; }

    int value(int k) {
        const node& n = from_[k];
        if (elementwise::is(n, opcode::constant)) return made_.constant(n.value);
        if (elementwise::is(n, opcode::load)) return made_.load(from_.leaf_of(k));
        const int a = n.argument[0], b = n.argument[1];
        if (elementwise::is(n, opcode::reciprocal)) {
            if (const int power = inverse_of(a); power >= 0) return power;
            if (freely_) return made_.apply(quotient, made_.constant(1), became(a));
        }
        if (elementwise::is(n, opcode::divide)) {
            if (const int power = inverse_of(b); power >= 0)
                return made_.apply(opcode::multiply, became(a), power);
            if (freely_) return made_.apply(quotient, became(a), became(b));
        }
        if (elementwise::is(n, opcode::add)) {
            for (const auto& [sum, other] : {std::pair(a, b), std::pair(b, a)})
                if (const int all = freely_ ? with_first(sum, other) : -1; all >= 0) return all;
            for (const auto& [product, other] : {std::pair(b, a), std::pair(a, b)})
                if (const int sum = with_product(kernels::multiply_add, product, other); sum >= 0)
                    return sum;
        }
        if (elementwise::is(n, opcode::subtract))
            if (const int difference = with_product(less_product, b, a); difference >= 0)
                return difference;
        return made_.apply(n.op, became(a), became(b), became(n.argument[2]));
    }

    /// 1 / value k: as a power where it is one, or -1.
    int inverse_of(int k) {
        if (has_jumps_) return -1;
        if (from_.is(k, opcode::sqrt))
            return made_.apply(inverse_root, became(from_[k].argument[0]));
        for (const int side : {0, 1}) {
            if (!from_.is(k, opcode::multiply)) break;
            const int x = from_[k].argument[side], root = from_[k].argument[1 - side];
            if (from_.is(root, opcode::sqrt) && from_[root].argument[0] == x)
                return made_.apply(inverse_root_cubed, became(x));
        }
        return -1;
    }

    /// A sum of products with a leaf added, which comes first then; or -1.
    int with_first(int sum, int leaf) {
        std::vector<int> above;  // products that are added, the last first
        for (; is_used_once(sum) && from_[sum].op == kernels::multiply_add;
             sum = from_[sum].argument[2])
            above.push_back(sum);
        const bool square = from_.is(sum, opcode::square);
        if (above.empty() || !from_.is_leaf(leaf) || !is_used_once(sum) ||
            (!square && !from_.is(sum, opcode::multiply)))
            return -1;
        const int x = from_[sum].argument[0], y = square ? x : from_[sum].argument[1];
        int all = made_.apply(kernels::multiply_add, became(x), became(y), became(leaf));
        for (std::size_t k = above.size(); k-- > 0;)
            all = made_.apply(kernels::multiply_add, became(from_[above[k]].argument[0]),
                              became(from_[above[k]].argument[1]), all);
        return all;
    }

    int with_product(int op, int product, int other) {
        const bool square = from_.is(product, opcode::square);
        if (!is_used_once(product) || (!square && !from_.is(product, opcode::multiply))) return -1;
        const int x = from_[product].argument[0];
        return made_.apply(op, became(x), became(square ? x : from_[product].argument[1]),
                           became(other));
    }

    const body& from_;
    std::vector<int> uses_, became_;
    bool has_jumps_, freely_;
    body made_;
};

}  // namespace

void body::simplify(bool freely) { *this = rewriting(*this, freely).run(); }

bool has_instruction(int op) {
    if (op >= kernels::multiply_add) return true;
    return static_cast<opcode>(op) != opcode::position;
}

}  // namespace ricci::bodies
