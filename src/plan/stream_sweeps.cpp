// Splitting a streamed group into sweeps and writing them down. What is proportional to the weights of
// one softmax is summed while their maximum is still unknown; everything else waits until all maxima
// and sums are there, and makes the weights again from their logarithms.
#include <algorithm>
#include <cmath>
#include <limits>

#include "src/plan/scalar.hpp"
#include "src/plan/stream_group.hpp"
#include "src/plan/stream_tiles.hpp"

namespace ricci::plan {

/// The factors of a product, sorted; `sign` changes with every negation.
std::vector<std::int32_t> stream_group::factors(std::int32_t value, double& sign) const {
    const auto& v = values_[static_cast<std::size_t>(value)];
    std::vector<std::int32_t> result;
    if (v.code == opcode::negate) {
        sign = -sign;
        return factors(v.first, sign);
    }
    if (v.code != opcode::multiply) return {value};
    result = factors(v.first, sign);
    for (const auto f : factors(v.second, sign)) result.push_back(f);
    std::sort(result.begin(), result.end());
    return result;
}

// sum_j X_ij (sum_c A_ic B_jc) is sum_c A_ic (sum_j X_ij B_jc), where another consumer gives the bracket.
bool stream_group::replace(consumer& sum, const consumer& bracket) {
    if (bracket.sink.b < 0 || bracket.sink.beta != 0 || bracket.late || bracket.partial ||
        bracket.sink.summed != loop_role::column || !bracket.sink.number.instructions.empty() ||
        bracket.sink.number.value == 0)
        return false;
    double sign = 1, bracket_sign = 1;
    auto rest = factors(sum.value, sign);
    const auto wanted = factors(bracket.value, bracket_sign);
    for (std::size_t k = 0; k < rest.size(); ++k) {
        const auto& v = values_[static_cast<std::size_t>(rest[k])];
        if (!is_tile(v) || tile_number(v) >= weights_base) continue;
        auto others = rest;
        others.erase(others.begin() + static_cast<std::ptrdiff_t>(k));
        if (others != wanted) continue;
        const auto number = products_[static_cast<std::size_t>(tile_number(v))];
        const auto product = product_of(number);
        if (product.b != bracket.sink.b || !product.number.instructions.empty()) continue;
        if (product.contracted.size() != bracket.sink.values.size()) continue;

        compiled_step map;
        map.equation = plan_.compiled[sum.step].equation;
        auto& m = map.map;
        m.folding = fold::sum;
        const auto& out = operands_[static_cast<std::size_t>(sum.sink.output)];
        const auto& a = operands_[static_cast<std::size_t>(product.a)];
        const auto& b = operands_[static_cast<std::size_t>(bracket.sink.output)];
        for (const auto* o : {&out, &a, &b}) m.operands.push_back({o->slot, o->offset, {}, o->use});
        for (std::size_t g = 0; g < loops_.size(); ++g) {
            if (loops_[g].axis == loop_role::column) continue;
            m.extents.push_back(loops_[g].extent);
            m.indices.push_back(loops_[g].name);
            m.operands[0].strides.push_back(out.strides[g]);
            m.operands[1].strides.push_back(a.strides[g]);
            m.operands[2].strides.push_back(b.strides[g]);
        }
        const auto& contraction = plan_.compiled[number].contraction;
        for (const auto& l : product.contracted) {
            const auto same =
                std::find_if(bracket.sink.values.begin(), bracket.sink.values.end(),
                             [&](const auto& x) { return x.extent == l.extent && x.a == l.b; });
            if (same == bracket.sink.values.end()) return false;
            m.extents.push_back(l.extent);
            ir::ref name = ir::none;
            for (std::size_t n = 0; n < contraction.k.size() && n < contraction.k_names.size(); ++n)
                if (contraction.k[n].extent == l.extent) name = contraction.k_names[n].index;
            m.indices.push_back(name);
            m.operands[0].strides.push_back(0);
            m.operands[1].strides.push_back(l.a);
            m.operands[2].strides.push_back(same->b);
            ++m.folded;
        }
        const double factor = sign * bracket_sign * product.number.value * sum.sink.number.value /
                              bracket.sink.number.value;
        m.program = {{opcode::load, -1, -1, -1, 1, 0},
                     {opcode::load, -1, -1, -1, 2, 0},
                     {opcode::multiply, 0, 1, -1, -1, 0}};
        if (factor != 1) {
            m.program.push_back({opcode::constant, -1, -1, -1, -1, factor});
            m.program.push_back({opcode::multiply, 2, 3, -1, -1, 0});
        }
        double elements = 1;
        for (const auto n : m.extents) elements *= static_cast<double>(n);
        map.flops = 2 * elements;
        map.bytes = 2 * elements * static_cast<double>(size_of(plan_.type));
        made_.push_back({std::move(map),
                         {{out.slot, sum.step, true},
                          {a.slot, number, false},
                          {b.slot, std::max(sum.step, bracket.step + 1), false}}});
        return true;
    }
    return false;
}

bool stream_group::replace_by_sums_of_outputs() {
    for (auto& sum : consumers_) {
        const auto& s = sum.sink;
        if (s.b >= 0 || s.summed != loop_role::column || (sum.late && !sum.late_by_product) ||
            sum.partial || !s.number.instructions.empty() || s.beta != 0)
            continue;
        for (const auto& bracket : consumers_) {
            if (&bracket == &sum || bracket.step > sum.step) continue;
            sum.replaced = replace(sum, bracket);
            if (!sum.replaced) continue;
            sum.late = false;
            break;
        }
    }
    return !late_ones_wait();
}

/// The slot that a consumer gives others, by a map where it is partial.
std::int32_t stream_group::written_by(const consumer& c) const {
    const auto& s = plan_.compiled[c.step];
    if (s.is_contraction) return s.contraction.c.slot;
    return s.is_gather ? s.gather.out.slot : s.map.operands[0].slot;
}

/// The slots that a value reads: of its own, or through the products that make its tiles.
std::set<std::int32_t> stream_group::read_by(std::int32_t value, bool through_products) const {
    std::set<std::int32_t> slots;
    const auto needed = reached(value);
    for (std::size_t k = 0; k < needed.size(); ++k) {
        const auto& v = values_[k];
        if (needed[k] == 0 || v.code != opcode::load) continue;
        if (v.operand >= 0 && !through_products)
            slots.insert(operands_[static_cast<std::size_t>(v.operand)].slot);
        if (!is_tile(v) || tile_number(v) >= weights_base || !through_products) continue;
        const auto& c =
            plan_.compiled[products_[static_cast<std::size_t>(tile_number(v))]].contraction;
        slots.insert({c.a.slot, c.b.slot});
        for (const auto& o : c.alpha.operands) slots.insert(o.slot);
    }
    return slots;
}

/// The slots that a consumer reads beside what makes its tile: its factor and its number.
std::set<std::int32_t> stream_group::read_by(const consumer& c) const {
    auto slots = read_by(c.value, false);
    if (c.sink.b >= 0) slots.insert(operands_[static_cast<std::size_t>(c.sink.b)].slot);
    for (const auto& o : c.sink.number.operands) slots.insert(o.slot);
    return slots;
}

// Which consumers have to wait: a sweep reads nothing of what it writes itself.
bool stream_group::assign_sweeps() {
    std::set<std::int32_t> given;
    for (const auto& c : consumers_) given.insert(written_by(c));
    const auto waits = [&](const std::set<std::int32_t>& slots) {
        return std::any_of(slots.begin(), slots.end(),
                           [&](std::int32_t slot) { return given.contains(slot); });
    };
    for (const auto score : scores_) {
        const auto inside = linear_in(score);
        if (!inside || *inside >= 0 || waits(read_by(score, false)) ||
            waits(read_by(score, true))) {
            reason_ = "a softmax of it depends on another sum over it";
            return false;
        }
    }
    // What is not summed over columns runs without any softmax to find.
    for (auto& c : consumers_) {
        const auto softmax = linear_in(c.value);
        c.late = !softmax || waits(read_by(c)) ||
                 (c.sink.summed != loop_role::column && !scores_.empty());
        c.late_by_product = !c.late && waits(read_by(c.value, true));
        c.late = c.late || c.late_by_product;
        c.sink.weights = c.late ? -1 : *softmax;
    }
    return true;
}

/// Whether what waits for the first sweep depends on something that waits, too.
bool stream_group::late_ones_wait() {
    std::set<std::int32_t> given;
    for (const auto& c : consumers_)
        if (c.late) given.insert(written_by(c));
    for (const auto& c : consumers_) {
        if (!c.late) continue;
        auto slots = read_by(c);
        slots.merge(read_by(c.value, true));
        if (std::any_of(slots.begin(), slots.end(),
                        [&](std::int32_t slot) { return given.contains(slot); })) {
            reason_ = "sums over it depend on one another";
            return true;
        }
    }
    return false;
}

// Memory for the logarithms of the sums of weights that late consumers need.
void stream_group::make_log_sums() {
    log_sums_.assign(scores_.size(), -1);
    for (const auto& c : consumers_) {
        if (!c.late) continue;
        const auto needed = reached(c.value);
        for (std::size_t k = 0; k < needed.size(); ++k) {
            if (needed[k] == 0 || !is_tile(values_[k]) || tile_number(values_[k]) < weights_base)
                continue;
            const auto softmax = static_cast<std::size_t>(tile_number(values_[k]) - weights_base);
            if (log_sums_[softmax] >= 0) continue;
            std::vector<loop> axes;
            for (const auto& l : loops_)
                if (l.axis != loop_role::column) axes.push_back(l);
            std::vector<std::int64_t> own;
            const auto number = new_slot(axes, own);
            log_sum_slots_.push_back(number);
            layout strides(loops_.size(), 0);
            for (std::size_t g = 0, axis = 0; g < loops_.size(); ++g)
                if (loops_[g].axis != loop_role::column) strides[g] = own[axis++];
            log_sums_[softmax] = operand(number, 0, strides, {number, {0, -1}}, true);
        }
    }
}

// The value with the weights of every softmax made again: exp(score - log of their sum).
std::int32_t stream_group::recomputed(std::int32_t value) {
    if (const auto k = recomputed_.find(value); k != recomputed_.end()) return k->second;
    auto v = values_[static_cast<std::size_t>(value)];
    std::int32_t result = -1;
    if (is_tile(v) && tile_number(v) >= weights_base) {
        const auto softmax = static_cast<std::size_t>(tile_number(v) - weights_base);
        const auto sums = operands_[static_cast<std::size_t>(log_sums_[softmax])];
        const auto read = load(operand(sums.slot, 0, sums.strides, sums.use, false));
        result = operation(opcode::exp, operation(opcode::subtract, scores_[softmax], read));
    } else {
        for (auto* argument : {&v.first, &v.second, &v.third})
            if (*argument >= 0) *argument = recomputed(*argument);
        result = push(v);
    }
    recomputed_[value] = result;
    return result;
}

/// Writes down the consumers of one sweep.
class stream_group::sweep_writer {
public:
    explicit sweep_writer(stream_group& group) : group_(group) {}

