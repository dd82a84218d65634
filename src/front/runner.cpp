// Programs of the run-time face, run and prepared.
#include <ricci/ir/extrema.hpp>
#include <ricci/notation/einsum.hpp>
#include <ricci/program.hpp>

#include "src/engine/requests.hpp"
#include "src/front/call_operands.hpp"
#include "src/front/run_into.hpp"
#include "src/runtime/memory_watch.hpp"
#include "src/text/program_body.hpp"

namespace ricci {
namespace {

using detail::call_kind;
using detail::call_operands;
using detail::program_body;

std::string name_of_output(const program_body& body, ir::ref name) {
    const auto text = body.view().name(name);
    return {text.begin(), text.end()};
}

}  // namespace

// Where outputs that are not bound go. Named, as the state of a runner holds one.
struct lent_outputs {
    const program_body& body;
    element type;
    arrays made;

    void add_to(engine::request& r) {
        r.allocate = [](void* context, ir::ref name, std::int32_t rank,
                        const std::int64_t* extents) -> void* {
            return static_cast<lent_outputs*>(context)->allocate(name, rank, extents);
        };
        r.context = this;
    }
    void* allocate(ir::ref name, std::int32_t rank, const std::int64_t* extents) {
        const std::vector<std::size_t> list(extents, extents + rank);
        array a(ir::is_of_places(body.view(), name) ? element::i32 : type, list);
        void* const data = a.data();
        made.set(name_of_output(body, name), std::move(a));
        return data;
    }
    // The same in the order of the equations, whatever order they were made in.
    arrays in_order() {
        arrays all;
        for (const ir::ref n : body.outputs()) {
            const std::string name = name_of_output(body, n);
            if (made.contains(name)) all.set(name, made[name]);
        }
        return all;
    }
};

arrays run(const program& p, detail::operand_list operands, const prepare_options& options) {
    const call_operands call(p, operands, call_kind::run, options);
    lent_outputs outputs{detail::body_of(p), call.type(), {}};
    engine::request r = call.request();
    outputs.add_to(r);
    engine::run(r);
    return outputs.in_order();
}

arrays detail::run_into(const program& p, operand_list operands, const prepare_options& options) {
    const program kept = with_bound_kept(p, operands);
    const call_operands call(kept, operands, call_kind::prepare, options);
    lent_outputs outputs{body_of(kept), call.type(), {}};
    engine::request r = call.request();
    outputs.add_to(r);
    engine::run(r);
    return outputs.in_order();
}

std::string explain(const program& p, detail::operand_list operands,
                    const prepare_options& options) {
    const program kept = detail::with_bound_kept(p, operands);
    return engine::explain(call_operands(kept, operands, call_kind::explain, options).request());
}

std::string explain_passes(const program& p, detail::operand_list operands,
                           const prepare_options& options) {
    const program kept = detail::with_bound_kept(p, operands);
    const call_operands call(kept, operands, call_kind::explain, options);
    return engine::explain_passes(call.request());
}

memory_needed memory_of(const program& p, detail::operand_list operands,
                        const prepare_options& options) {
    const program kept = detail::with_bound_kept(p, operands);
    const call_operands call(kept, operands, call_kind::explain, options);
    const engine::memory_sizes needed = engine::memory_of(call.request());
    return {needed.outputs, needed.workspace};
}

struct runner::state {
    state(const program& what, detail::operand_list operands, const prepare_options& options)
        : state(detail::with_bound_kept(what, operands), operands, options, kept{}) {}

    void bind(detail::operand_list changes) {
        const call_operands call(prepared, changes, outputs.type);
        engine::request r = call.request();
        // What is kept afterwards, before anything is bound: from there on nothing fails.
        lent_outputs other{outputs.body, outputs.type, outputs.made};
        kept_tensors with_changes = bound;
        with_changes.keep(prepared, changes, call);
        other.add_to(r);
        executable.bind(r);
        outputs.made = std::move(other.made);
        bound = std::move(with_changes);
    }
    array output(std::string_view name) const {
        const std::string spelled = canonical_name(name);
        if (bound.outputs.contains(spelled)) return bound.outputs[spelled];
        return std::as_const(outputs.made)[spelled];
    }

