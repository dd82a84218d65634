// A plan in words: a table with a line for each step under its equation.
#include "src/plan/words/explain.hpp"

#include <algorithm>
#include <map>
#include <type_traits>
#include <utility>

#include <fmt/format.h>

#include "src/plan/schedule/group_price.hpp"
#include "src/plan/words/loop_words.hpp"
#include "src/plan/words/opcode_words.hpp"
#include "src/plan/words/stored_words.hpp"
#include "src/plan/words/words.hpp"

namespace ricci::plan {
namespace {

std::string short_number(double value) { return fmt::format("{:.4g}", value); }

/// 1.25 G
std::string with_prefix(double value) {
    static constexpr const char* prefixes[] = {"", "k", "M", "G", "T", "P", "E"};
    std::size_t k = 0;
    for (; value >= 1000 && k + 1 < sizeof prefixes / sizeof *prefixes; ++k) value /= 1000;
    return fmt::format("{:.{}f} {}", value, k == 0 ? 0 : 2, prefixes[k]);
}

/// contract, 1.3e+04 nominal cycles (fold: 2.1e+05)
std::string words_of(const decision& made) {
    const auto& [taken, next] = made;
    return fmt::format("{}, {:.2g} nominal cycles{}", word_of(taken.how), taken.cycles,
                       next ? fmt::format(" ({}: {:.2g})", word_of(next->how), next->cycles) : "");
}

bool could_be_contracted(const decision& made) {
    const auto& [taken, next] = made;
    return taken.how == way::contract || (next && next->how == way::contract);
}

class writer {
public:
    writer(const ir::program_view& p, const program_plan& plan) : p_(p), plan_(plan) {
        for (std::size_t k = 0; k < plan.slots.size(); ++k) {
            const auto& s = plan.slots[k];
            temporaries_.push_back(
                s.name == ir::none && (s.kind == storage::workspace || s.kind == storage::unused)
                    ? ++count_
                    : 0);
        }
    }

    std::string line(const contraction_step& c) const {
        std::string scale;
        if (!c.alpha.instructions.empty())
            scale = fmt::format("f({}) ", joined(c.alpha.operands, ", ",
                                                 [&](const auto& o) { return name(o.slot); }));
        else if (c.alpha.value != 1) scale = fmt::format("{} ", short_number(c.alpha.value));
        const auto read = [&](const product_operand& from) {
            return from.conjugated ? fmt::format("conj({})", use(from)) : use(from);
        };
        std::string before;
        if (c.beta != 0 && c.beta != 1)
            before = fmt::format(" + {} {}", short_number(c.beta), use(c.c));
        std::string places;
        for (const auto* const from : {&c.a, &c.b})
            for (const auto& l : from->lookups)
                places += fmt::format(", places {}", use(l.numbers.use));
        for (const auto* const from : {&c.a, &c.b})
            if (from->wanted.use.slot) places += fmt::format(" where {}", use(from->wanted.use));
        return fmt::format("contract  {} {} {}{} {}{}{}   {}  {}  {}  {}", use(c.c),
                           c.beta == 1 ? "+=" : "=", scale, read(c.a), read(c.b), before, places,
                           group("batch", c.batch_names), group("M", c.m_names),
                           group("N", c.n_names), group("K", c.k_names));
    }

    std::string line(const algebra_step& s) const {
        static constexpr const char* words[] = {"max", "min", "logsumexp"};
        return fmt::format("{}  {} = {} + {}   {}  {}  {}  {}",
                           words[static_cast<std::size_t>(s.algebra)], use(s.c), use(s.a), use(s.b),
                           group("batch", s.batch_names), group("M", s.m_names),
                           group("N", s.n_names), group("K", s.k_names));
    }