    bool write(bool late, made_step& result) {
        auto& g = group_;
        std::vector<consumer*> chosen;
        for (auto& c : g.consumers_)
            if (c.late == late && !c.replaced) chosen.push_back(&c);
        std::vector<std::int32_t> roots;
        for (auto* c : chosen) roots.push_back(late ? g.recomputed(c->value) : c->value);
        std::vector<std::size_t> softmaxes;
        for (std::size_t k = 0; !late && k < g.scores_.size(); ++k) {
            bool wanted = g.log_sums_[k] >= 0;
            for (const auto* c : chosen)
                wanted = wanted || c->sink.weights == static_cast<std::int32_t>(k);
            if (wanted) softmaxes.push_back(k);
        }
        auto all = roots;
        for (const auto k : softmaxes) all.push_back(g.scores_[k]);
        number_products(all);
        for (const auto k : softmaxes) {
            fused_step::stage stage{operation_kind::weights, program_of(g.scores_[k]), -1, 0};
            if (g.log_sums_[k] >= 0) {
                stage.log_sum_exp = operand(g.log_sums_[k]);
                // exp(-infinity - infinity) is 0: rows without weights stay without.
                stage.empty = std::numeric_limits<double>::infinity();
            }
            stream_.stages.push_back(std::move(stage));
            tile_of_leaf_[weights_base + static_cast<std::int32_t>(k)] = last_tile();
        }
        if (late) make_weights(roots);
        for (std::size_t k = 0; k < chosen.size(); ++k) {
            auto sink = chosen[k]->sink;
            sink.tile = tile_of(roots[k]);
            if (sink.weights >= 0)
                sink.weights = tile_of_leaf_.at(weights_base + sink.weights) -
                               static_cast<std::int32_t>(stream_.products.size());
            if (sink.b >= 0) sink.b = operand(sink.b);
            sink.output = operand(sink.output);
            stream_.sinks.push_back(std::move(sink));
        }
        for (const auto& l : g.loops_) {
            stream_.loops.push_back({l.extent, l.axis});
            stream_.loop_names.push_back(l.name);
        }
        result.what.is_stream = true;
        result.what.stream = std::move(stream_);
        return result.what.stream.products.size() + result.what.stream.stages.size() <= 16 &&
               result.what.stream.operands.size() <= 40;
    }

private:
    std::int32_t operand(std::int32_t number) {
        if (const auto k = operand_.find(number); k != operand_.end()) return k->second;
        stream_.operands.push_back(group_.operands_[static_cast<std::size_t>(number)]);
        return operand_[number] = static_cast<std::int32_t>(stream_.operands.size()) - 1;
    }
    std::int32_t last_tile() const {
        return static_cast<std::int32_t>(stream_.products.size() + stream_.stages.size()) - 1;
    }

