// Walks the equations from one tensor up to what it is made of, and down to what is made of it.
#include "show/trace.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include <fmt/core.h>

#include <ricci/ir/print_name.hpp>
#include <ricci/ir/rewrite.hpp>

#include "src/base/texts.hpp"

namespace ricci::show {
namespace {

// Of an index letter of an equation, the axis of the shown tensor that it is.
using roles = std::map<ir::ref, int>;

int role_of(const roles& r, ir::ref letter) {
    const auto found = r.find(letter);
    return found == r.end() ? -1 : found->second;
}

// The letters of an axis: one, or several where it is merged; none where it is neither.
std::vector<ir::ref> letters_at(const ir::program_view& p, const ir::position& q) {
    if (q.kind == ir::position_kind::index) return {q.index};
    std::vector<ir::ref> all;
    if (q.kind == ir::position_kind::merged)
        for (std::int32_t k = 0; k < q.terms.count; ++k)
            all.push_back(p.affine_terms[q.terms.first + k].index);
    return all;
}

// What letters at some positions mean, carried over to other positions of the same axes.
roles carried(const ir::program_view& p, const roles& from, ir::range at, ir::range to) {
    roles all;
    for (std::int32_t k = 0; k < std::min(at.count, to.count); ++k) {
        const auto here = letters_at(p, p.at(at, k)), there = letters_at(p, p.at(to, k));
        if (here.size() != there.size()) continue;
        for (std::size_t m = 0; m < here.size(); ++m)
            if (const int role = role_of(from, here[m]); role >= 0) all[there[m]] = role;
    }
    return all;
}

class walk {
public:
    walk(const ir::program_view& p, int row, int column) : p_(p), row_(row), column_(column) {}

    std::vector<planned_trace> from(ir::ref name) {
        const ir::equation& e = p_.equations[p_.definition(name)];
        roles own;
        for (std::int32_t k = 0; k < e.positions.count; ++k)
            if (p_.at(e.positions, k).kind == ir::position_kind::index)
                own[p_.at(e.positions, k).index] = k;
        if (!has(own, row_) || !has(own, column_)) return {};
        visited_.insert(name);
        add(traced_tensor::traced_kind::self, name, e.positions, own);
        up(e, own);
        down(name, own);
        return in_order();
    }

private:
    static bool has(const roles& r, int role) {
        return std::any_of(r.begin(), r.end(), [&](const auto& x) { return x.second == role; });
    }
    ir::ref computed(ir::ref name) const {
        const ir::ref d = p_.definition(name);
        return d == ir::none || !ir::computes(p_, p_.equations[d]) ? ir::none : d;
    }

    void add(traced_tensor::traced_kind kind, ir::ref name, ir::range positions, const roles& r) {
        planned_trace t;
        t.kind = kind;
        t.name = string_of(p_.name(name));
        t.input = computed(name) == ir::none;
        for (std::int32_t k = 0; k < positions.count; ++k) {
            std::vector<planned_trace::axis_part> parts;
            for (const ir::ref letter : letters_at(p_, p_.at(positions, k)))
                parts.push_back({string_of(p_.index(letter)), role_of(r, letter)});
            if (parts.empty()) return;  // read at another place than its own: x^{i-1}
            t.axes.push_back(std::move(parts));
        }
        found_.push_back({computed(name), std::move(t)});
    }

    // Of the uses of a tensor in an equation the one whose letters mean most.
    struct use {
        ir::range positions{};
        roles own;
    };
    std::map<ir::ref, use> uses_in(const ir::equation& e, const roles& r) const {
        std::map<ir::ref, use> all;
        ir::for_each_node(p_, e.body, [&](ir::ref n) {
            const ir::node& x = p_.nodes[n];
            if (x.kind != ir::op::tensor || x.positions.count == 0) return;
            roles own;
            ir::for_each_index(p_, x.positions, [&](ir::ref letter) {
                if (const int role = role_of(r, letter); role >= 0) own[letter] = role;
            });
            // one with the row first, since the others lead nowhere
            const auto worth = [&](const roles& one) {
                return std::pair(has(one, row_), one.size());
            };
            use& best = all[x.name];
            if (worth(own) > worth(best.own)) best = {x.positions, std::move(own)};
        });
        return all;
    }

    void up(const ir::equation& e, const roles& r) {
        for (const auto& [name, used] : uses_in(e, r)) {
            if (!has(used.own, row_) || visited_.contains(name)) continue;
            const ir::ref d = computed(name);
            const ir::range positions = d == ir::none ? used.positions : p_.equations[d].positions;
            const roles own =
                d == ir::none ? used.own : carried(p_, used.own, used.positions, positions);
            if (!has(own, row_)) continue;
            visited_.insert(name);
            const bool both = has(own, column_);
            add(both ? traced_tensor::traced_kind::column : traced_tensor::traced_kind::row, name,
                positions, own);
            if (both && d != ir::none) up(p_.equations[d], own);
        }
    }

