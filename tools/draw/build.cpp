// Diagrams of expressions: what each node of an expression is drawn as.
#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include <fmt/format.h>

#include <ricci/ir/print.hpp>
#include <ricci/ir/rewrite.hpp>
#include <ricci/ir/solutions.hpp>

#include "draw/diagram.hpp"
#include "draw/drawing.hpp"
#include "draw/forks.hpp"
#include "draw/title.hpp"
#include "src/base/texts.hpp"

namespace ricci::draw {
namespace {

std::vector<ir::ref> members_of(const ir::index_set& set) {
    std::vector<ir::ref> all;
    for (ir::ref i = 0; i < set.end(); ++i)
        if (set.has(i)) all.push_back(i);
    return all;
}

class builder {
public:
    builder(const ir::program_view& p, bool whole) : p_(p), whole_(whole), to_(p) {
        for (const ir::equation& e : p_.equations) {
            if (!ir::computes(p_, e)) continue;
            ir::for_each_node(p_, e.body, [&](ir::ref n) {
                if (p_.nodes[n].kind == ir::op::tensor) ++uses_[p_.nodes[n].name];
            });
        }
    }

    void equation(const ir::equation& e) {
        const auto parts = factors_of(p_, e);
        std::int32_t number = 0;
        for (const ir::ref part : parts) factor_[part] = number++;
        network net = expression(e.body);
        for (std::int32_t k = 0; k < e.positions.count; ++k) to_.leave(net, p_.at(e.positions, k));
        factor_.clear();
    }
    diagram finish() {
        for (const auto& [name, nodes] : nodes_of_)
            for (const std::int32_t n : nodes)
                to_.out.nodes[static_cast<std::size_t>(n)].repeated = nodes.size() > 1;
        join_forks(to_.out);
        return std::move(to_.out);
    }

private:
    // Whether the expression can be said in words: it holds no tensor with axes, and none computed
    // here.
    bool is_plain(ir::ref n) const {
        bool plain = true;
        ir::for_each_node(p_, n, [&](ir::ref k) {
            const ir::node& x = p_.nodes[k];
            if (x.kind == ir::op::choose) plain = false;
            if (x.kind == ir::op::tensor && (x.positions.count > 0 || is_inside(x.name)))
                plain = false;
        });
        return plain;
    }
    bool is_inside(ir::ref name) const {
        const ir::ref e = whole_ ? p_.definition(name) : ir::none;
        return e != ir::none && ir::computes(p_, p_.equations[e]);
    }

    network expression(ir::ref n) {
        const auto found = factor_.find(n);
        if (found == factor_.end()) return make(n);
        const std::int32_t outer = to_.enter_factor(found->second);
        network net = make(n);
        to_.enter_factor(outer);
        return net;
    }

    network make(ir::ref n) {
        const ir::node& x = p_.nodes[n];
        if (x.kind == ir::op::tensor) return tensor(x);
        if (x.kind == ir::op::reduce && x.detail == static_cast<std::uint8_t>(ir::reduction::sum)) {
            network net = expression(p_.child(x, 0));
            for (std::int32_t k = 0; k < x.indices.count; ++k) to_.contract(net, p_.reduced(x, k));
            return net;
        }
        if (x.kind == ir::op::delta) {
            network net;
            std::vector<network> places;
            axes(x, to_.add(shape::tensor, {{"δ", 0}}), false, net, places);
            return net;
        }
        if (is_plain(n) && !splits(x)) return value(n, label_of_expression(p_, n));
        if (x.kind == ir::op::multiply) return product(n);
        if (x.kind == ir::op::divide) return quotient(x);
        std::vector<ir::ref> arguments;
        for (std::int32_t k = 0; k < x.children.count; ++k) arguments.push_back(p_.child(x, k));
        label word = word_of_function(p_, x, arguments);
        return function(std::move(word), names_of_arguments(x, arguments), arguments,
                        ir::free_indices(p_, n));
    }
    network product(ir::ref n) {
        const ir::node& x = p_.nodes[n];
        network net;
        std::int32_t first = 0;
        if (n == negated_) {  // its sign is said already
            negated_ = ir::none;
            const ir::ref number = p_.child(x, first++);
            label words = label_of_expression(p_, number);
            words[0].text.erase(0, std::string_view("−").size());
            if (p_.nodes[number].value != -1) net = value(number, std::move(words));
        }
        for (std::int32_t k = first; k < x.children.count; ++k) net.add(expression(p_.child(x, k)));
        return net;
    }
    network quotient(const ir::node& x) {
        network net;
        const ir::node& above = p_.nodes[p_.child(x, 0)];
        const ir::ref below = p_.child(x, 1);
        if (above.kind != ir::op::number || above.value != 1) net = expression(p_.child(x, 0));
        if (is_plain(below)) {
            const ir::op kind = p_.nodes[below].kind;
            const bool brackets = kind == ir::op::add || kind == ir::op::multiply;
            label words{{brackets ? "1/(" : "1/", 0}};
            append(words, label_of_expression(p_, below));
            if (brackets) append(words, {{")", 0}});
            net.add(value(below, words));
        } else {
            net.add(function({{"1/x", 0}}, {""}, {below}, ir::free_indices(p_, below)));
        }
        return net;
    }