    void number_products(const std::vector<std::int32_t>& roots) {
        std::set<std::int32_t> used;
        for (const auto root : roots) {
            const auto needed = group_.reached(root);
            for (std::size_t k = 0; k < needed.size(); ++k)
                if (needed[k] != 0 && is_tile(group_.values_[k]) &&
                    tile_number(group_.values_[k]) < weights_base)
                    used.insert(tile_number(group_.values_[k]));
        }
        for (const auto number : used) {
            auto product = group_.product_of(group_.products_[static_cast<std::size_t>(number)]);
            product.a = operand(product.a);
            product.b = operand(product.b);
            tile_of_leaf_[number] = static_cast<std::int32_t>(stream_.products.size());
            stream_.products.push_back(std::move(product));
        }
    }

    // Weights that are made again are tiles of their own, which others read.
    void make_weights(const std::vector<std::int32_t>& roots) {
        std::set<std::int32_t> weights;
        for (const auto& [before, after] : group_.recomputed_) {
            const auto& v = group_.values_[static_cast<std::size_t>(before)];
            if (is_tile(v) && tile_number(v) >= weights_base) weights.insert(after);
        }
        for (const auto w : weights)
            if (std::any_of(roots.begin(), roots.end(), [&](std::int32_t root) {
                    return w <= root && group_.reached(root)[static_cast<std::size_t>(w)] != 0;
                })) {
                const auto& difference = group_.values_[static_cast<std::size_t>(
                    group_.values_[static_cast<std::size_t>(w)].first)];
                const auto& sums = group_.values_[static_cast<std::size_t>(difference.second)];
                auto program = program_of(difference.first);
                stream_.stages.push_back(
                    {operation_kind::recomputed, std::move(program), operand(sums.operand), 0});
                tile_of_value_[w] = last_tile();
            }
    }