    void down(ir::ref name, const roles& own) {
        const ir::range mine = p_.equations[p_.definition(name)].positions;
        for (const ir::equation& e : p_.equations) {
            if (!ir::computes(p_, e) || visited_.contains(e.name)) continue;
            roles r;
            ir::for_each_node(p_, e.body, [&](ir::ref n) {
                const ir::node& x = p_.nodes[n];
                if (x.kind != ir::op::tensor || x.name != name) return;
                roles here = carried(p_, own, mine, x.positions);
                if (here.size() > r.size()) r = std::move(here);
            });
            roles left;
            ir::for_each_index(p_, e.positions, [&](ir::ref letter) {
                if (const int role = role_of(r, letter); role >= 0) left[letter] = role;
            });
            if (!has(left, row_)) continue;
            visited_.insert(e.name);
            const bool both = has(left, column_);
            add(both ? traced_tensor::traced_kind::column : traced_tensor::traced_kind::result,
                e.name, e.positions, left);
            if (both) down(e.name, left);
        }
    }

    // Inputs first, then what is computed, as the equations stand.
    std::vector<planned_trace> in_order() {
        std::sort(found_.begin(), found_.end(), [](const auto& a, const auto& b) {
            return std::tie(a.first, a.second.name) < std::tie(b.first, b.second.name);
        });
        std::vector<planned_trace> all;
        for (auto& [number, t] : found_) all.push_back(std::move(t));
        return all;
    }

    const ir::program_view& p_;
    int row_, column_;
    std::set<ir::ref> visited_;
    std::vector<std::pair<ir::ref, planned_trace>> found_;
};

// With a blank where a letter would go on a command.
std::string joined(const std::vector<std::string>& letters) {
    std::string all;
    bool command = false;
    for (const std::string& letter : letters) {
        all += (command ? " " : "") + letter;
        command = letter[0] == '\\';
    }
    return all;
}
std::string word_of_axis(const std::vector<std::string>& letters) {
    return letters.size() > 1 ? fmt::format("({})", joined(letters)) : joined(letters);
}

ir::ref name_in(const ir::program_view& p, const std::string& name) {
    return p.find({name.data(), static_cast<std::int32_t>(name.size())});
}

}  // namespace

std::vector<planned_trace> trace_of(const program& p, const std::string& name, std::size_t row,
                                    std::size_t column) {
    const ir::program_view view = p;
    const ir::ref shown = name_in(view, name);
    if (shown == ir::none || view.definition(shown) == ir::none) return {};
    auto all = walk(view, static_cast<int>(row), static_cast<int>(column)).from(shown);
    for (planned_trace& t : all)
        for (const tensor_info& info : p.definitions())
            if (info.name == t.name) t.equation = info.equation;
    return all;
}

std::vector<factor> factors_of(const planned_trace& t, const array& shown, const array& mine) {
    if (mine.rank() != t.axes.size()) return {};
    std::vector<factor> all;
    std::size_t stride = 1;
    for (std::size_t axis = t.axes.size(); axis-- > 0;) {
        const auto& parts = t.axes[axis];
        // one extent may be unknown: the others divide the axis
        std::size_t rest = mine.extent(axis), unknown = 0;
        for (const auto& part : parts) {
            if (part.role < 0) {
                ++unknown;
                continue;
            }
            const std::size_t extent = shown.extent(static_cast<std::size_t>(part.role));
            if (extent == 0 || rest % extent != 0) return {};
            rest /= extent;
        }
        if (unknown > 1 || (unknown == 0 && rest != 1)) return {};
        for (std::size_t k = parts.size(); k-- > 0;) {
            const std::size_t extent =
                parts[k].role < 0 ? rest : shown.extent(static_cast<std::size_t>(parts[k].role));
            all.insert(all.begin(), {parts[k].letter, extent, stride, parts[k].role});
            stride *= extent;
        }
    }
    return all;
}

std::vector<std::string> words_of_axes(const planned_trace& t) {
    std::vector<std::string> all;
    for (const auto& parts : t.axes) {
        std::vector<std::string> letters;
        for (const auto& part : parts) letters.push_back(part.letter);
        all.push_back(word_of_axis(letters));
    }
    return all;
}

std::string symbol_of(const std::string& name, const std::vector<std::string>& letters) {
    detail::text_builder text;
    ir::print_name({name.data(), static_cast<std::int32_t>(name.size())}, text);
    const std::string above = joined(letters);
    return string_of(text.view()) + (above.empty() ? "" : fmt::format("^{{{}}}", above));
}

std::vector<std::string> letters_of(const program& p, const std::string& name) {
    const ir::program_view view = p;
    const ir::ref number = name_in(view, name);
    std::vector<std::string> all;
    if (number == ir::none || view.definition(number) == ir::none) return all;
    const ir::range at = view.equations[view.definition(number)].positions;
    for (std::int32_t k = 0; k < at.count; ++k) {
        std::vector<std::string> letters;
        for (const ir::ref letter : letters_at(view, view.at(at, k)))
            letters.push_back(string_of(view.index(letter)));
        all.push_back(word_of_axis(letters));
    }
    return all;
}

}  // namespace ricci::show