    // What was bound, that its memory lives.
    struct kept_tensors {
        arrays inputs, outputs;

        void keep(const program& of, detail::operand_list operands, const call_operands& call) {
            const ir::program_view p = of.view();
            std::size_t k = 0;
            for (const named& o : operands) {
                const std::string& name = call.name(k++);
                if (o.value.kind() != detail::operand_kind::tensor) continue;
                const auto size = static_cast<std::int32_t>(name.size());
                const bool output = p.definition(p.find({name.data(), size})) != ir::none;
                (output ? outputs : inputs).set(name, o.value.value());
            }
        }
    };

    program prepared;
    lent_outputs outputs;
    engine::executable executable;
    kept_tensors bound;

private:
    struct kept {};  // what memory is bound to is an output
    state(const program& what, detail::operand_list operands, const prepare_options& options, kept)
        : state(what, operands, call_operands(what, operands, call_kind::prepare, options)) {}
    state(const program& what, detail::operand_list operands, const call_operands& call)
        : prepared(what),
          outputs{detail::body_of(prepared), call.type(), {}},
          executable(request_of(call, outputs)) {
        bound.keep(prepared, operands, call);
    }
    static engine::request request_of(const call_operands& call, lent_outputs& outputs) {
        engine::request r = call.request();
        outputs.add_to(r);
        return r;
    }
};

runner::runner(const program& p, detail::operand_list operands, const prepare_options& options)
    : state_(std::make_unique<state>(p, operands, options)) {}
runner::runner(runner&&) noexcept = default;
runner& runner::operator=(runner&&) noexcept = default;
runner::~runner() = default;

runner::state& runner::live() const {
    if (state_ == nullptr)
        throw error("ricci: this runner has been moved from; use the one that it was moved to.");
    return *state_;
}
void runner::operator()() { live().executable.run(); }
array runner::operator[](std::string_view name) const { return live().output(name); }
void runner::bind(detail::operand_list operands) { live().bind(operands); }
void runner::bind(std::string_view name, bindable value) {
    live().bind({named{std::string(name), std::move(value)}});
}
std::string runner::explain() const { return live().executable.explain(); }

program einsum_program(std::string_view text, const std::vector<std::size_t>& ranks) {
    std::vector<std::int32_t> list;
    for (const std::size_t rank : ranks) list.push_back(static_cast<std::int32_t>(rank));
    auto read = notation::parse_einsum({text.data(), static_cast<std::int32_t>(text.size())},
                                       list.data(), static_cast<std::int32_t>(list.size()));
    if (read.mistake) detail::refuse(read.mistake.words);
    return program(std::move(read.program));
}

program einsum_program(std::string_view text) {
    auto read =
        notation::parse_einsum({text.data(), static_cast<std::int32_t>(text.size())}, nullptr, 0);
    if (read.mistake) detail::refuse(read.mistake.words);
    return program(std::move(read.program));
}

array einsum(std::string_view text, const std::vector<bindable>& operands) {
    std::vector<std::size_t> ranks;
    std::vector<named> bound;
    for (const bindable& o : operands) {
        const auto name = notation::operand_name(static_cast<std::int32_t>(ranks.size()));
        ranks.push_back(o.kind() == detail::operand_kind::tensor ? o.value().rank() : 0);
        bound.push_back({{name.view().begin(), name.view().end()}, o});
    }
    return run(einsum_program(text, ranks), bound)["result"];
}

array einsum(std::string_view text, std::initializer_list<bindable> operands) {
    return einsum(text, std::vector<bindable>(operands));
}

array einsum(std::string_view text, const std::vector<array>& operands) {
    return einsum(text, std::vector<bindable>(operands.begin(), operands.end()));
}

detail::watch_part::watch_part(memory_watch** place) {
    if (place != nullptr) watch_ = watched_memory(place).release();
}

}  // namespace ricci
