// Layers on several ranks: the equations of one, placed once for each direction, carried out for
// one layer after another on memory that moves.
#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include <fmt/core.h>

#include <ricci/error.hpp>

#include "src/base/texts.hpp"
#include "src/mpi/agreement.hpp"
#include "src/mpi/collectives.hpp"
#include "src/mpi/folds.hpp"
#include "src/mpi/operands.hpp"
#include "src/mpi/placed_call.hpp"
#include "src/placement/layer_programs.hpp"

namespace ricci::mpi {
namespace {

using detail::string_of;
using detail::view_of;

/// What a tensor has of each layer; one for all, where layers take it by turns.
class layered_arrays {
public:
    layered_arrays() = default;
    layered_arrays(const array& like, std::int64_t count) {
        for (std::int64_t k = 0; k < count; ++k) list_.emplace_back(like.type(), like.extents());
    }
    array& at(std::int64_t layer) {
        return list_[list_.size() == 1 ? 0 : static_cast<std::size_t>(layer)];
    }
    bool moves() const { return list_.size() > 1; }

private:
    std::vector<array> list_;
};

class run_of_each final : public rank_run {
public:
    run_of_each(MPI_Comm comm, const program& p, const std::vector<std::string>& shared_out,
                const std::vector<named>& operands, const prepare_options& options,
                const run_options& together)
        : grid_(comm, shared_out) {
        const shared_call call = shared_call_of(
            grid_, [&] { return first_layer(p, operands); }, shared_out, options, together);
        refuse_together(grid_.comm(), words_of_failure([&] { prepare(call, options, together); }));
    }

    void run() override {
        std::string wrong;
        sent_ = 0;
        for (const layer_chain& c : layers_->chains())
            copy_elements(operand(c.taken), passed_.at(c.taken).at(0));
        is_first_ = true;
        for (std::int64_t l = 0; forward_ && l < layers_->count(); ++l) {
            run_layer(*forward_, l, wrong);
            for (const layer_chain& c : layers_->chains())
                copy_elements(forward_->output(c.given), passed_.at(c.taken).at(l + 1));
            for (auto& [name, all] : stored_) copy_elements(forward_->output(name), all.at(l));
        }
        if (backward_) run_back(wrong);
        for (auto& [name, waiting] : waiting_) {
            for (const auto& fold : waiting.folds) {
                fold->start();
                fold->finish();
            }
            sent_ += waiting.bytes_sent();
        }
        refuse_together(grid_.comm(), wrong);
        for (auto& [name, to] : bound_) copy_elements(results_.at(name), to);
    }
    const array* output(const std::string& name) const override {
        if (const auto b = bound_.find(name); b != bound_.end()) return &b->second;
        const auto found = results_.find(name);
        return found == results_.end() ? nullptr : &found->second;
    }
    std::string explain() const override {
        std::string words = layers_->words() + "\n";
        if (forward_) words += "\nin each layer, from the first one\n" + forward_->explain();
        if (backward_) {
            words += "\nback, in each layer, from the last one; stored of each: " +
                     layers_->chains()[0].taken;
            for (const auto& [name, all] : stored_) words += ", " + name;
            words += "\n" + backward_->explain();
        }
        for (const auto& [name, waiting] : waiting_)
            for (std::size_t k = 0; k < waiting.sums.size(); ++k)
                words += fmt::format(
                    "behind the last layer, all-reduce (sum) over {} of what all layers add to {}: "
                    "this rank sends {} bytes\n",
                    waiting.letters[k], name,
                    waiting.sums[k].size() * size_of(waiting.sums[k].type()));
        return words + fmt::format("all layers: this rank sends {} bytes\n", bytes_sent());
    }
    std::int64_t bytes_sent() const override {
        if (sent_ >= 0) return sent_;
        std::int64_t one = 0, all = 0;
        for (const auto* const placed : {&forward_, &backward_})
            if (*placed) one += (*placed)->bytes_sent();
        for (const auto& [name, waiting] : waiting_) all += waiting.bytes_sent();
        return layers_->count() * one + all;
    }

private:
    // Before anything is run ------------------------------------------------------------------

    asked_call first_layer(const program& p, const std::vector<named>& operands) {
        std::vector<named> inputs;
        operands_ = with_canonical_names(operands);
        const program all = with_bound_kept(p, operands_);
        layers_.emplace(all);
        const ir::program_view view = all.view();
        for (const named& o : operands_) {
            const ir::ref n = view.find(view_of(o.name));
            const bool output = o.value.kind() == detail::operand_kind::tensor && n != ir::none &&
                                view.definition(n) != ir::none;
            if (output) bound_.insert_or_assign(o.name, o.value.value());
            else inputs.push_back(o);
        }
        operands_ = inputs;
        return {layers_->one(), layers_->operands_of(inputs, 0), "\n" + layers_->words()};
    }

