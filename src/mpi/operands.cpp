// What ranks bind, compared, and put together.
#include "src/mpi/operands.hpp"

#include <algorithm>
#include <cstring>
#include <sstream>
#include <utility>

#include <fmt/format.h>

#include <ricci/error.hpp>
#include <ricci/ir/roles.hpp>
#include <ricci/ir/shapes.hpp>

#include "src/base/texts.hpp"
#include "src/mpi/agreement.hpp"
#include "src/text/program_body.hpp"

namespace ricci::mpi {
namespace {

using detail::operand_kind;

/// What a rank says of an operand.
struct told_operand {
    std::string name;
    std::string kind;   // its kind and its type
    std::string value;  // of a number; the extent of an index
    std::vector<std::int64_t> extents;
};
struct told_call {
    std::string program, letters;
    std::vector<told_operand> operands;
};

constexpr char between_parts = '\x1e', between_words = '\x1f';

std::vector<std::string> cut(const std::string& text, char at) {
    std::vector<std::string> all;
    std::istringstream in(text);
    for (std::string part; std::getline(in, part, at);) all.push_back(part);
    return all;
}

std::string tell(const named& o) {
    const bindable& b = o.value;
    std::string out = o.name + between_words;
    switch (b.kind()) {
        case operand_kind::number: {
            const engine::number& x = b.number();
            return out + fmt::format("number{}{:a},{:a},{}{}", between_words, x.real, x.imaginary,
                                     x.whole, between_words);
        }
        case operand_kind::index:
            return out + fmt::format("extent of an index{}{}{}", between_words,
                                     b.extent_of_index(), between_words);
        default:
            break;
    }
    const array& a = b.value();
    out += fmt::format("tensor of {}{}{}", name_of(a.type()), between_words,
                       between_words);
    return out + fmt::format("{}", fmt::join(a.extents(), ","));
}

told_call read(const std::string& text) {
    const std::vector<std::string> parts = cut(text, between_parts);
    told_call call{parts[0], parts[1], {}};
    for (std::size_t k = 2; k < parts.size(); ++k) {
        std::vector<std::string> words = cut(parts[k], between_words);
        words.resize(4);
        told_operand o{words[0], words[1], words[2], {}};
        for (const std::string& extent : cut(words[3], ',')) o.extents.push_back(std::stoll(extent));
        call.operands.push_back(std::move(o));
    }
    return call;
}

class comparison {
public:
    comparison(shared_call& call, const std::vector<std::string>& told, const std::string& letter)
        : call_(call), view_(call.program.view()), letter_(letter) {
        for (const std::string& text : told) told_.push_back(read(text));
    }

    /// The operands as they would be on one machine.
    std::vector<named> run() {
        for (std::size_t r = 1; r < told_.size(); ++r) compare(r);
        std::vector<named> whole;
        for (std::size_t k = 0; k < call_.operands.size(); ++k) {
            const named& o = call_.operands[k];
            if (o.value.kind() != operand_kind::tensor) {
                whole.push_back(o);
                continue;
            }
            const std::vector<std::int64_t> all = put_together(k);
            const std::vector<std::size_t> extents(all.begin(), all.end());
            whole.push_back({o.name, bindable(shape(o.value.value().type(),
                                                    std::span<const std::size_t>(extents)))});
        }
        return whole;
    }

private:
    template <class... Words>
    [[noreturn]] void refuse(fmt::format_string<Words...> text, Words&&... words) const {
        throw error("ricci: " + fmt::format(text, std::forward<Words>(words)...));
    }
    void compare(std::size_t r) const {
        const told_call &first = told_[0], &other = told_[r];
        if (other.program != first.program)
            refuse("rank {} prepares other equations than rank 0.", r);
        if (other.letters != first.letters)
            refuse("rank {} shares out {}, and rank 0 {}.", r, other.letters, first.letters);
        const std::size_t count = std::min(first.operands.size(), other.operands.size());
        for (std::size_t k = 0; k < count; ++k) {
            const told_operand &a = first.operands[k], &b = other.operands[k];
            if (a.name != b.name)
                refuse("rank {} binds {} where rank 0 binds {}; all ranks bind the same tensors, in "
                       "one order.", r, b.name, a.name);
            if (a.kind != b.kind)
                refuse("{} is a {} on rank {}, and a {} on rank 0.", a.name, b.kind, r, a.kind);
            if (a.value != b.value)
                refuse("the {} {} is another one on rank {} than on rank 0.", a.kind, a.name, r);
            if (a.extents.size() != b.extents.size())
                refuse("{} has {} axes on rank {}, and {} on rank 0.", a.name, b.extents.size(), r,
                       a.extents.size());
        }
        if (first.operands.size() != other.operands.size())
            refuse("rank {} binds {} operands, and rank 0 binds {}.", r, other.operands.size(),
                   first.operands.size());
    }
    std::vector<std::int64_t> put_together(std::size_t k) {
        const told_operand& mine = told_[0].operands[k];
        const ir::ref n = view_.find(detail::view_of(mine.name));
        std::vector<std::int64_t> all = mine.extents;
        const std::int32_t shared = n == ir::none ? -1 : call_.axes[static_cast<std::size_t>(n)];
        for (std::size_t axis = 0; axis < all.size(); ++axis) {
            distribution parts;
            for (const told_call& call : told_) parts.counts.push_back(call.operands[k].extents[axis]);
            if (static_cast<std::int32_t>(axis) == shared && told_.size() > 1) {
                all[axis] = parts.total();
                share_out(mine.name, parts);
                continue;
            }
            for (std::size_t r = 1; r < told_.size(); ++r)
                if (parts.counts[r] != all[axis])
                    refuse("axis {} of {} has extent {} on rank {} and {} on rank 0; only what has "
                           "the shared-out index {} may differ.", axis, mine.name, parts.counts[r],
                           r, all[axis], letter_);
        }
        return all;
    }
    void share_out(const std::string& name, const distribution& parts) {
        const auto [known, fresh] = call_.sharing.by_extent.emplace(parts.total(), parts);
        if (fresh || known->second == parts) {
            first_.emplace(parts.total(), name);
            return;
        }
        std::size_t r = 0;
        while (known->second.counts[r] == parts.counts[r]) ++r;
        refuse("of {} places of the shared-out index {} rank {} has {} in {} and {} in {}.",
               parts.total(), letter_, r, known->second.counts[r], first_[parts.total()],
               parts.counts[r], name);
    }