    // A product of values with places of indices is drawn as its factors; of scalars alone as one
    // word.
    bool splits(const ir::node& x) const {
        if (x.kind != ir::op::multiply) return false;
        for (std::int32_t k = 0; k < x.children.count; ++k)
            if (!ir::free_indices(p_, p_.child(x, k)).empty()) return true;
        return false;
    }

    network value(ir::ref n, label words) {
        network net;
        const std::int32_t v = to_.add(shape::value, std::move(words));
        net.members.push_back(v);
        for (const ir::ref i : members_of(ir::free_indices(p_, n)))
            net.open[i].push_back({v, 0, i});
        return net;
    }

    // What tells the arguments of a function apart, in their order: what a sum takes away has its
    // sign, and what it adds nothing, as the box says that; letters where the box has these,
    // numbers otherwise.
    std::vector<std::string> names_of_arguments(const ir::node& x,
                                                const std::vector<ir::ref>& arguments) const {
        std::vector<std::string> all;
        const bool letters = x.kind == ir::op::power || x.kind == ir::op::compare;
        for (std::size_t k = 0; k < arguments.size(); ++k)
            all.push_back(x.kind == ir::op::add
                              ? (negative_product(arguments[k]) != ir::none ? "−" : "")
                          : letters ? (k == 0 ? "x" : "y")
                                    : fmt::to_string(k + 1));
        return all;
    }

    // Arrows bring what a function takes: a line for each open index, a dashed one for a number.
    // Several arguments have a node each, where their factors meet.
    network function(label words, const std::vector<std::string>& names,
                     const std::vector<ir::ref>& arguments, const ir::index_set& free) {
        struct argument {
            network part;
            std::int32_t node = -1, axes = 0;
        };
        std::vector<argument> all;
        const bool apart = arguments.size() > 1 || names == std::vector<std::string>{"−"};
        for (std::size_t k = 0; k < arguments.size(); ++k) {
            argument& one = all.emplace_back();
            if (names[k] == "−") negated_ = negative_product(arguments[k]);
            one.part = expression(arguments[k]);
            to_.every_end_one(one.part);
            if (!apart) continue;
            one.axes = static_cast<std::int32_t>(one.part.open.size());
            one.node = to_.add(shape::argument, names[k].empty() ? label{} : label{{names[k], 0}});
            to_.consume(one.part, one.node, {});
        }
        const std::int32_t f = to_.add(shape::function, std::move(words));
        network net;
        net.members.push_back(f);
        for (argument& one : all) {
            if (one.node < 0) {
                to_.consume(one.part, f, {});
            } else {
                to_.bundle({one.node}, {f}, one.axes).arrow = true;
                net.members.push_back(one.node);
            }
            net.members.insert(net.members.end(), one.part.members.begin(), one.part.members.end());
        }
        for (const ir::ref i : members_of(free)) net.open[i].push_back({f, 0, i});
        return net;
    }
    // Of a term with a minus, the product of a negative number and something that is drawn, below
    // the sums around it; or none.
    ir::ref negative_product(ir::ref a) const {
        while (ir::is_sum_node(p_.nodes[a])) a = p_.child(p_.nodes[a], 0);
        const ir::node& x = p_.nodes[a];
        if (x.kind != ir::op::multiply || x.children.count < 2) return ir::none;
        const ir::node& first = p_.nodes[p_.child(x, 0)];
        const bool negative = first.kind == ir::op::number && first.value < 0;
        return negative && (!is_plain(a) || splits(x)) ? a : ir::none;
    }

