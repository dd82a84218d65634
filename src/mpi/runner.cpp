// A program on several ranks: its stages are executables, with exchanges between them.
#include <ricci/mpi.hpp>

#include <map>
#include <utility>

#include <fmt/core.h>

#include <ricci/engine/executable.hpp>
#include <ricci/error.hpp>

#include "src/base/texts.hpp"
#include "src/mpi/agreement.hpp"
#include "src/mpi/collectives.hpp"
#include "src/mpi/folds.hpp"
#include "src/mpi/operands.hpp"
#include "src/mpi/search.hpp"
#include "src/mpi/stages.hpp"
#include "src/mpi/words.hpp"

namespace ricci::mpi {

/// A communicator of our own, so that our messages meet nobody else's.
class own_communicator {
public:
    explicit own_communicator(MPI_Comm comm) { MPI_Comm_dup(comm, &comm_); }
    ~own_communicator() {
        int ended = 0;
        MPI_Finalized(&ended);
        if (!ended) MPI_Comm_free(&comm_);
    }
    own_communicator(const own_communicator&) = delete;
    own_communicator& operator=(const own_communicator&) = delete;
    MPI_Comm get() const { return comm_; }

private:
    MPI_Comm comm_ = MPI_COMM_NULL;
};

struct runner::state {
    state(MPI_Comm outside, const program& p, const std::vector<std::string>& shared_out,
          const std::vector<named>& operands, const prepare_options& options)
        : comm(outside),
          letters(shared_out),
          call(shared_call_of(comm.get(), p, shared_out, operands, options)) {
        place();
        refuse_together(comm.get(), words_of_failure([&] { allocate(), make_steps(); }));
    }

    // Where everything is, and what is done: the same on all ranks.
    void place() {
        bench.text = with_own_letters(call.program.view(), call.shapes);
        bench.sharing = call.sharing;
        bench.element_size = static_cast<double>(size_of(call.type));
        chosen_placement chosen =
            choose_placement(bench, call.axes, call.inputs, call.outputs, call.letters);
        outputs = std::move(chosen.outputs);
        program_of_stages = staged(bench, chosen.operations, outputs);
    }
    element type_of(ir::ref name) const {
        const auto found = memory.find(bench.names[static_cast<std::size_t>(name)].tensor);
        return found == memory.end() ? call.type : found->second.type();
    }
    void allocate() {
        for (const named& o : call.operands) {
            const ir::ref n = call.program.view().find(detail::view_of(o.name));
            if (o.value.kind() == detail::operand_kind::number) numbers[n] = o.value.number();
            if (o.value.kind() != detail::operand_kind::tensor) continue;
            const bool input = call.program.view().definition(n) == ir::none;
            (input ? memory : bound).insert_or_assign(n, o.value.value());
        }
        for (const ir::ref n : program_of_stages.stored) {
            const std::vector<std::int64_t> mine = own_shape(bench, n);
            array a(type_of(n), std::vector<std::size_t>(mine.begin(), mine.end()));
            const named_form& form = bench.names[static_cast<std::size_t>(n)];
            if (form.partial) fill_with_nothing(a, form.how);
            memory.insert_or_assign(n, std::move(a));
        }
        check_bound();
    }
    // A part that was bound for an output has the extents of what this rank gets.
    void check_bound() {
        std::size_t k = 0;
        for (const ir::ref n : call.outputs) {
            const array& made = memory_of(outputs[k++]);
            const auto b = bound.find(n);
            for (std::size_t axis = 0; b != bound.end() && axis < made.rank(); ++axis)
                if (b->second.extent(axis) != made.extent(axis))
                    throw error(fmt::format(
                        "ricci: axis {} of what is bound for {} has extent {}, and this rank's part "
                        "has {}.", axis, detail::string_of(call.program.view().name(n)),
                        b->second.extent(axis), made.extent(axis)));
        }
    }
    // Excerpts are views of what has memory.
    const array& memory_of(ir::ref name) {
        const auto found = memory.find(name);
        if (found != memory.end()) return found->second;
        const excerpt& e = program_of_stages.excerpts.at(name);
        const array& whole = memory_of(e.from);
        const auto axis = static_cast<std::size_t>(e.axis);
        const std::int64_t extent = own_shape(bench, name)[axis];
        return memory.insert_or_assign(name, part_of(whole, axis, e.before, extent)).first->second;
    }
    void make_steps() {
        for (const stage& s : program_of_stages.stages) {
            steps.push_back(executable_of(s));
            collectives.emplace_back();
            for (const operation& o : s.exchanges)
                collectives.back().push_back(collective_of(o.exchange));
        }
    }
    std::unique_ptr<engine::executable> executable_of(const stage& s) {
        if (s.program.equations.empty()) return nullptr;
        std::vector<std::vector<std::int64_t>> extents;
        extents.reserve(s.reads.size() + s.writes.size());
        std::vector<engine::operand> in, out;
        for (const stage::tensor& t : s.reads) in.push_back(operand_of(t, extents));
        for (const stage::tensor& t : s.writes) out.push_back(operand_of(t, extents));
        engine::request r;
        r.program = s.program.view();
        r.type = call.type;
        r.inputs = in.data();
        r.input_count = static_cast<std::int32_t>(in.size());
        r.outputs = out.data();
        r.output_count = static_cast<std::int32_t>(out.size());
        r.index_extents = s.extents.data();
        r.index_extent_count = static_cast<std::int32_t>(s.extents.size());
        return std::make_unique<engine::executable>(r);
    }
    engine::operand operand_of(const stage::tensor& t,
                               std::vector<std::vector<std::int64_t>>& extents) {
        engine::operand o;
        o.name = t.name;
        if (const auto number = numbers.find(t.of); number != numbers.end()) {
            o.value = number->second;
            return o;
        }
        const array& a = memory_of(t.of);
        extents.emplace_back(a.extents().begin(), a.extents().end());
        o.rank = static_cast<std::int32_t>(a.rank());
        o.data = const_cast<void*>(std::as_const(a).data());
        o.extents = extents.back().data();
        o.strides = a.strides().data();
        o.is_positions = is_whole(a.type()) || a.type() == element::boolean;
        o.positions = a.type();
        return o;
    }