    shared_call& call_;
    const ir::program_view view_;
    const std::string& letter_;
    std::vector<told_call> told_;
    std::map<std::int64_t, std::string> first_;  // who said how axes of an extent are shared out
};

ricci::program with_bound_kept(ricci::program p, const std::vector<named>& operands) {
    for (const named& o : operands) {
        const ir::program_view view = p.view();
        const ir::ref n = view.find(detail::view_of(o.name));
        if (o.value.kind() == operand_kind::tensor && n != ir::none &&
            view.definition(n) != ir::none && !ir::is_output(view, n))
            p = p.keep({o.name});
    }
    return p;
}

ir::shape_table shapes_of(const ir::program_view& p, const std::vector<named>& whole) {
    ir::shape_table table(p);
    for (const named& o : whole) {
        if (o.value.kind() == operand_kind::index) {
            for (ir::ref i = 0; i < p.indices.size(); ++i)
                if (detail::string_of(p.index(i)) == o.name) {
                    table.set_index(i, o.value.extent_of_index());
                    break;
                }
            continue;
        }
        std::vector<std::int64_t> extents;
        if (o.value.kind() == operand_kind::tensor)
            for (const std::size_t e : o.value.value().extents())
                extents.push_back(static_cast<std::int64_t>(e));
        table.set_shape(p.find(detail::view_of(o.name)), static_cast<std::int32_t>(extents.size()),
                        extents.data());
    }
    if (const auto mistake = ir::infer_shapes(p, table))
        throw error(fmt::format("ricci: {}.", detail::string_of(mistake.words)));
    return table;
}

std::string tell_all(const ricci::program& p, const std::vector<std::string>& shared_out,
                     const std::vector<named>& operands) {
    if (detail::body_of(p).layers() != nullptr)
        throw error("ricci: layers that are repeated are not shared out; prepare one layer.");
    if (shared_out.size() != 1)
        throw error(fmt::format("ricci: one index is shared out over all ranks, and {} are named.",
                                shared_out.size()));
    std::string out = to_text(p.view()) + between_parts + shared_out[0];
    for (const named& o : operands) {
        if (o.value.kind() == operand_kind::tensor && o.value.value().is_shape())
            throw error(fmt::format(
                "ricci: a shape without elements is bound to {}; a run takes tensors.", o.name));
        out += between_parts + tell(o);
    }
    return out;
}

}  // namespace

shared_call shared_call_of(MPI_Comm comm, const ricci::program& p,
                           const std::vector<std::string>& shared_out,
                           const std::vector<named>& operands, const prepare_options& options) {
    std::string mine;
    shared_call call{p, operands, {}, {}, {}, ir::shape_table(p.view()), element::f64, {}, {}};
    refuse_together(comm, words_of_failure([&] {
        for (named& o : call.operands)
            if (o.value.kind() != operand_kind::index) o.name = canonical_name(o.name);
        mine = tell_all(p, shared_out, call.operands);
        call.program = with_bound_kept(p, call.operands);
    }));
    const std::vector<std::string> told = told_by_all(comm, mine);
    // From here on all ranks know the same, and find the same wrong.
    MPI_Comm_rank(comm, &call.sharing.rank);
    MPI_Comm_size(comm, &call.sharing.ranks);
    const std::string letter = read(told[0]).letters;
    const ir::program_view view = call.program.view();
    call.axes = axes_with(view, letter);
    const std::vector<named> whole = comparison(call, told, letter).run();
    for (const sized_tensor& t : tensors_of(call.program, whole, options))
        if (t.role == sized_tensor::part::output) call.type = t.extents.type();
    call.shapes = shapes_of(view, whole);
    for (ir::ref i = 0; i < view.indices.size(); ++i)
        if (detail::string_of(view.index(i)) == letter) call.letters.push_back(i);
    for (const named& o : call.operands) {
        const ir::ref n = view.find(detail::view_of(o.name));
        if (o.value.kind() != operand_kind::index && view.definition(n) == ir::none)
            call.inputs.push_back(n);
    }
    for (const ir::equation& e : view.equations)
        if (!e.claim && ir::is_output(view, e.name)) call.outputs.push_back(e.name);
    if (call.sharing.ranks == 1) std::fill(call.axes.begin(), call.axes.end(), -1);
    for (const ir::ref n : call.outputs)
        if (const std::int32_t axis = call.axes[static_cast<std::size_t>(n)]; axis >= 0)
            call.sharing.of(call.shapes.extent(n, axis));
    return call;
}

}  // namespace ricci::mpi
