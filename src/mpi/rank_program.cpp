// The stages of one shared-out index, and the exchanges between them.
#include "src/mpi/rank_program.hpp"

#include <algorithm>
#include <utility>

#include "src/mpi/agreement.hpp"
#include "src/mpi/collectives.hpp"
#include "src/mpi/folds.hpp"
#include "src/mpi/stages.hpp"
#include "src/mpi/words.hpp"

namespace ricci::mpi {
namespace {

std::size_t number(ir::ref n) { return static_cast<std::size_t>(n); }

/// Where all letters have been shared out: what the engine runs.
class local_program final : public rank_program {
public:
    local_program(const rank_request& from, const stage& s) {
        extents_.reserve(s.reads.size() + s.writes.size());
        std::vector<engine::operand> in, out;
        for (const ir::ref n : from.inputs) in.push_back(operand_of(from, n));
        for (const ir::ref n : from.outputs) out.push_back(operand_of(from, n));
        engine::request r;
        r.program = s.program.view();
        r.type = from.type;
        r.inputs = in.data();
        r.input_count = static_cast<std::int32_t>(in.size());
        r.outputs = out.data();
        r.output_count = static_cast<std::int32_t>(out.size());
        r.index_extents = s.extents.data();
        r.index_extent_count = static_cast<std::int32_t>(s.extents.size());
        step_ = std::make_unique<engine::executable>(r);
    }

    void run(std::string& wrong) override {
        if (wrong.empty()) wrong = words_of_failure([&] { step_->run(); });
    }
    std::string explain() const override {
        return "computed by this rank\n" + step_->explain() + "\n";
    }
    std::int64_t bytes_sent() const override { return 0; }

private:
    engine::operand operand_of(const rank_request& from, ir::ref name) {
        engine::operand o;
        o.name = name;
        if (const auto x = from.numbers.find(name); x != from.numbers.end()) {
            o.value = x->second;
            return o;
        }
        const array& a = from.memory.at(name);
        extents_.emplace_back(a.extents().begin(), a.extents().end());
        o.rank = static_cast<std::int32_t>(a.rank());
        o.data = const_cast<void*>(a.data());
        o.extents = extents_.back().data();
        o.strides = a.strides().data();
        o.is_positions = is_whole(a.type()) || a.type() == element::boolean;
        o.positions = a.type();
        if (const auto w = from.watches.find(name); w != from.watches.end()) o.watch = w->second;
        return o;
    }

    std::vector<std::vector<std::int64_t>> extents_;  // while the executable is made
    std::unique_ptr<engine::executable> step_;
};

}  // namespace

struct shared_program::state {
    explicit state(rank_request request)
        : r(std::move(request)), mine((*r.shared)[r.next]), memory(r.memory) {
        place();
        find_inner_axes();
        allocate();
        for (const stage& s : all.stages) {
            steps.push_back(s.program.equations.empty() ? nullptr : step_of(s));
            collectives.emplace_back();
            for (const operation& o : s.exchanges)
                collectives.back().push_back(collective_of(o.exchange));
        }
    }

