// What ranks bind, compared, and put together.
#include "src/mpi/operands.hpp"

#include <algorithm>
#include <cstring>
#include <optional>
#include <sstream>
#include <utility>

#include <fmt/format.h>

#include <ricci/error.hpp>
#include <ricci/ir/roles.hpp>

#include "src/base/texts.hpp"
#include "src/mpi/agreement.hpp"

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
    std::string program, letters, together;
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
            return out + fmt::format("extent of an index{}{}{}", between_words, b.extent_of_index(),
                                     between_words);
        default:
            break;
    }
    const array& a = b.value();
    out += fmt::format("tensor of {}{}{}", name_of(a.type()), between_words, between_words);
    return out + fmt::format("{}", fmt::join(a.extents(), ","));
}

told_call read(const std::string& text) {
    const std::vector<std::string> parts = cut(text, between_parts);
    told_call call{parts[0], parts[1], parts[2], {}};
    for (std::size_t k = 3; k < parts.size(); ++k) {
        std::vector<std::string> words = cut(parts[k], between_words);
        words.resize(4);
        told_operand o{words[0], words[1], words[2], {}};
        for (const std::string& extent : cut(words[3], ','))
            o.extents.push_back(std::stoll(extent));
        call.operands.push_back(std::move(o));
    }
    return call;
}

class comparison {
public:
    comparison(shared_call& call, const std::vector<std::string>& told, const grid_of_ranks& grid)
        : call_(call), view_(call.program.view()), grid_(grid), first_(grid.dimensions()) {
        for (const std::string& text : told) told_.push_back(read(text));
    }