    std::string line(const tie_step& s) const {
        const bool kept = s.test == tie_test::kept_is_sum;
        const auto& sum = kept ? s.kept : s.row;
        const auto& first = kept ? s.row : s.kept;
        const std::string weight = s.weight.use.slot ? " " + use(s.weight.use) : "";
        const std::string number = s.number == 1 ? "" : " " + short_number(s.number);
        return fmt::format("sum over ties  {} ={}{} [{} = {} + {}]   {}  {}  {}  {}",
                           use(s.out.use), number, weight, use(sum.use), use(first.use),
                           use(s.column.use), group("batch", s.batch), group("M", s.m),
                           group("N", s.n), group("K", s.k));
    }

    std::string line(const fused_step& f) const {
        std::string results, loops;
        for (std::size_t k = 0; k < f.group.consumers.size(); ++k)
            results += fmt::format("{}{}", k > 0 ? "; " : "", consumer(f, k));
        for (const auto axis : {loop_role::batch, loop_role::row, loop_role::column}) {
            std::vector<named_loop> mine;
            for (std::size_t l = 0; l < f.group.loops.size(); ++l)
                if (f.group.loops[l].axis == axis)
                    mine.push_back({f.loop_names[l], f.group.loops[l].extent});
            loops += fmt::format("  {}", group(word_of(axis), mine));
        }
        return fmt::format("fused  {} {}", results, loops);
    }

    std::string line(const gather_step& g) const {
        std::string text = fmt::format("{}  {} {} {}",
                                       g.scatter           ? "scatter"
                                       : g.lookups.empty() ? "convert"
                                                           : "gather",
                                       use(g.out.use), g.scatter ? "+=" : "=", use(g.in.use));
        for (const auto& l : g.lookups) text += fmt::format(", places {}", use(l.numbers.use));
        if (g.wanted.use.slot) text += fmt::format(" where {}", use(g.wanted.use));
        return fmt::format("{}  {}", text, loops(g, " ", 0, g.indices.size()));
    }

    std::string line(const lookup_sum_step& s) const {
        std::string text = fmt::format("lookups  {} {} {}", use(s.out.use), s.adds ? "+=" : "=",
                                       steps::entry_of(s.by).word);
        std::string places;
        for (const auto& f : s.factors) {
            text += fmt::format(" {}", use(f.from.use));
            for (const auto& l : f.lookups)
                places += fmt::format(", places {}", use(l.numbers.use));
        }
        for (const auto& l : s.scattered)
            places += fmt::format(", added at {}", use(l.numbers.use));
        return fmt::format("{}{}  free{}  sum{}", text, places, loops(s, " ", 0, s.free),
                           loops(s, " ", s.free, s.extents.size()));
    }

    std::string line(const matrix_step& s) const {
        static constexpr const char* kinds[] = {"LU", "Cholesky", "lower triangles",
                                                "upper triangles"};
        const std::string kind = s.what.tries_cholesky
                                     ? "Cholesky, or LU where that fails"
                                     : kinds[static_cast<std::size_t>(s.what.kind)];
        const auto count = [](const std::vector<std::int64_t>& extents) {
            std::int64_t all = 1;
            for (const auto extent : extents) all *= extent;
            return all;
        };
        std::string matrices = fmt::format("{0}x{0}", s.what.size);
        if (!s.batch.empty()) matrices = fmt::format("{} of {}", count(s.batch), matrices);
        if (s.what.task == matrix_task::factor)
            return fmt::format("factors  {} by {}, {}", use(s.from.use), kind, matrices);
        std::string from = " of";
        if (s.what.task == matrix_task::solve)
            from =
                fmt::format(" {}, right-hand sides: {}, with", use(s.from.use), count(s.columns));
        return fmt::format("{}  {} ={} factors by {}{}, {}", word_of(s.what.task), use(s.to.use),
                           from, kind, s.what.transposed ? " transposed" : "", matrices);
    }

    std::string line(const extremum_step& s) const {
        const std::size_t last = s.indices.size() - 1;
        return fmt::format("arg{} over {}  {} = {}{}", s.largest ? "max" : "min",
                           loops(s, "", last, last + 1), use(s.out.use), use(s.in.use),
                           loops(s, "   ", 0, last));
    }

