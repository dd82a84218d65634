// Running a random program by the engine from its text, beside what it means.
#pragma once

#include <algorithm>
#include <cmath>
#include <deque>
#include <map>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include <ricci/engine/executable.hpp>
#include <ricci/error.hpp>
#include <ricci/ir/axes.hpp>
#include <ricci/ir/element_rules.hpp>
#include <ricci/ir/needed.hpp>
#include <ricci/parse.hpp>

#include "tests/property/given.hpp"
#include "tests/property/interpret.hpp"
#include "tests/property/write.hpp"
#include "tests/unit/bound_program.hpp"

namespace ricci::testing {

/// Runs an IR program by the engine on the inputs of `p` and on `more`, and gives its outputs.
class engine_run {
public:
    engine_run(const random_program& p, ir::program program, element type,
               const std::map<std::string, dense>& more = {},
               const std::map<std::size_t, dense>& changed = {})
        : program_(std::move(program)), type_(type), random_(p.seed), declared_(p.tensors) {
        for (const auto& i : indices_to_give(p)) {
            const std::string letter = plain_letter(i);
            const ir::ref index =
                program_.intern_index({letter.data(), static_cast<std::int32_t>(letter.size())});
            extents_.push_back({index, p.extent(i)});
        }
        for (std::size_t t = 0; t < p.tensors.size(); ++t)
            if (!p.tensors[t].defined)
                bind(p.tensors[t].name,
                     changed.count(t) > 0 ? changed.at(t) : input_values(p).of(t, type));
        for (const auto& [name, values] : more) bind(name, values);
    }
    /// Binds the extent of every index of the program, the primed ones that a derivation made too.
    void give_all_extents(const random_program& p) {
        extents_.clear();
        const bool edges = std::any_of(p.equations.begin(), p.equations.end(),
                                       [](const definition& e) { return has_edge(e.body); });
        for (ir::ref i = 0; i < program_.indices.size(); ++i) {
            const std::string index = spelled(program_.index(i));
            // a letter's later symbols are bound ones of other terms, with extents of their own
            bool first = true;
            for (ir::ref j = 0; j < i; ++j) first = first && spelled(program_.index(j)) != index;
            if (has_twins(p, index)) continue;
            // i'' is the reader's, of an axis that is read at an edge
            if (edges && index.size() > 2 && index.ends_with("''")) continue;
            // what no index of the program is called has been made by a derivation
            const bool own = has_letter(p, random_program::letter_of(index));
            if (first && own) extents_.push_back({i, p.extent(index)});
        }
    }
    /// Gives memory of this shape to an output.
    void bind_output(const std::string& name, const shape& extents) {
        const ir::ref n = find_name(program_.view(), name);
        if (n == ir::none) return;
        auto& m = owned_.emplace_back(type_, extents, layout::shuffled, random_);
        outputs_.push_back(operand_of(n, m));
        results_[n] = &m;
    }
    engine::request request() {
        engine::request r;
        r.program = program_.view();
        r.type = type_;
        r.inputs = inputs_.data();
        r.input_count = static_cast<std::int32_t>(inputs_.size());
        r.outputs = outputs_.data();
        r.output_count = static_cast<std::int32_t>(outputs_.size());
        r.index_extents = extents_.data();
        r.index_extent_count = static_cast<std::int32_t>(extents_.size());
        r.context = this;
        r.allocate = [](void* self, ir::ref n, std::int32_t rank,
                        const std::int64_t* extents) -> void* {
            auto& me = *static_cast<engine_run*>(self);
            auto& m = me.owned_.emplace_back(me.type_, shape(extents, extents + rank),
                                             layout::row_major, me.random_);
            me.results_[n] = &m;
            return m.data();
        };
        return r;
    }
    /// Without what no equation reads, and with it where its shape is asked for: shapes may not
    /// depend on what happens to be bound.
    std::map<std::string, dense> run() {
        const auto all = inputs_;
        std::erase_if(inputs_, [&](const engine::operand& o) {
            return !ir::is_read(program_, o.name) && !ir::gives_axis(program_, o.name);
        });
        if (inputs_.size() < all.size()) {
            try {
                return run_as_bound();
            } catch (const error&) {
                inputs_ = all;
            }
        }
        return run_as_bound();
    }
    const std::string& explanation() const { return words_; }

private:
    std::map<std::string, dense> run_as_bound() {
        engine::executable step(request());
        words_ = step.explain();
        step.run();
        std::map<std::string, dense> out;
        for (const auto& [n, m] : results_) out[spelled(program_.name(n))] = m->values();
        return out;
    }
    void bind(const std::string& name, const dense& values) {
        const ir::ref n = find_name(program_.view(), name);
        if (n == ir::none || program_.definition(n) != ir::none) return;
        const bool places = says_places(name);
        auto& m = owned_.emplace_back(places ? element::i32 : type_, values.extents,
                                      layout::shuffled, random_);
        std::size_t k = 0;
        m.each(
            [&](std::int64_t offset) { m.set(offset, static_cast<double>(values.values[k++])); });
        inputs_.push_back(operand_of(n, m));
        inputs_.back().is_positions = places;
    }
    bool says_places(const std::string& name) const {
        return std::any_of(declared_.begin(), declared_.end(),
                           [&](const declaration& d) { return d.places > 0 && d.name == name; });
    }
    static engine::operand operand_of(ir::ref n, memory& m) {
        return {n,
                static_cast<std::int32_t>(m.extents.size()),
                m.data(),
                m.extents.data(),
                m.strides.data(),
                0};
    }