    // What the value needs, up to tiles.
    std::vector<instruction> program_of(std::int32_t value) {
        std::vector<instruction> program;
        std::map<std::int32_t, std::int32_t> number;
        append(value, program, number);
        return program;
    }
    std::int32_t append(std::int32_t value, std::vector<instruction>& program,
                        std::map<std::int32_t, std::int32_t>& number) {
        if (const auto k = number.find(value); k != number.end()) return k->second;
        auto i = group_.values_[static_cast<std::size_t>(value)];
        if (const auto made = tile_of_value_.find(value); made != tile_of_value_.end()) {
            i = {};
            i.code = opcode::load;
            i.operand = tile_operand(made->second);
        } else if (is_tile(i)) {
            i.operand = tile_operand(tile_of_leaf_.at(tile_number(i)));
        } else if (i.operand >= 0) {
            i.operand = operand(i.operand);
        } else {
            for (auto* argument : {&i.first, &i.second, &i.third})
                if (*argument >= 0) *argument = append(*argument, program, number);
        }
        program.push_back(i);
        return number[value] = static_cast<std::int32_t>(program.size()) - 1;
    }

    std::int32_t tile_of(std::int32_t value) {
        const auto& v = group_.values_[static_cast<std::size_t>(value)];
        if (is_tile(v)) return tile_of_leaf_.at(tile_number(v));
        if (const auto k = tile_of_value_.find(value); k != tile_of_value_.end()) return k->second;
        auto program = program_of(value);
        stream_.stages.push_back({operation_kind::values, std::move(program), -1, 0});
        return tile_of_value_[value] = last_tile();
    }