    std::string decay_of(const scan_step& s) const {
        return s.logarithms ? fmt::format("exp({})", use(s.decayed_by)) : use(s.decayed_by);
    }
    std::string line(const scan_step& s) const {
        return fmt::format(
            "{} {} {}  {} = {}   {}", word_of(s.folding), s.backwards ? "from each" : "up to each",
            words_of_index(p_, s.indices[s.along]), use(s.to),
            s.decays() ? fmt::format("{}, times {} from each to the next", use(s.from), decay_of(s))
                       : use(s.from),
            loops(s, "", 0, s.indices.size()));
    }

    std::string line(const map_step& m) const {
        const std::size_t count = m.indices.size(),
                          free = count - static_cast<std::size_t>(m.folded);
        std::string read;
        for (std::size_t k = 1; k < m.uses.size(); ++k)
            if (m.uses[k].slot)
                read += fmt::format("{}{}", read.empty() ? "" : ", ", use(m.uses[k]));
        if (const auto words = operations(m.program); !words.empty())
            read += fmt::format("{}{{{}}}", read.empty() ? "" : "  ", words);
        const auto& last = m.program.back();
        if (read.empty())
            read = last.code == opcode::position ? "position" : short_number(last.value);
        return fmt::format("{}{}  {} = {}{}", word_of(m.folding), loops(m, " over ", free, count),
                           use(m.uses[0]), read, loops(m, "   ", 0, free));
    }

    /// What a fused group does with a tile, and what it leaves out.
    std::string inside(const fused_step& f, const std::string& tiles) const {
        const auto products = joined(f.group.products, ", ", [&](const auto& p) {
            const auto a = operand(f, p.a), b = operand(f, p.b);
            return p.is_distance ? fmt::format("({} - {})^2", a, b) : fmt::format("{} {}", a, b);
        });
        std::string done;
        for (const auto& o : f.group.operations) {
            const auto words = operations(o.program);
            if (!words.empty()) done += fmt::format("  {{{}}}", words);
            if (o.kind == operation_kind::weights) done += "  softmax";
            if (o.kind == operation_kind::recomputed) done += "  softmax again";
        }
        return fmt::format("    tile: {}{}{}{}\n{}    not stored: {}; {}B saved\n", products, done,
                           tiles.empty() ? "" : "; ", tiles, bound(f),
                           joined(f.unstored, ", ", [&](const auto& u) { return use(u); }),
                           with_prefix(f.saved_bytes));
    }

    /// t1[i,j], or t1.
    std::string name_of(slot_number slot, bool indices) const {
        return indices ? use({slot, {0, -1}}) : name(slot);
    }

private:
    /// What a group cannot be quicker than.
    static std::string bound(const fused_step& f) {
        const auto [products, element_wise, memory] = price_of(f);
        const char* const most = products >= std::max(element_wise, memory) ? "products"
                                 : element_wise >= memory                   ? "element-wise"
                                                                            : "memory";
        return fmt::format(
            "    bound by {}: {:.2g} nominal cycles of products, {:.2g} element-wise, {:.2g} of "
            "memory\n",
            most, products, element_wise, memory);
    }
    std::string name(slot_number slot) const {
        const auto k = plan_.whole(slot).index();
        return temporaries_[k] > 0 ? fmt::format("t{}", temporaries_[k])
                                   : words_of_name(p_, plan_.slots[k].name);
    }
    std::string use(const tensor_use& u) const {
        std::string indices;
        const auto& axes = plan_.slots[plan_.whole(u.slot).index()].axes;
        if (u.positions.count > 0) indices = words_of_positions(p_, u.positions);
        if (u.positions.count < 0)
            indices = joined(axes, ",", [&](ir::ref i) { return words_of_index(p_, i); });
        return indices.empty() ? name(u.slot) : fmt::format("{}[{}]", name(u.slot), indices);
    }
    std::string operand(const fused_step& f, std::int32_t number) const {
        return use(f.uses[static_cast<std::size_t>(number)]);
    }
    /// i=32,j=48, with `before` in front where there are any.
    std::string loops(const looped_step& s, const char* before, std::size_t first,
                      std::size_t end) const {
        std::string words;
        for (std::size_t k = first; k < end; ++k)
            words += fmt::format("{}{}={}", k == first ? before : ",",
                                 words_of_index(p_, s.indices[k]), s.extents[k]);
        return words;
    }
    /// M i,j=32x48
    std::string group(const char* title, const std::vector<named_loop>& loops) const {
        if (loops.empty()) return fmt::format("{} -", title);
        return fmt::format(
            "{} {}={}", title,
            joined(loops, ",", [&](const auto& l) { return words_of_index(p_, l.index); }),
            joined(loops, "x", [](const auto& l) { return fmt::format("{}", l.extent); }));
    }
    static std::string operations(const std::vector<instruction>& program) {
        std::string words;
        for (const auto& i : program)
            if (i.code > opcode::position)
                words += fmt::format("{}{}", words.empty() ? "" : " ", word_of(i.code));
        return words;
    }