    void run() {
        std::string wrong;
        for (std::size_t k = 0; k < steps.size(); ++k) {
            // who has failed goes on exchanging, so that nobody waits for it
            if (wrong.empty() && steps[k] != nullptr)
                wrong = words_of_failure([&] { steps[k]->run(); });
            for (const auto& c : collectives[k]) c->run();
        }
        refuse_together(comm.get(), wrong);
        for (std::size_t k = 0; k < outputs.size(); ++k)
            if (const auto b = bound.find(call.outputs[k]); b != bound.end())
                copy_elements(memory.at(outputs[k]), b->second);
    }
    std::unique_ptr<collective> collective_of(const exchange& e) {
        const array &from = memory.at(e.from), &to = memory.at(e.to);
        const auto axis = static_cast<std::size_t>(e.axis);
        if (e.kind == exchange_kind::all_reduce) return all_reduce(comm.get(), from, to, e.how);
        const array& whole = e.kind == exchange_kind::all_gather ? to : from;
        const distribution& parts = bench.sharing.of(static_cast<std::int64_t>(whole.extent(axis)));
        return e.kind == exchange_kind::all_gather
                   ? all_gather(comm.get(), from, to, axis, parts)
                   : reduce_scatter(comm.get(), from, to, axis, e.how, parts);
    }

    std::size_t element_size(const exchange& e) const { return size_of(memory.at(e.from).type()); }
    std::string explain() const {
        std::string out = words_of(call.sharing, letters[0]);
        for (std::size_t k = 0; k < steps.size(); ++k) {
            const stage& s = program_of_stages.stages[k];
            if (steps[k] != nullptr) out += "computed by this rank\n" + steps[k]->explain() + "\n";
            for (const operation& o : s.exchanges)
                out += words_of(bench, call.program.view(), o, element_size(o.exchange)) + "\n";
        }
        return out + fmt::format("whether a rank has failed: this rank sends {} bytes\n",
                                 sizeof(int));
    }
    std::int64_t bytes() const {
        auto all = static_cast<std::int64_t>(sizeof(int));
        for (const stage& s : program_of_stages.stages)
            for (const operation& o : s.exchanges)
                all += mpi::bytes_sent(bench, o.exchange, element_size(o.exchange));
        return all;
    }

    own_communicator comm;
    std::vector<std::string> letters;
    shared_call call;
    mutable workbench bench;
    std::vector<ir::ref> outputs;  // under which names they are in the end
    staged_program program_of_stages;
    std::map<ir::ref, array> memory, bound;
    std::map<ir::ref, engine::number> numbers;
    std::vector<std::unique_ptr<engine::executable>> steps;  // by stage
    std::vector<std::vector<std::unique_ptr<collective>>> collectives;
};

runner::runner(MPI_Comm comm, const program& p, const std::vector<std::string>& shared_out,
               ricci::detail::operand_list operands, const prepare_options& options)
    : state_(std::make_unique<state>(comm, p, shared_out,
                                     std::vector<named>(operands.begin(), operands.end()),
                                     options)) {}
runner::runner(runner&&) noexcept = default;
runner& runner::operator=(runner&&) noexcept = default;
runner::~runner() = default;

void runner::operator()() { state_->run(); }
array runner::operator[](std::string_view name) const {
    const std::string spelled = canonical_name(name);
    const ir::program_view p = state_->call.program.view();
    for (std::size_t k = 0; k < state_->outputs.size(); ++k) {
        const ir::ref n = state_->call.outputs[k];
        if (ricci::detail::string_of(p.name(n)) != spelled) continue;
        const auto b = state_->bound.find(n);
        return b != state_->bound.end() ? b->second : state_->memory.at(state_->outputs[k]);
    }
    throw error(fmt::format("ricci: there is no output {}.", spelled));
}
std::string runner::explain() const { return state_->explain(); }
std::int64_t runner::bytes_sent() const { return state_->bytes(); }

}  // namespace ricci::mpi