    stream_group& group_;
    fused_step stream_;
    std::map<std::int32_t, std::int32_t> operand_;
    std::map<std::int32_t, std::int32_t> tile_of_leaf_;   // products and weights
    std::map<std::int32_t, std::int32_t> tile_of_value_;  // stages
};

void stream_group::count(compiled_step& s, const std::vector<std::size_t>& steps) const {
    auto& stream = s.stream;
    const double size = static_cast<double>(size_of(plan_.type));
    for (const std::size_t number : steps) {
        s.flops += plan_.compiled[number].flops;
        const auto e = plan_.compiled[number].equation;
        if (std::find(stream.equations.begin(), stream.equations.end(), e) ==
            stream.equations.end())
            stream.equations.push_back(e);
        const auto& m = plan_.compiled[number];
        const auto& use = m.is_contraction ? m.contraction.c
                          : m.is_gather    ? m.gather.out.use
                                           : m.map.operands[0].use;
        const auto plane = layouts_.find(use.slot);
        if (plane == layouts_.end()) continue;
        if (std::any_of(stream.unstored.begin(), stream.unstored.end(),
                        [&](const tensor_use& u) { return u.slot == use.slot; }))
            continue;
        stream.unstored.push_back(use);
        double elements = 1;
        for (std::size_t g = 0; g < loops_.size(); ++g)
            if (plane->second[g] != 0) elements *= static_cast<double>(loops_[g].extent);
        stream.saved_bytes += elements * size;
    }
    std::vector<std::int32_t> counted;
    for (const auto& o : stream.operands) {
        if (o.slot < 0 || std::find(counted.begin(), counted.end(), o.slot) != counted.end())
            continue;
        counted.push_back(o.slot);
        const auto k = static_cast<std::size_t>(o.slot);
        double elements = 1;
        for (const auto n :
             (k < plan_.slots.size() ? plan_.slots[k] : new_slots_[k - plan_.slots.size()]).extents)
            elements *= static_cast<double>(n);
        s.bytes += elements * size;
    }
}

bool stream_group::write(bool late) {
    std::set<std::size_t> steps;
    std::vector<access> accesses;
    for (const auto& c : consumers_) {
        if (c.replaced) continue;
        // Late weights need the scores of early ones, which they were made of at first.
        if (c.late != late) continue;
        steps.insert(c.needs.begin(), c.needs.end());
        steps.insert(c.step);
    }
    made_step result;
    if (!sweep_writer(*this).write(late, result)) {
        reason_ = "it takes too many steps";
        return false;
    }
    if (result.what.stream.sinks.empty() && result.what.stream.stages.empty()) return true;
    if (!late)  // softmaxes without consumers of their own
        for (const auto& c : consumers_)
            for (const std::size_t n : c.needs)
                if (plan_.compiled[n].is_map() && plan_.compiled[n].map.folding == fold::softmax)
                    for (const auto& [key, needs] : needs_)
                        if (key.second == n) steps.insert(needs.begin(), needs.end());
    for (const std::size_t number : steps)
        for_each_slot(plan_.compiled[number], [&](std::int32_t slot, bool writes) {
            if (slot < 0 || is_plane(slot)) return;
            // Of what a pass over planes reads, only what this sweep reads counts.
            accesses.push_back({slot, number, writes});
        });
    std::set<std::int32_t> touched;
    for_each_slot(result.what, [&](std::int32_t slot, bool) { touched.insert(slot); });
    std::erase_if(accesses, [&](const access& a) { return !touched.contains(a.slot); });
    for (const auto sums : log_sum_slots_)
        accesses.push_back({sums, late ? plan_.compiled.size() : 0, !late});
    for (const auto& c : consumers_)
        if (c.partial && !c.replaced && c.late == late)
            accesses.push_back(
                {operands_[static_cast<std::size_t>(c.sink.output)].slot, c.step, true});
    const std::vector<std::size_t> sorted(steps.begin(), steps.end());
    result.what.equation = plan_.compiled[sorted.back()].equation;
    result.what.hides = std::any_of(sorted.begin(), sorted.end(), [&](std::size_t number) {
        return plan_.compiled[number].hides;
    });
    count(result.what, sorted);
    result.accesses = std::move(accesses);
    made_.push_back(std::move(result));
    return true;
}

bool stream_group::build() {
    for (const std::size_t number : sinks_) add_consumer(number);
    if (!assign_sweeps() || !replace_by_sums_of_outputs()) return false;
    make_log_sums();
    // Without a softmax it has to be the plane that is large, not what it is made of and becomes.
    std::int64_t columns = 1, contracted = 0, values = 0;
    for (const auto& l : loops_)
        if (l.axis == loop_role::column) columns *= l.extent;
    const auto size = [](const auto& loops) {
        std::int64_t product = 1;
        for (const auto& l : loops) product *= l.extent;
        return product;
    };
    for (const auto number : products_)
        contracted = std::max(contracted, size(plan_.compiled[number].contraction.k));
    for (const auto& c : consumers_) values = std::max(values, size(c.sink.values));
    if (scores_.empty() && columns < contracted + values) return false;
    return write(false) && write(true);
}

}  // namespace ricci::plan