    // Where everything is, and what is done: the same on all ranks.
    void place() {
        bench.text = std::move(r.text);
        bench.sharing = mine.sharing;
        bench.element_size = static_cast<double>(size_of(r.type));
        bench.inner.resize(number(bench.text.program.names.size()));
        for (std::size_t k = r.next + 1; k < r.shared->size(); ++k)
            for (std::size_t n = 0; n < r.axes[k].size(); ++n)
                if (r.axes[k][n] >= 0) bench.inner[n].push_back(r.axes[k][n]);
        chosen_placement chosen =
            choose_placement(bench, r.axes[r.next], r.inputs, r.outputs, r.letters[r.next]);
        outputs = std::move(chosen.outputs);
        all = staged(bench, chosen.operations, outputs);
        mine.sharing = bench.sharing;
    }
    // Of what has been made on the way, the axes of letters that are yet to be shared out.
    void find_inner_axes() {
        inner_axes = r.axes;
        for (std::size_t k = r.next + 1; k < r.shared->size(); ++k) {
            inner_axes[k].resize(bench.names.size(), -1);
            for (const auto& [name, x] : bench.extracts)
                for (std::size_t axis = 0; axis < x.letters.size(); ++axis)
                    if (is_shared(k, x.letters[axis]))
                        inner_axes[k][number(name)] = static_cast<std::int32_t>(axis);
        }
    }
    bool is_shared(std::size_t k, ir::ref letter) const {
        const ir::ref origin = bench.text.origin[number(letter)];
        const std::vector<ir::ref>& named = r.letters[k];
        return std::find(named.begin(), named.end(), origin) != named.end();
    }
    ir::ref tensor_of(ir::ref name) const { return bench.names[number(name)].tensor; }
    // This rank's part in all letters.
    std::vector<std::size_t> extents_of(ir::ref name) const {
        std::vector<std::int64_t> list = own_shape(bench, name);
        for (std::size_t k = r.next + 1; k < r.shared->size(); ++k) {
            const std::int32_t axis = inner_axes[k][number(tensor_of(name))];
            if (axis < 0) continue;
            sharing& s = (*r.shared)[k].sharing;
            std::int64_t& extent = list[static_cast<std::size_t>(axis)];
            extent = s.of(extent).of(s.rank);
        }
        return {list.begin(), list.end()};
    }
    element type_of(ir::ref name) const {
        const auto input = r.memory.find(tensor_of(name));
        return input == r.memory.end() ? r.type : input->second.type();
    }

    void allocate() {
        for (std::size_t k = 0; k < outputs.size(); ++k)
            if (const auto given = r.memory.find(r.outputs[k]); given != r.memory.end()) {
                memory.erase(r.outputs[k]);
                if (all.excerpts.count(outputs[k]) == 0) memory[outputs[k]] = given->second;
                else copied.emplace_back(k, given->second);
            }
        for (const ir::ref n : all.stored) {
            if (memory.count(n) == 0) memory[n] = array(type_of(n), extents_of(n));
            const named_form& form = bench.names[number(n)];
            if (form.partial) fill_with_nothing(memory[n], form.how);
        }
    }
    // Excerpts are views of what has memory.
    const array& memory_of(ir::ref name) {
        const auto found = memory.find(name);
        if (found != memory.end()) return found->second;
        const excerpt& e = all.excerpts.at(name);
        const auto axis = static_cast<std::size_t>(e.axis);
        const std::int64_t extent = own_shape(bench, name)[axis];
        return memory[name] = part_of(memory_of(e.from), axis, e.before, extent);
    }

    std::unique_ptr<rank_program> step_of(const stage& s) {
        rank_request q;
        q.shared = r.shared;
        q.next = r.next + 1;
        q.type = r.type;
        q.program = r.program;
        for (const stage::tensor& t : s.reads) {
            q.inputs.push_back(t.name);
            const auto x = r.numbers.find(t.of);
            if (x != r.numbers.end()) q.numbers[t.name] = x->second;
            else q.memory[t.name] = memory_of(t.of);
            if (const auto w = r.watches.find(t.of); w != r.watches.end())
                q.watches[t.name] = w->second;
        }
        for (const stage::tensor& t : s.writes) {
            q.outputs.push_back(t.name);
            q.memory[t.name] = memory_of(t.of);
        }
        if (q.next == r.shared->size()) return std::make_unique<local_program>(q, s);
        say_more(q, s);
        return std::make_unique<shared_program>(std::move(q));
    }
    // What the next letter has to know of a stage.
    void say_more(rank_request& q, const stage& s) const {
        std::vector<std::vector<std::int64_t>> shapes;
        q.axes.resize(r.shared->size());
        q.letters.resize(r.shared->size());
        for (const ir::ref of : s.names) {
            shapes.push_back(own_shape(bench, of));
            q.defined.push_back(defined_of(tensor_of(of)));
            for (std::size_t k = q.next; k < r.shared->size(); ++k)
                q.axes[k].push_back(inner_axes[k][number(tensor_of(of))]);
        }
        for (std::size_t i = 0; i < s.letters.size(); ++i)
            for (std::size_t k = q.next; k < r.shared->size(); ++k)
                if (is_shared(k, s.letters[i])) q.letters[k].push_back(static_cast<ir::ref>(i));
        std::vector<std::int64_t> extents;
        for (const engine::index_extent& i : s.extents) extents.push_back(i.extent);
        q.text = lettered_program(s.program.view(), std::move(extents), std::move(shapes));
    }