    network tensor(const ir::node& x) {
        network net;
        const bool inside = is_inside(x.name);
        if (inside && uses_.at(x.name) == 1 && inline_use(x, net)) return net;
        std::vector<network> places = gathered_places(x);
        const bool numbered = x.positions.count > 1;
        const label name = label_of_name(string_of(p_.name(x.name)));
        if (!inside) {
            const std::int32_t t = to_.add(shape::tensor, name);
            nodes_of_[x.name].push_back(t);
            axes(x, t, numbered, net, places);
        } else if (uses_.at(x.name) == 1) {
            axes(x, stored(x.name), numbered, net, places);
        } else {
            const std::int32_t s = stored(x.name), use = to_.add(shape::use, name);
            to_.bundle({s}, {use}, x.positions.count).arrow = true;
            axes(x, use, numbered, net, places);
        }
        return net;
    }
    // What says at which places, before the tensor itself, which puts it on the left.
    std::vector<network> gathered_places(const ir::node& x) {
        std::vector<network> all;
        for (std::int32_t k = 0; k < x.children.count; ++k)
            all.push_back(expression(p_.child(x, k)));
        return all;
    }
    void axes(const ir::node& x, std::int32_t t, bool numbered, network& net,
              std::vector<network>& gathered) {
        net.members.push_back(t);
        for (std::int32_t k = 0; k < x.positions.count; ++k) {
            const ir::position& q = p_.at(x.positions, k);
            const leg mine{t, numbered ? k + 1 : 0};
            if (q.kind == ir::position_kind::index) net.open[q.index].push_back(mine);
            if (q.kind == ir::position_kind::fixed) {
                const std::int32_t e = to_.add(shape::end, {{fmt::to_string(q.offset), 0}});
                to_.bundle(mine, {e}, 1);
                net.members.push_back(e);
            }
            if (q.kind == ir::position_kind::merged || q.kind == ir::position_kind::affine) {
                const bool merged = q.kind == ir::position_kind::merged;
                const leg fork{to_.split(q, net)};
                to_.bundle(mine, fork, merged ? q.terms.count : 1).text = to_.letters(q);
            }
            if (q.kind == ir::position_kind::gathered) {
                const network& places = gathered[static_cast<std::size_t>(q.offset)];
                if (!places.members.empty())
                    to_.bundle({places.members.front()}, mine, 0).arrow = true;
                net.add(places);
            }
        }
    }