    /// From here on all ranks know the same, and find the same wrong.
    void compare() const {
        for (std::size_t r = 1; r < told_.size(); ++r) compare(r);
    }
    /// The operands as they would be on one machine.
    std::vector<named> whole_operands() {
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
        if (other.together != first.together)
            refuse("rank {} runs with {}, and rank 0 with {}.", r, other.together, first.together);
        const std::size_t count = std::min(first.operands.size(), other.operands.size());
        for (std::size_t k = 0; k < count; ++k) {
            const told_operand &a = first.operands[k], &b = other.operands[k];
            if (a.name != b.name)
                refuse(
                    "rank {} binds {} where rank 0 binds {}; all ranks bind the same tensors, in "
                    "one order.",
                    r, b.name, a.name);
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
        for (std::size_t axis = 0; axis < all.size(); ++axis) {
            std::size_t shared = 0;
            while (n != ir::none && shared < grid_.dimensions() &&
                   call_.axes[shared][static_cast<std::size_t>(n)] !=
                       static_cast<std::int32_t>(axis))
                ++shared;
            if (n != ir::none && shared < grid_.dimensions() && grid_.extent(shared) > 1) {
                all[axis] = put_together(k, axis, shared);
                continue;
            }
            for (std::size_t r = 1; r < told_.size(); ++r)
                if (extent(r, k, axis) != all[axis])
                    refuse(
                        "axis {} of {} has extent {} on rank {} and {} on rank 0; only what has "
                        "the shared-out index {} may differ.",
                        axis, mine.name, extent(r, k, axis), r, all[axis], told_[0].letters);
        }
        return all;
    }
    // An axis of which ranks have parts: those have the same one that are at the same place of the
    // grid's dimension.
    std::int64_t put_together(std::size_t k, std::size_t axis, std::size_t shared) {
        distribution parts;
        std::vector<std::size_t> said_by;
        for (std::size_t r = 0; r < told_.size(); ++r) {
            const auto place = static_cast<std::size_t>(grid_.place(static_cast<int>(r), shared));
            const std::int64_t mine = extent(r, k, axis);
            if (place == parts.counts.size()) {
                parts.counts.push_back(mine);
                said_by.push_back(r);
            } else if (mine != parts.counts[place]) {
                refuse(
                    "axis {} of {} has extent {} on rank {} and {} on rank {}, which have the same "
                    "part of the shared-out index {}.",
                    axis, told_[0].operands[k].name, mine, r, parts.counts[place], said_by[place],
                    call_.shared[shared].letter);
            }
        }
        share_out(told_[0].operands[k].name, parts, shared);
        return parts.total();
    }
    std::int64_t extent(std::size_t r, std::size_t k, std::size_t axis) const {
        return told_[r].operands[k].extents[axis];
    }
    void share_out(const std::string& name, const distribution& parts, std::size_t shared) {
        auto& by_extent = call_.shared[shared].sharing.by_extent;
        check_blocks(name, parts, call_.shared[shared]);
        const auto [known, fresh] = by_extent.emplace(parts.total(), parts);
        if (fresh || known->second == parts) {
            first_[shared].emplace(parts.total(), name);
            return;
        }
        std::size_t r = 0;
        while (known->second.counts[r] == parts.counts[r]) ++r;
        refuse("of {} places of the shared-out index {} rank {} has {} in {} and {} in {}.",
               parts.total(), call_.shared[shared].letter, r, known->second.counts[r],
               first_[shared][parts.total()], parts.counts[r], name);
    }

    // Ranks have whole blocks, so that what is computed at a time does not depend on their number.
    void check_blocks(const std::string& name, const distribution& parts,
                      const shared_letter& letter) const {
        const int blocks = letter.sharing.blocks;
        if (blocks == 0) return;
        const distribution wanted = parts_of_blocks(parts.total(), letter.sharing.ranks, blocks);
        for (std::size_t r = 0; r < parts.counts.size(); ++r)
            if (parts.counts[r] != wanted.counts[r])
                refuse(
                    "of {} places of the shared-out index {} rank {} has {} in {}; a reproducible "
                    "run in {} blocks wants {} there: what ricci::mpi::parts_of({}, {}, {}) says.",
                    parts.total(), letter.letter, r, parts.counts[r], name, blocks,
                    wanted.counts[r], parts.total(), letter.sharing.ranks, blocks);
    }

    shared_call& call_;
    const ir::program_view view_;
    const grid_of_ranks& grid_;
    std::vector<told_call> told_;
    // By shared letter, who said how axes of an extent are shared out.
    std::vector<std::map<std::int64_t, std::string>> first_;
};

std::string words_of(const run_options& o) {
    return fmt::format("{}, {}, messages of {} bytes",
                       o.reproducible ? fmt::format("{} reproducible blocks", o.blocks)
                                      : std::string("results that need not be reproducible"),
                       o.overlap ? "overlap" : "no overlap", o.longest_message);
}

void check(const run_options& o) {
    constexpr int most = 4096;
    if (o.reproducible && (o.blocks < 2 || o.blocks > most))
        throw error(
            fmt::format("ricci: a reproducible run has 2 to {} blocks, not {}.", most, o.blocks));
}

std::string tell_all(const asked_call& asked, const std::vector<std::string>& shared_out,
                     const run_options& together) {
    std::string out = to_text(asked.program.view()) + asked.layers + between_parts +
                      fmt::format("{}", fmt::join(shared_out, " and ")) + between_parts +
                      words_of(together);
    for (const named& o : asked.operands) {
        if (o.value.kind() == operand_kind::tensor && o.value.value().is_shape())
            throw error(fmt::format(
                "ricci: a shape without elements is bound to {}; a run takes tensors.", o.name));
        out += between_parts + tell(o);
    }
    return out;
}

}  // namespace

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

std::vector<named> with_canonical_names(std::vector<named> operands) {
    for (named& o : operands)
        if (o.value.kind() != operand_kind::index) o.name = canonical_name(o.name);
    return operands;
}

shared_call shared_call_of(const grid_of_ranks& grid, const std::function<asked_call()>& asked,
                           const std::vector<std::string>& shared_out,
                           const prepare_options& options, const run_options& together) {
    std::string mine;
    std::optional<shared_call> made;
    refuse_together(grid.comm(), words_of_failure([&] {
                        asked_call a = asked();
                        a.operands = with_canonical_names(std::move(a.operands));
                        check(together);
                        mine = tell_all(a, shared_out, together);
                        made.emplace(with_bound_kept(a.program, a.operands));
                        made->operands = std::move(a.operands);
                    }));
    shared_call& call = *made;
    if (together.reproducible) call.blocks = together.blocks;
    comparison compared(call, told_by_all(grid.comm(), mine), grid);
    compared.compare();
    grid_place here;
    for (std::size_t k = 0; k < grid.dimensions(); ++k) {
        here.extents.push_back(grid.extent(k));
        here.places.push_back(grid.place(grid.rank(), k));
    }
    call.share_out(shared_out, here);
    call.complete(compared.whole_operands(), options);
    return std::move(call);
}

}  // namespace ricci::mpi