    /// Whether a result of a fused group is a sum of tiles, or of parts of them.
    static bool sums(const fused_group& g, const tile_consumer& c) {
        if (c.summed != loop_role::batch || c.added) return true;
        const auto& strides = g.operands[static_cast<std::size_t>(c.output)].strides;
        for (std::size_t l = 0; l < g.loops.size(); ++l)
            if (g.loops[l].axis == loop_role::batch && g.loops[l].extent != 1 && strides[l] == 0)
                return true;
        return false;
    }
    std::string consumer(const fused_step& f, std::size_t number) const {
        const tile_consumer& c = f.group.consumers[number];
        const std::string fold = sums(f.group, c) ? fmt::format("{} of ", entry_of(c.by).word) : "";
        const auto beside = [&](const char* words, std::int32_t to) {
            return to < 0 ? "" : fmt::format(", {} {}", words, operand(f, to));
        };
        return fmt::format("{}{}{} = {}{}{}", operand(f, c.output), beside("its ties", c.count),
                           beside("its place", c.place), fold, use(f.consumed[number]),
                           c.b >= 0         ? fmt::format(" {}", operand(f, c.b))
                           : c.landing >= 0 ? fmt::format(", added at {}", operand(f, c.landing))
                                            : "");
    }

    const ir::program_view& p_;
    const program_plan& plan_;
    std::vector<int> temporaries_;
    int count_ = 0;
};

/// The lines of a plan, one for each part of its steps, and what they add up to.
class explanation {
public:
    explanation(const ir::program_view& p, const program_plan& plan)
        : p_(p), plan_(plan), words_(p, plan) {
        const auto add = [&]<class Part>(const Part& part) {
            lines_.push_back(words_.line(part));
            if (lines_.back().size() < 120) width_ = std::max(width_, lines_.back().size());
            if constexpr (!std::is_same_v<Part, fused_step>)
                if (could_be_contracted(part.how)) ++contractions_[part.equation];
        };
        for (std::size_t k = 0; k < plan.compiled.size(); ++k)
            if (passes_of(k) == nullptr) for_each_part(plan.compiled[k], add);
    }