    std::unique_ptr<collective> collective_of(const exchange& e) {
        const array &from = memory_of(e.from), &to = memory_of(e.to);
        if (e.kind == exchange_kind::all_reduce) return all_reduce(mine.comm, from, to, e.how);
        const auto axis = static_cast<std::size_t>(e.axis);
        const array& whole = e.kind == exchange_kind::all_gather ? to : from;
        const distribution& parts = bench.sharing.of(static_cast<std::int64_t>(whole.extent(axis)));
        return e.kind == exchange_kind::all_gather
                   ? all_gather(mine.comm, from, to, axis, parts)
                   : reduce_scatter(mine.comm, from, to, axis, e.how, parts);
    }

    void run(std::string& wrong) {
        for (std::size_t k = 0; k < steps.size(); ++k) {
            if (steps[k] != nullptr) steps[k]->run(wrong);
            for (const auto& c : collectives[k]) c->run();
        }
        for (auto& [k, given] : copied) copy_elements(memory.at(outputs[k]), given);
    }

    // Which tensor of the caller's program a tensor of the text is, or is made for.
    ir::ref defined_of(ir::ref tensor) const {
        const auto x = bench.extracts.find(tensor);
        if (x != bench.extracts.end()) tensor = x->second.made_for;
        return number(tensor) < r.defined.size() ? r.defined[number(tensor)] : ir::none;
    }
    std::int64_t bytes_of(const exchange& e) const {
        const array& a = memory.at(e.from);
        return static_cast<std::int64_t>(a.size() * size_of(a.type()));
    }
    std::string explain() const {
        std::string out = words_of(mine.sharing, mine.letter);
        for (std::size_t k = 0; k < steps.size(); ++k) {
            if (steps[k] != nullptr) out += steps[k]->explain();
            for (const operation& o : all.stages[k].exchanges) {
                const ir::ref for_name = defined_of(bench.text.program.equations[o.equation].name);
                out += words_of(bench, o.exchange, mine.letter,
                                words_of_equation(r.program, for_name), bytes_of(o.exchange));
            }
        }
        return out;
    }
    std::int64_t bytes_sent() const {
        std::int64_t sent = 0;
        for (const auto& step : steps) sent += step != nullptr ? step->bytes_sent() : 0;
        for (const stage& s : all.stages)
            for (const operation& o : s.exchanges) sent += bytes_of(o.exchange);
        return sent;
    }

    rank_request r;
    shared_letter& mine;
    workbench bench;
    std::vector<ir::ref> outputs;  // under which names they are in the end
    staged_program all;
    std::vector<shared_axes> inner_axes;  // as in the request, of all tensors of the workbench
    std::map<ir::ref, array> memory;
    std::vector<std::pair<std::size_t, array>> copied;  // outputs that are views, and where they go
    std::vector<std::unique_ptr<rank_program>> steps;   // by stage
    std::vector<std::vector<std::unique_ptr<collective>>> collectives;
};

shared_program::shared_program(rank_request request)
    : state_(std::make_unique<state>(std::move(request))) {}
shared_program::~shared_program() = default;
void shared_program::run(std::string& wrong) { state_->run(wrong); }
std::string shared_program::explain() const { return state_->explain(); }
std::int64_t shared_program::bytes_sent() const { return state_->bytes_sent(); }
const array& shared_program::output(std::size_t k) const {
    return state_->memory.at(state_->outputs[k]);
}

}  // namespace ricci::mpi
