// Which assumptions are tried of a program's inputs, and how they are said.
#include "judge/assumptions.hpp"

#include <algorithm>
#include <set>

#include <ricci/ir/rewrite.hpp>

#include "src/base/texts.hpp"

namespace ricci::judge {
namespace {

/// The rank of a tensor where it is read; -1 where it is not, or is defined, or is a derivative.
std::int32_t rank_of_input(const ir::program_view& p, ir::ref name) {
    if (p.names[name].kind != ir::name_kind::plain || p.definition(name) != ir::none) return -1;
    std::int32_t rank = -1;
    for (const ir::equation& e : p.equations)
        ir::for_each_node(p, e.body, [&](ir::ref n) {
            const ir::node& x = p.nodes[n];
            if (x.kind == ir::op::tensor && x.name == name) rank = x.positions.count;
        });
    return rank;
}
/// The first indices over which something is summed, each spelling once.
std::vector<ir::ref> counted_indices(const ir::program_view& p) {
    std::vector<ir::ref> out;
    std::set<std::string> seen;
    for (const ir::equation& e : p.equations)
        ir::for_each_node(p, e.body, [&](ir::ref n) {
            const ir::node& x = p.nodes[n];
            if (x.kind != ir::op::reduce) return;
            for (std::int32_t k = 0; k < x.indices.count; ++k)
                if (const ir::ref i = p.reduced(x, k);
                    seen.insert(detail::string_of(p.index(i))).second)
                    out.push_back(i);
        });
    return out;
}

std::string with_letters(const std::string& name, std::int32_t rank, std::int32_t a, char at_a,
                         std::int32_t b = -1, char at_b = ' ') {
    if (rank == 0) return name;
    std::string letters;
    char next = 'l';
    for (std::int32_t k = 0; k < rank; ++k) letters += k == a ? at_a : k == b ? at_b : next++;
    return name + (rank == 1 ? "_" + letters : "_{" + letters + "}");
}

std::string words_of(const ir::program_view& p, const bound_assumption& a) {
    if (a.property == property::places) return "all indices have three places";
    const std::int32_t rank = rank_of_input(p, a.name);
    const std::string name = plain_name(detail::string_of(p.name(a.name)));
    const auto at = [&](char i, char j) {
        return with_letters(name, rank, a.first, i, a.second, j);
    };
    const std::string along = with_letters(name, rank, a.first, 'i');
    switch (a.property) {
        case property::symmetric:
            return at('i', 'j') + " = " + at('j', 'i');
        case property::antisymmetric:
            return at('i', 'j') + " = -" + at('j', 'i');
        case property::orthogonal:
            return "\\sum_k " + at('k', 'i') + " " + at('k', 'j') + " = \\delta_{ij}";
        case property::unit_length:
            return "\\sum_i " + along + "^2 = 1";
        case property::sums_to_one:
            return "\\sum_i " + along + " = 1";
        case property::distribution:
            return "\\sum_i " + along + " = 1 and " + along + " > 0";
        case property::positive:
            return with_letters(name, rank, 0, 'i', 1, 'j') + " > 0";
        case property::permutation:
            return name + " is the permutation symbol";
        case property::volume:
            return "\\det " + name + " = 1";
        case property::places:
            break;
        case property::counts:
            return name + " = \\sum_{" + detail::string_of(p.index(a.index)) + "} 1";
        case property::diagonal:
            return name + " is diagonal";
        case property::one_hot:
            return name + " is one-hot";
        case property::whole:
            return name + " is whole";
    }
    return {};
}

bool takes_two_axes(property what) {
    return what == property::symmetric || what == property::antisymmetric ||
           what == property::orthogonal || what == property::diagonal || what == property::volume;
}

}  // namespace

bool contradict(const bound_assumption& a, const bound_assumption& b) {
    const auto is = [](const bound_assumption& x, property what) { return x.property == what; };
    if (a.name != b.name) return false;
    for (const auto& [x, y] : {std::pair(&a, &b), std::pair(&b, &a)}) {
        if (is(*x, property::symmetric) && is(*y, property::permutation)) return true;
        if (is(*x, property::symmetric) && is(*y, property::antisymmetric))
            return x->first == y->first && x->second == y->second;
    }
    return false;
}

std::string plain_name(const std::string& name) {
    const std::size_t bar = name.rfind('_');
    if (bar == std::string::npos || bar == 0) return name;
    const std::string tail = name.substr(bar + 1);
    const bool heights = tail == "upper" || tail == "lower" ||
                         (tail.size() > 1 && tail.find_first_not_of("ul") == std::string::npos);
    return heights ? name.substr(0, bar) : name;
}

std::vector<std::vector<bound_assumption>> standard_assumptions(const ir::program_view& p,
                                                                bool counts) {
    std::vector<std::vector<bound_assumption>> out;
    std::vector<bound_assumption> all_positive;
    out.push_back({{ir::none, property::places, -1, -1, ir::none}});
    const std::vector<ir::ref> summed = counted_indices(p);
    for (ir::ref n = 0; n < p.names.size(); ++n) {
        const std::int32_t rank = rank_of_input(p, n);
        if (rank < 0) continue;
        const auto add = [&](property what, std::int32_t a = -1, std::int32_t b = -1,
                             ir::ref index = ir::none) {
            out.push_back({{n, what, a, b, index}});
        };
        for (std::int32_t a = 0; a < rank; ++a)
            for (std::int32_t b = a + 1; b < rank; ++b) {
                add(property::symmetric, a, b);
                add(property::antisymmetric, a, b);
                if (rank == 2) add(property::volume, a, b);
                add(property::orthogonal, a, b);
            }
        add(property::positive);
        for (std::int32_t a = 0; a < rank; ++a) {
            add(property::unit_length, a);
            add(property::sums_to_one, a);
            add(property::distribution, a);
        }
        all_positive.push_back({n, property::positive, -1, -1, ir::none});
        const std::string name = plain_name(detail::string_of(p.name(n)));
        if (rank == permuted && (name == "\\epsilon" || name == "\\varepsilon"))
            add(property::permutation);
        for (const ir::ref i : summed)
            if (rank == 0 && counts) add(property::counts, -1, -1, i);
    }
    // what says least comes first: a name alone
    if (all_positive.size() > 1) out.push_back(std::move(all_positive));
    return out;
}

std::vector<bound_assumption> bound_to(const ir::program_view& p,
                                       const std::vector<assumption>& declared) {
    std::vector<bound_assumption> out;
    for (const assumption& a : declared) {
        if (a.property == property::places) out.push_back({ir::none, a.property, -1, -1, ir::none});
        for (ir::ref n = 0; n < p.names.size(); ++n) {
            const std::string name = detail::string_of(p.name(n));
            if (name != a.name && plain_name(name) != a.name) continue;
            const std::int32_t rank = rank_of_input(p, n);
            if (rank < 0) continue;
            const bool two = takes_two_axes(a.property);
            std::int32_t first = a.first >= 0 ? a.first
                                 : two        ? rank - 2
                                              : rank - 1,
                         second = two ? (a.second >= 0 ? a.second : rank - 1) : -1;
            const bool by_axis =
                two || a.property == property::unit_length || a.property == property::sums_to_one ||
                a.property == property::distribution || a.property == property::one_hot;
            if (by_axis && (first < 0 || first >= rank || second >= rank || first == second))
                continue;
            if (a.property == property::permutation && rank != permuted) continue;
            ir::ref index = ir::none;
            for (const ir::ref i : counted_indices(p))
                if (detail::string_of(p.index(i)) == a.index) index = i;
            if (a.property == property::counts && (index == ir::none || rank != 0)) continue;
            out.push_back({n, a.property, first, second, index});
        }
    }
    // words that belong to another name, one of them or both
    std::vector<bound_assumption> sound;
    for (const bound_assumption& a : out)
        if (std::none_of(out.begin(), out.end(), [&](const auto& b) { return contradict(a, b); }))
            sound.push_back(a);
    return sound;
}

assumption as_value(const ir::program_view& p, const bound_assumption& a) {
    assumption out;
    if (a.name != ir::none) out.name = detail::string_of(p.name(a.name));
    out.property = a.property;
    out.first = a.first;
    out.second = a.second;
    if (a.index != ir::none) out.index = detail::string_of(p.index(a.index));
    return out;
}

std::string words_of(const ir::program_view& p, const std::vector<bound_assumption>& all) {
    std::string out;
    for (std::size_t k = 0; k < all.size(); ++k) {
        if (k > 0) out += k + 1 == all.size() ? " and " : ", ";
        out += words_of(p, all[k]);
    }
    return out;
}

}  // namespace ricci::judge