    std::string run(const std::function<std::string(std::size_t, std::size_t)>& details,
                    const std::string& kernels) {
        for (std::size_t step = 0; step < plan_.compiled.size(); ++step) {
            if (const step_passes* const passes = passes_of(step)) {
                add_repeated(step, *passes);
                continue;
            }
            std::size_t at = 0;
            const bool once = plan_.around.runs_once(step);
            for_each_part(plan_.compiled[step], [&](const auto& part) {
                const std::string detail = details(step, at++);
                const char* const between = once && !detail.empty() ? "; " : "";
                write(part,
                      fmt::format("{}{}{}", once ? "in the first pass only" : "", between, detail));
            });
        }
        text_ += words_of_loop(p_, plan_);
        text_ += words_of_stored(p_, plan_, [&](slot_number slot, bool indices) {
            return words_.name_of(slot, indices);
        });
        for (const auto& note : plan_.notes) text_ += fmt::format("not fused: {}\n", note);
        for (const auto& name : plan_.taken_apart)
            text_ +=
                fmt::format("not made: {}, as sums up to an index are made of its factors\n", name);
        text_ += fmt::format("total: {} steps, {}FLOP, {}B read and written, workspace {}B\n",
                             lines_.size(), with_prefix(flops_), with_prefix(bytes_),
                             with_prefix(static_cast<double>(plan_.workspace_bytes)));
        if (multiplies_ && !kernels.empty()) text_ += fmt::format("kernels: {}\n", kernels);
        return std::move(text_);
    }

private:
    // Panels of rows: what the first one runs the others run, too, and is written once.
    const step_passes* passes_of(std::size_t step) const {
        return plan::passes_of(step, plan_.compiled_passes);
    }
    void add_repeated(std::size_t step, const step_passes& passes) {
        const auto times = static_cast<double>(passes.count);
        for_each_part(plan_.compiled[step], [&](const auto& part) {
            repeated_flops_ += times * part.flops, repeated_bytes_ += times * part.bytes;
        });
        if (step + 1 < passes.end) return;
        text_ += fmt::format("  the steps above for other rows, {:.0f} times   {}FLOP  {}B\n",
                             times, with_prefix(repeated_flops_), with_prefix(repeated_bytes_));
        flops_ += std::exchange(repeated_flops_, 0), bytes_ += std::exchange(repeated_bytes_, 0);
    }
    void begin(const fused_step& part) {
        for (const auto e : part.equations) text_ += fmt::format("{}\n", words_of_equation(p_, e));
        equation_ = ir::none;
    }
    void begin(const step_facts& part) {
        if (part.equation == equation_) return;
        equation_ = part.equation;
        text_ += fmt::format("{}\n", words_of_equation(p_, equation_));
        if (const int mine = contractions_[equation_]; mine > 1)
            text_ += fmt::format("  path: {} contractions\n", mine);
    }
    template <class Part>
    void write(const Part& part, const std::string& detail) {
        constexpr bool is_fused = std::is_same_v<Part, fused_step>;
        begin(part);
        const auto& line = lines_[number_++];
        text_ += fmt::format("  {}{:{}}   {}FLOP  {}B\n", line, "",
                             std::max(width_, line.size()) - line.size(), with_prefix(part.flops),
                             with_prefix(part.bytes));
        if constexpr (is_fused) text_ += words_.inside(part, detail);
        else
            text_ +=
                fmt::format("    {}{}{}\n", words_of(part.how), detail.empty() ? "" : "; ", detail);
        flops_ += part.flops, bytes_ += part.bytes;
        multiplies_ = multiplies_ || is_fused || std::is_same_v<Part, contraction_step>;
    }

    const ir::program_view& p_;
    const program_plan& plan_;
    const writer words_;
    std::vector<std::string> lines_;
    std::size_t width_ = 0;
    std::map<ir::ref, int> contractions_;  // of each equation
    std::string text_;
    ir::ref equation_ = ir::none;  // in hand
    std::size_t number_ = 0;       // of the line
    double flops_ = 0, bytes_ = 0, repeated_flops_ = 0, repeated_bytes_ = 0;
    bool multiplies_ = false;
};

}  // namespace

std::string explain(const ir::program_view& p, const program_plan& plan,
                    const std::function<std::string(std::size_t, std::size_t)>& details,
                    const std::string& kernels) {
    return explanation(p, plan).run(details, kernels);
}

}  // namespace ricci::plan
