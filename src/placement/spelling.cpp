// Spelling an expression so that equal ones are spelt alike.
#include "src/placement/spelling.hpp"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include <fmt/core.h>

#include <ricci/ir/rewrite.hpp>

namespace ricci::mpi {
namespace {

class speller {
public:
    speller(const ir::program_view& p, const std::function<std::int64_t(ir::ref)>& extent,
            canonical_form& out)
        : p_(p), extent_(extent), out_(out) {}

    void spell(ir::ref n) {
        const auto& x = p_.nodes[n];
        write("{}.{}", static_cast<int>(x.kind), x.detail);
        if (x.kind == ir::op::number) write("={:a}", x.value);
        if (x.kind == ir::op::tensor) write("n{}", x.name);
        spell_positions(x.positions);
        const auto outer = enter(x);
        write("(");
        for (const ir::ref child : ordered(x)) {
            spell(child);
            write(",");
        }
        write(")");
        leave(x, outer);
    }

private:
    template <class... Values>
    void write(fmt::format_string<Values...> words, Values&&... values) {
        out_.spelling += fmt::format(words, std::forward<Values>(values)...);
    }

    // A new number at its first appearance, with its extent; the same number later.
    int number_of(ir::ref index) {
        const auto [at, is_new] = numbers_.try_emplace(index, next_);
        if (!is_new) return at->second;
        ++next_;
        write(":{}", extent_(index));
        if (std::find(bound_.begin(), bound_.end(), index) == bound_.end())
            out_.free.push_back(index);
        return at->second;
    }
    void spell_index(ir::ref index) {
        const int number = number_of(index);
        write("#{}", number);
    }

    void spell_positions(ir::range at) {
        for (std::int32_t k = 0; k < at.count; ++k) {
            const auto& q = p_.at(at, k);
            write("[{}.{}", static_cast<int>(q.kind), q.offset);
            if (q.kind == ir::position_kind::index) spell_index(q.index);
            for (std::int32_t t = 0; t < q.terms.count; ++t) {
                const auto& term = p_.affine_terms[q.terms.first + t];
                write("*{}", term.coefficient);
                spell_index(term.index);
            }
        }
    }

    // Factors and terms in the order of their spellings without indices.
    std::vector<ir::ref> ordered(const ir::node& x) {
        std::vector<ir::ref> result;
        for (std::int32_t k = 0; k < x.children.count; ++k) result.push_back(p_.child(x, k));
        if (x.kind != ir::op::add && x.kind != ir::op::multiply) return result;
        std::vector<std::pair<std::string, std::size_t>> shapes(result.size());
        for (std::size_t k = 0; k < result.size(); ++k) {
            shape_of(result[k], shapes[k].first);
            shapes[k].second = k;  // of equal ones, the first as written
        }
        std::sort(shapes.begin(), shapes.end());
        std::vector<ir::ref> sorted;
        for (const auto& shape : shapes) sorted.push_back(result[shape.second]);
        return sorted;
    }
    void shape_of(ir::ref n, std::string& out) const {
        const auto& x = p_.nodes[n];
        out = fmt::format("{}.{}.{}.{}", static_cast<int>(x.kind), x.detail, x.name,
                          x.positions.count);
        if (x.kind == ir::op::number) out += fmt::format("={:a}", x.value);
        std::vector<std::string> children(static_cast<std::size_t>(x.children.count));
        for (std::size_t k = 0; k < children.size(); ++k)
            shape_of(p_.child(x, static_cast<std::int32_t>(k)), children[k]);
        if (x.kind == ir::op::add || x.kind == ir::op::multiply)
            std::sort(children.begin(), children.end());
        for (const auto& child : children) out += fmt::format("({})", child);
    }

    // Below a sign that binds an index, the letter is another index than outside.
    using numbers = std::unordered_map<ir::ref, int>;
    numbers enter(const ir::node& x) {
        numbers outer = numbers_;
        for (std::int32_t k = 0; k < ir::bound_count(x); ++k) {
            numbers_.erase(p_.reduced(x, k));
            bound_.push_back(p_.reduced(x, k));
        }
        return outer;
    }
    void leave(const ir::node& x, const numbers& outer) {
        std::vector<int> over;
        for (std::int32_t k = 0; k < x.indices.count; ++k)
            over.push_back(number_of(p_.reduced(x, k)));
        if (!ir::is_of_matrix(x)) std::sort(over.begin(), over.end());
        for (const int number : over) write("/{}", number);
        for (std::int32_t k = 0; k < ir::bound_count(x); ++k) {
            const ir::ref index = p_.reduced(x, k);
            bound_.pop_back();
            numbers_.erase(index);
            if (const auto found = outer.find(index); found != outer.end()) numbers_.insert(*found);
        }
    }

    const ir::program_view& p_;
    const std::function<std::int64_t(ir::ref)>& extent_;
    canonical_form& out_;
    numbers numbers_;
    std::vector<ir::ref> bound_;
    int next_ = 0;
};

}  // namespace

canonical_form spelled(const ir::program_view& program, ir::ref expression,
                       const std::function<std::int64_t(ir::ref)>& extent) {
    canonical_form result;
    speller(program, extent, result).spell(expression);
    return result;
}

}  // namespace ricci::mpi