    void prepare(const shared_call& call, const prepare_options& options,
                 const run_options& together) {
        const layer_parts parts = layers_->parts_of(call);
        const bool back = parts.backward.has_value();
        for (const layer_chain& c : layers_->chains())
            passed_[c.taken] = {operand(c.taken), back ? layers_->count() + 1 : 1};
        if (back)
            passed_[layers_->chain_back()->taken] = {operand(layers_->chain_back()->taken), 1};
        if (parts.forward) place(forward_, call, *parts.forward, options, together);
        for (const std::string& name : parts.stored)
            stored_[name] = {forward_->output(name), layers_->count()};
        if (back) place(backward_, call, *parts.backward, options, together);
        for (const layer_output& o : layers_->outputs()) {
            placed_call& by = maker_of(o.name);
            const array& one = by.output(o.name);
            std::vector<std::size_t> extents(one.extents().begin(), one.extents().end());
            if (o.how == layer_output::kind::of_each)
                extents.insert(extents.begin(), static_cast<std::size_t>(layers_->count()));
            const array& all = results_.emplace(o.name, array(one.type(), extents)).first->second;
            if (o.how != layer_output::kind::sum) continue;
            auto waiting = by.sum_that_waits(o.name, all);
            if (!waiting.sums.empty()) waiting_.emplace(o.name, std::move(waiting));
        }
        for (const auto& [name, to] : bound_) check_bound(name, to, results_.at(name));
    }
    placed_call& maker_of(const std::string& name) {
        for (auto* const placed : {&forward_, &backward_})
            if (*placed && (*placed)->has_output(name)) return **placed;
        throw error(fmt::format("ricci: no layer computes {}.", name));
    }
    void place(std::optional<placed_call>& to, const shared_call& call, const program& part,
               const prepare_options& options, const run_options& together) {
        shared_call mine = layers_->call_of(call, part);
        rank_memory memory = memory_of(mine);
        const ir::program_view p = mine.program.view();
        for (const ir::ref n : mine.inputs)
            if (moves(string_of(p.name(n)))) memory.moving.insert(n);
        set_memory(p, mine.inputs, 0, memory);
        to.emplace(grid_, std::move(mine), std::move(memory), options, together);
    }

    // The memory of a layer -------------------------------------------------------------------

    const array& operand(const std::string& name) const {
        for (const named& o : operands_)
            if (o.name == name) return o.value.value();
        throw error(fmt::format("ricci: no operand is bound to {}.", name));
    }
    // What a layer takes as, or gives the next as, or has stored.
    const array* made_before(const std::string& name, std::int64_t layer) {
        if (const auto x = passed_.find(name); x != passed_.end()) return &x->second.at(layer);
        for (const layer_chain& c : layers_->chains())
            if (c.given == name) return &passed_.at(c.taken).at(layer + 1);
        const auto x = stored_.find(name);
        return x == stored_.end() ? nullptr : &x->second.at(layer);
    }
    bool moves(const std::string& name) {
        if (layers_->count() == 1) return false;
        if (made_before(name, 0) != nullptr) return made_before(name, 0) != made_before(name, 1);
        for (const named& o : operands_)
            if (o.name == name) return layers_->is_of_each(o);
        return false;
    }
    void set_memory(const ir::program_view& p, const std::vector<ir::ref>& names,
                    std::int64_t layer, rank_memory& memory) {
        for (const ir::ref n : names) {
            const std::string name = string_of(p.name(n));
            if (const array* const a = made_before(name, layer)) memory.arrays[n] = *a;
            for (const named& o : operands_)
                if (o.name == name && o.value.watch() != nullptr)
                    memory.watches[n] = o.value.watch();
        }
    }
    void run_layer(placed_call& placed, std::int64_t layer, std::string& wrong) {
        const ir::program_view p = placed.call().program.view();
        rank_memory moved;
        std::vector<ir::ref> names;
        for (const ir::ref n : placed.call().inputs)
            if (moves(string_of(p.name(n)))) names.push_back(n);
        for (const named& o : layers_->operands_of(operands_, layer)) {
            const ir::ref n = p.find(view_of(o.name));
            if (n == ir::none || std::find(names.begin(), names.end(), n) == names.end()) continue;
            moved.arrays[n] = o.value.value();
        }
        set_memory(p, names, layer, moved);
        placed.bind(moved);
        placed.run(wrong);
        sent_ += placed.bytes_sent();
        for (const layer_output& o : layers_->outputs())
            if (placed.has_output(o.name)) take(o, placed.output(o.name), layer);
    }
    void run_back(std::string& wrong) {
        const layer_chain& chain = *layers_->chain_back();
        copy_elements(operand(chain.taken), passed_.at(chain.taken).at(0));
        is_first_ = true;
        for (std::int64_t l = layers_->count(); l-- > 0; is_first_ = false) {
            run_layer(*backward_, l, wrong);
            copy_elements(backward_->output(chain.given), passed_.at(chain.taken).at(0));
        }
    }
    void take(const layer_output& o, const array& made, std::int64_t layer) {
        const auto waiting = waiting_.find(o.name);
        array& to = waiting == waiting_.end() ? results_.at(o.name) : waiting->second.sums[0];
        if (o.how == layer_output::kind::of_each) {
            std::vector<std::size_t> extents(to.extents().begin() + 1, to.extents().end());
            array row = part_of(to, 0, layer, 1);
            row = array::over(nullptr, to.type(), row.data(), extents, to.strides().subspan(1));
            copy_elements(made, row);
        } else if (o.how == layer_output::kind::of_last || is_first_) {
            copy_elements(made, to);
        } else {
            const array row_major = made.is_contiguous() ? made : made.clone();
            add_elements(to.type(), row_major.data(), to.data(), to.size());
        }
    }

    grid_of_ranks grid_;
    std::vector<named> operands_;
    std::optional<layer_programs> layers_;
    std::map<std::string, layered_arrays> passed_, stored_;  // by what a layer takes, and gives
    std::optional<placed_call> forward_, backward_;
    std::map<std::string, array> results_, bound_;
    std::map<std::string, placed_call::waiting_sum> waiting_;  // sums over layers, by output
    bool is_first_ = true;                                     // of the sums over the layers
    std::int64_t sent_ = -1;
};

}  // namespace

std::unique_ptr<rank_run> run_of_layers(MPI_Comm comm, const program& p,
                                        const std::vector<std::string>& shared_out,
                                        const std::vector<named>& operands,
                                        const prepare_options& options,
                                        const run_options& together) {
    return std::make_unique<run_of_each>(comm, p, shared_out, operands, options, together);
}

}  // namespace ricci::mpi
