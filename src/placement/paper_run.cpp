// What a run on many ranks would do.
#include "src/placement/paper_run.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include <fmt/core.h>

#include <ricci/error.hpp>
#include <ricci/ir/roles.hpp>

#include "src/base/texts.hpp"
#include "src/placement/network_model.hpp"

namespace ricci::mpi {
namespace {

using detail::operand_kind;

double bytes_of(const array& a) {
    return static_cast<double>(a.size()) * static_cast<double>(size_of(a.type()));
}

std::optional<layer_programs> layers_of(const program& p) {
    if (!layer_programs::repeats(p)) return std::nullopt;
    return layer_programs(p);
}

/// What a stage leaves to be added up, of what the program gives.
void add_waits(const placed_program& placed, const stage& s,
               const std::vector<std::vector<std::size_t>>& of_stage,
               std::vector<std::vector<std::size_t>>& waits) {
    for (std::size_t w = 0; w < of_stage.size(); ++w)
        for (std::size_t k = 0; k < waits.size(); ++k)
            if (s.writes[w].of == placed.outputs()[k])
                waits[k].insert(waits[k].end(), of_stage[w].begin(), of_stage[w].end());
}

/// Which names of a placed program nothing reads that is computed or exchanged later.
class unread_names {
public:
    explicit unread_names(const placed_program& placed) {
        for (const stage& s : placed.stages()) {
            for (const stage::tensor& t : s.reads) add(placed, t.of);
            for (const operation& o : s.exchanges) add(placed, o.exchange.from);
        }
    }
    bool has(ir::ref name) const { return read_.count(name) == 0; }

private:
    void add(const placed_program& placed, ir::ref name) {
        read_.insert(name);
        if (const excerpt* const e = placed.view_of(name)) add(placed, e->from);
    }
    std::set<ir::ref> read_;
};

}  // namespace

paper_run::paper_run(const program& p, const std::vector<std::string>& letters,
                     const std::vector<int>& grid, const std::vector<named>& shapes)
    : letters_(letters), grid_(grid), layers_(layers_of(p)), call_(layers_ ? layers_->one() : p) {
    for (const int extent : grid) ranks_ *= extent;
    std::vector<named> operands = shapes;
    for (named& o : operands)
        if (o.value.kind() != operand_kind::index) o.name = canonical_name(o.name);
    call_.operands = layers_ ? layers_->operands_of(operands, 0) : operands;
    // with places as even as they go the first rank of each dimension has most
    call_.share_out(letters, {grid, std::vector<int>(grid.size(), 0)});
    call_.complete(call_.operands, {});
    find_operands(operands);
    find_copies();
    if (layers_) {
        walk_layers();
        return;
    }
    sharing_request request = call_.request(memory_);
    const std::vector<bool> last(request.outputs.size(), true);
    walk(std::move(request), memory_, last);
    end_section({}, 1);
}

// A rank's part, in all letters, of a tensor of the program.
array paper_run::own_shape(const shared_call& call, ir::ref name, element type) const {
    std::vector<std::size_t> extents;
    for (std::int32_t axis = 0; axis < call.shapes.rank(name); ++axis) {
        std::int64_t extent = call.shapes.extent(name, axis);
        for (std::size_t k = 0; k < call.shared.size(); ++k) {
            sharing parts = call.shared[k].sharing;
            if (call.axes[k][static_cast<std::size_t>(name)] == axis)
                extent = parts.of(extent).of(0);
        }
        extents.push_back(static_cast<std::size_t>(extent));
    }
    return shape(type, std::span<const std::size_t>(extents));
}

void paper_run::find_operands(const std::vector<named>& shapes) {
    const ir::program_view p = call_.program.view();
    for (const named& o : shapes) {
        const ir::ref n = p.find(detail::view_of(o.name));
        if (o.value.kind() == operand_kind::number) memory_.numbers[n] = o.value.number();
        if (o.value.kind() != operand_kind::tensor || p.definition(n) != ir::none) continue;
        memory_.arrays[n] = own_shape(call_, n, o.value.value().type());
        copies_of_[n] = layers_ && layers_->is_of_each(o) ? layers_->count() : 1;
        store(memory_.arrays[n], copies_of(n));
    }
}

void paper_run::find_copies() {
    for (const auto& [n, a] : memory_.arrays) {
        paper_exchange e{exchange_kind::all_gather, 1, 0, copies_of(n) * bytes_of(a), false, 0, {}};
        for (std::size_t k = 0; k < call_.shared.size(); ++k)
            if (call_.axes[k][static_cast<std::size_t>(n)] < 0)
                e.ranks *= call_.shared[k].sharing.ranks;
        e.handed = e.whole / e.ranks;
        e.words = fmt::format("all-gather of one copy of {}",
                              detail::string_of(call_.program.view().name(n)));
        if (e.ranks > 1) copies_.push_back(std::move(e));
    }
}

void paper_run::store(const array& a, double copies) { stored_ += copies * bytes_of(a); }

void paper_run::end_section(const std::string& words, std::int64_t times) {
    sections_.push_back({words, times, steps_.size()});
}

// Layers are carried out one after another, forward and then back; what is stored is stored of all.
void paper_run::walk_layers() {
    const auto parts = layers_->parts_of(call_);
    const ir::program_view p = call_.program.view();
    const auto store_of = [&](const std::string& name, double copies) {
        const ir::ref n = p.find(detail::view_of(name));
        store(own_shape(call_, n, call_.type), copies);
    };
    const auto count = static_cast<double>(layers_->count());
    for (const layer_chain& c : layers_->chains())
        store_of(c.taken, parts.backward ? count + 1 : 1);
    if (layers_->chain_back()) store_of(layers_->chain_back()->taken, 1);
    for (const std::string& name : parts.stored) store_of(name, count);
    for (const layer_output& o : layers_->outputs())
        store_of(o.name, o.how == layer_output::kind::of_each ? count : 1);
    times_ = count;
    const std::string each = fmt::format("in each of {} layers", layers_->count());
    if (parts.forward) walk_layer(*parts.forward, each + ", from the first one");
    if (parts.backward) walk_layer(*parts.backward, each + ", back from the last one");
    times_ = 1;
    for (paper_exchange& e : waiting_) {
        e.waited_in = steps_.size() + 1;
        steps_.push_back({nullptr, std::move(e)});
    }
    if (!waiting_.empty()) end_section("behind the last layer", 1);
}

void paper_run::walk_layer(const ricci::program& part, const std::string& words) {
    parts_.push_back(std::make_unique<shared_call>(layers_->call_of(call_, part)));
    shared_call& call = *parts_.back();
    rank_memory memory;
    for (const ir::ref n : call.inputs) {
        const detail::text_view name = call.program.view().name(n);
        const ir::ref mine = call_.program.view().find(name);
        if (const auto x = memory_.numbers.find(mine); x != memory_.numbers.end())
            memory.numbers[n] = x->second;
        else if (const auto a = memory_.arrays.find(mine); a != memory_.arrays.end())
            memory.arrays[n] = a->second;
        else memory.arrays[n] = own_shape(call, n, call_.type);
    }
    sharing_request request = call.request(memory);
    const std::vector<ir::ref> outputs = request.outputs;
    const auto waits = walk(std::move(request), memory, std::vector<bool>(outputs.size(), true));
    for (std::size_t k = 0; k < outputs.size(); ++k)
        for (const std::size_t letter : waits[k]) {
            const array a = own_shape(call, outputs[k], call_.type);
            paper_exchange e{exchange_kind::all_reduce,
                             call.shared[letter].sharing.ranks,
                             bytes_of(a),
                             bytes_of(a),
                             true,
                             0,
                             {}};
            e.words = fmt::format("all-reduce (sum) over {} of what all layers add to {}",
                                  call.shared[letter].letter,
                                  detail::string_of(call.program.view().name(outputs[k])));
            store(a);
            waiting_.push_back(std::move(e));
        }
    end_section(words, layers_->count());
}

// The steps of a program whose next letter is shared out. `given`: what there is of its inputs and,
// but for the first one, of its outputs; `last`: by output, whether the caller alone wants it.
paper_run::waiting_letters paper_run::walk(sharing_request request, const rank_memory& given,
                                           const std::vector<bool>& last) {
    const std::vector<ir::ref> wanted = request.outputs;
    const std::size_t letter = request.next;
    placed_.push_back(std::make_unique<placed_program>(std::move(request)));
    const placed_program& placed = *placed_.back();
    const unread_names unread(placed);
    std::set<ir::ref> for_caller;
    for (std::size_t k = 0; k < last.size(); ++k)
        if (last[k] && unread.has(placed.outputs()[k])) for_caller.insert(placed.outputs()[k]);
    std::map<ir::ref, array> known = given.arrays;
    for (std::size_t k = 0; k < wanted.size(); ++k)
        if (const auto at = known.find(wanted[k]); at != known.end())
            known.insert_or_assign(placed.outputs()[k], at->second);
    const auto memory_of = [&](ir::ref name) {
        const auto found = known.find(name);
        if (found != known.end()) return found->second;
        const std::vector<std::size_t> extents = placed.extents_of(name);
        return shape(placed.type_of(name), std::span<const std::size_t>(extents));
    };
    for (const ir::ref n : placed.stored())
        if (known.count(n) == 0) store(memory_of(n));
    if (placed.is_last()) work_ += times_ * placed.work();
    waiting_letters waits(wanted.size());
    for (std::size_t k = 0; k < wanted.size(); ++k)
        if (placed.waits(k)) waits[k].push_back(letter);
    std::map<exchange_place, std::size_t> under_way;
    const auto wait = [&](const exchange_place& e) {
        const auto found = under_way.find(e);
        if (found == under_way.end()) return;
        steps_[found->second].exchange.waited_in = steps_.size();
        under_way.erase(found);
    };
    const auto compute = [&](std::size_t k) {
        const stage& s = placed.stages()[k];
        if (s.program.equations.empty()) return;
        const rank_memory mine = memory_of_stage(s, given, memory_of);
        sharing_request inner = placed.request_of(s);
        std::vector<bool> inner_last;
        for (const stage::tensor& t : s.writes) inner_last.push_back(for_caller.count(t.of) > 0);
        if (placed.is_last())
            steps_.push_back({std::make_unique<local_request>(inner, mine, s), {}, times_});
        else add_waits(placed, s, walk(std::move(inner), mine, inner_last), waits);
    };
    const auto begin = [&](const exchange_place& e) {
        const operation& o = placed.stages()[e.stage].exchanges[e.number];
        if (o.exchange.kind == exchange_kind::own_places) return;  // no message
        under_way[e] = steps_.size();
        add(placed, o, for_caller.count(o.exchange.to) > 0);
    };
    walk_stages(placed.stages(), wait, compute, begin);
    for (const auto& [place, step] : under_way) steps_[step].exchange.waited_in = steps_.size();
    return waits;
}

void paper_run::add(const placed_program& placed, const operation& o, bool is_for_caller) {
    paper_exchange e;
    e.kind = o.exchange.kind;
    e.ranks = placed.letter().sharing.ranks;
    e.handed = static_cast<double>(placed.bytes_of(o.exchange));
    e.whole = e.handed;
    if (e.kind == exchange_kind::all_gather) {
        const array all = shape(placed.type_of(o.exchange.to),
                                std::span<const std::size_t>(placed.extents_of(o.exchange.to)));
        e.whole = bytes_of(all);
    }
    if (is_between_pairs(e.kind)) e.whole = placed.most_bytes_of(o.exchange);
    e.is_for_caller = is_for_caller;
    e.words = placed.words_of(o);
    steps_.push_back({nullptr, std::move(e), times_});
}

paper_estimate exchanges_of(const paper_run& run, const link& n, bool one_copy) {
    paper_estimate all;
    const auto add = [&](exchange_kind kind, const paper_exchange& e, double times) {
        all.exchanging += times * seconds_of(kind, e.whole, e.ranks, n);
        all.bytes += times * bytes_moved(kind, e.whole, e.ranks);
    };
    if (one_copy)
        for (const paper_exchange& e : run.first_copies()) add(e.kind, e, 1);
    for (const paper_step& s : run.steps())
        if (s.part == nullptr)
            add(one_copy && s.exchange.is_for_caller && s.exchange.kind == exchange_kind::all_reduce
                    ? exchange_kind::reduce_scatter
                    : s.exchange.kind,
                s.exchange, s.times);
    return all;
}

engine::plan_work work_of(const paper_run& run) {
    engine::plan_work all;
    for (const paper_step& s : run.steps()) {
        if (s.part == nullptr) continue;
        const engine::plan_work mine = engine::work_of(s.part->view());
        all.flops += s.times * mine.flops;
        all.bytes += s.times * mine.bytes;
        all.workspace = std::max(all.workspace, mine.workspace);
    }
    return all;
}

}  // namespace ricci::mpi