    ir::program program_;
    element type_;
    std::mt19937 random_;
    std::vector<declaration> declared_;
    std::deque<memory> owned_;
    std::vector<engine::operand> inputs_, outputs_;
    std::vector<engine::index_extent> extents_;
    std::map<ir::ref, memory*> results_;
    std::string words_;
};

/// The first difference in words, or nothing.
inline std::string difference(const std::map<std::string, dense>& got,
                              std::map<std::string, dense> expected, double tolerance) {
    std::ostringstream words;
    for (const auto& [name, mine] : got) {
        const dense& other = expected[name];
        if (mine.extents != other.extents) {
            words << "the shape of " << name << " differs";
            return words.str();
        }
        for (std::size_t k = 0; k < mine.values.size(); ++k) {
            const long double x = mine.values[k], want = other.values[k];
            if (x == want || (std::isnan(x) && std::isnan(want))) continue;
            if (std::abs(x - want) <= tolerance * (1 + std::abs(want))) continue;
            words << "element " << k << " of " << name << " is " << static_cast<double>(x)
                  << " instead of " << static_cast<double>(want);
            return words.str();
        }
    }
    return {};
}

/// Whether tensors of the type can carry out the program and mean by it what real numbers mean.
inline bool can_compute(const ir::program& p, element type) {
    if (ir::element_rules(p, type).run()) return false;
    if (!is_integer(type)) return true;
    // Quotients of whole numbers are rounded.
    for (const auto& n : p.nodes)
        if (n.kind == ir::op::divide || n.kind == ir::op::power) return false;
    return true;
}

inline bool within_int32(const std::map<std::string, dense>& tensors) {
    for (const auto& [name, t] : tensors)
        for (const auto x : t.values)
            if (!(std::abs(x) < 0x1p30L)) return false;
    return true;
}

/// Whether a tree has a maximum or a minimum of which a condition may leave nothing.
inline bool has_extremum(const tree& t) {
    const auto r = static_cast<ir::reduction>(t.detail);
    return (t.kind == ir::op::reduce && t.children[0].kind == ir::op::choose &&
            (r == ir::reduction::maximum || r == ir::reduction::minimum)) ||
           std::any_of(t.children.begin(), t.children.end(), has_extremum);
}
/// Whether an extremum of nothing, which is infinite, has come into the results: what is added to
/// or multiplied by it is infinite or undefined as the order of the operations has it.
inline bool holds_extremes_of_nothing(const random_program& p,
                                      const std::map<std::string, dense>& tensors) {
    const bool some = std::any_of(p.extents.begin(), p.extents.end(),
                                  [](const auto& entry) { return entry.second == 0; }) ||
                      std::any_of(p.equations.begin(), p.equations.end(),
                                  [](const definition& e) { return has_extremum(e.body); });
    return some && std::any_of(tensors.begin(), tensors.end(), [](const auto& entry) {
               const auto& all = entry.second.values;
               return std::any_of(all.begin(), all.end(), [](auto x) { return !std::isfinite(x); });
           });
}

/// In 16 bits each tensor of the text is rounded once, when it is written: each equation is
/// compared by itself, of the tensors as they were stored before it.
inline std::string check_in_16_bits(const random_program& p, ir::program program, element type) {
    if (!can_compute(program, type)) return {};
    for (const auto& e : p.equations)
        program.names[find_name(program.view(), p.tensors[e.tensor].name)].kept = true;
    engine_run engine(p, std::move(program), type);
    std::map<std::string, dense> got;
    try {
        got = engine.run();
    } catch (const error& e) {
        return std::string("refused: ") + e.what();
    }
    const auto expected = interpret(p, type, {}, got);
    if (holds_extremes_of_nothing(p, expected)) return {};
    for (const auto& [name, t] : expected)
        for (const auto x : t.values)
            if (std::isfinite(x) && std::abs(x) > 3e4L) return {};  // near the end of an f16
    const std::string wrong = difference(got, expected, 5e-3);
    if (wrong.empty()) return {};
    return std::string(name_of(type)) + " differs: " + wrong + "\n" + engine.explanation();
}

/// What is wrong when the engine runs the program; the words up to the colon are the kind of
/// failure.
inline std::string check_run(const random_program& p) {
    const std::string text = text_of(p);
    auto parsed = read_equations(text);
    if (parsed.mistake) return "not read: " + spelled(parsed.mistake.words);
    if (p.keep_all)
        for (const auto& e : p.equations)
            parsed.program.names[find_name(parsed.program, p.tensors[e.tensor].name)].kept = true;
    for (const element type :
         {element::f64, element::f32, element::c128, element::c64, element::i64, element::i32}) {
        if (!can_compute(parsed.program, type)) continue;
        engine_run engine(p, parsed.program, type);
        std::map<std::string, dense> got;
        try {
            got = engine.run();
        } catch (const error& e) {
            return std::string("refused: ") + e.what();
        }
        const auto expected = interpret(p, type);
        if (type == element::i32 && !within_int32(expected)) continue;
        if (holds_extremes_of_nothing(p, expected)) continue;
        const bool single = type == element::f32 || type == element::c64;
        const std::string wrong = difference(got, expected, single ? 3e-3 : 1e-9);
        if (!wrong.empty())
            return std::string(name_of(type)) + " differs: " + wrong + "\n" + engine.explanation();
    }
    return check_in_16_bits(p, std::move(parsed.program),
                            p.seed % 2 == 0 ? element::bf16 : element::f16);
}

}  // namespace ricci::testing