    // The equation in the place of the tensor that it defines, with the letters of the use.
    bool inline_use(const ir::node& x, network& net) {
        const ir::equation& e = p_.equations[p_.definition(x.name)];
        std::set<ir::ref> distinct;
        for (std::int32_t k = 0; k < x.positions.count; ++k) {
            const ir::position& use = p_.at(x.positions, k);
            const ir::position& axis = p_.at(e.positions, k);
            if (use.kind != ir::position_kind::index || axis.kind != ir::position_kind::index ||
                !distinct.insert(use.index).second)
                return false;
        }
        network body = expression(e.body);
        for (std::int32_t k = 0; k < x.positions.count; ++k) {
            const auto found = body.open.find(p_.at(e.positions, k).index);
            if (found == body.open.end()) continue;
            net.open[p_.at(x.positions, k).index] = found->second;
        }
        net.members = body.members;
        return true;
    }
    // The node of a tensor that the program computes, into which its equation goes axis by axis.
    std::int32_t stored(ir::ref name) {
        if (const auto found = stored_.find(name); found != stored_.end()) return found->second;
        const ir::equation& e = p_.equations[p_.definition(name)];
        network body = expression(e.body);
        std::map<ir::ref, std::int32_t> places;
        struct merged_axis {
            std::int32_t fork, place, strands;
            label letters;
        };
        std::vector<merged_axis> merged;
        std::set<std::int32_t> joined;
        for (std::int32_t k = 0; k < e.positions.count; ++k) {
            const ir::position& q = p_.at(e.positions, k);
            const std::int32_t place = e.positions.count > 1 ? k + 1 : 0;
            if (q.kind == ir::position_kind::index) places[q.index] = place;
            if (q.kind != ir::position_kind::merged) continue;
            const std::int32_t fork = to_.merge(q, body);
            joined.insert(fork);
            merged.push_back({fork, place, q.terms.count, to_.letters(q)});
        }
        to_.every_end_one(body);
        const std::int32_t s = to_.add(shape::stored, label_of_name(string_of(p_.name(name))));
        for (merged_axis& m : merged) {
            edge& line = to_.bundle({m.fork}, {s, m.place}, m.strands);
            line.arrow = true;
            line.text = std::move(m.letters);
        }
        to_.consume(body, s, places, joined);
        return stored_[name] = s;
    }

    ir::program_view p_;
    bool whole_;
    drawing to_;
    std::map<ir::ref, int> uses_;
    ir::ref negated_ = ir::none;  // a product whose sign its argument's node says
    std::map<ir::ref, std::int32_t> factor_, stored_;
    std::map<ir::ref, std::vector<std::int32_t>> nodes_of_;  // that are drawn as they are given
};

}  // namespace

std::vector<ir::ref> factors_of(const ir::program_view& p, const ir::equation& e) {
    ir::ref n = e.body;
    while (p.nodes[n].kind == ir::op::reduce &&
           p.nodes[n].detail == static_cast<std::uint8_t>(ir::reduction::sum))
        n = p.child(p.nodes[n], 0);
    if (p.nodes[n].kind != ir::op::multiply) return {n};
    std::vector<ir::ref> all;
    for (std::int32_t k = 0; k < p.nodes[n].children.count; ++k)
        all.push_back(p.child(p.nodes[n], k));
    return all;
}

diagram diagram_of(const ir::program_view& p, const ir::equation& e) {
    builder b(p, false);
    b.equation(e);
    diagram d = b.finish();
    d.title = title_of(p, e);
    d.latex = latex_of(p, e);
    return d;
}

namespace {

std::vector<diagram> each_as_written(const ir::program_view& p) {
    std::vector<diagram> all;
    for (const ir::equation& e : p.equations)
        if (!p.names[e.name].shape_only) all.push_back(diagram_of(p, e));
    return all;
}

diagram whole_as_written(const ir::program_view& p) {
    builder b(p, true);
    std::set<ir::ref> used;
    for (const ir::equation& e : p.equations)
        if (ir::computes(p, e))
            ir::for_each_node(p, e.body, [&](ir::ref n) {
                if (p.nodes[n].kind == ir::op::tensor) used.insert(p.nodes[n].name);
            });
    detail::text_builder names;
    for (const ir::equation& e : p.equations) {
        if (!ir::computes(p, e) || used.contains(e.name)) continue;
        b.equation(e);
        if (names.view().size > 0) names << ", ";
        ir::latex_printer(p, names).tensor(e.name, {});
    }
    diagram d = b.finish();
    d.latex = string_of(names.view());
    d.title = plain_text(typeset(d.latex));
    return d;
}

}  // namespace

std::vector<diagram> diagrams_of(const ir::program_view& p) {
    if (!ir::has_inverse(p)) return each_as_written(p);
    const ir::program written = ir::with_solutions(p);
    return each_as_written(written);
}
diagram whole_diagram(const ir::program_view& p) {
    if (!ir::has_inverse(p)) return whole_as_written(p);
    const ir::program written = ir::with_solutions(p);
    return whole_as_written(written);
}

}  // namespace ricci::draw
