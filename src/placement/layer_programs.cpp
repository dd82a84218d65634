// One layer, for ranks to carry out again and again.
#include "src/placement/layer_programs.hpp"

#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>

#include <ricci/derive/drop_dead_equations.hpp>
#include <ricci/derive/repeat.hpp>
#include <ricci/error.hpp>
#include <ricci/ir/axes.hpp>
#include <ricci/ir/extrema.hpp>
#include <ricci/ir/rewrite.hpp>
#include <ricci/ir/roles.hpp>

#include "src/base/texts.hpp"
#include "src/placement/stages.hpp"
#include "src/text/program_body.hpp"

namespace ricci::mpi {
namespace {

using detail::operand_kind;
using detail::string_of;
using detail::view_of;
using result_kind = engine::layering::result_kind;

bool contains(const std::vector<std::string>& list, const std::string& name) {
    return std::find(list.begin(), list.end(), name) != list.end();
}

/// The names of layers, spelt; refers to them.
class names_of {
public:
    explicit names_of(const detail::layers_of_program& l) {
        const ir::program_view p = l.how.layer;
        for (const ir::ref n : l.shared) shared_.push_back(p.name(n));
        names_ = {p.name(l.how.from), p.name(l.how.to), view_of(l.index), shared_.data(),
                  static_cast<std::int32_t>(shared_.size())};
    }
    const derive::layer_names& get() const { return names_; }

private:
    std::vector<detail::text_view> shared_;
    derive::layer_names names_;
};

// The equations that these tensors need, but for those that define what is in `taken`.
ricci::program only(const ir::program_view& p, const std::vector<std::string>& wanted,
                    const std::vector<std::string>& taken) {
    ir::program all(p);
    all.equations.clear();
    for (const ir::equation& e : p.equations)
        if (!e.claim && !contains(taken, string_of(p.name(e.name)))) all.equations.push(e);
    for (ir::name_symbol& n : all.names) n.kept = false;
    for (const std::string& name : wanted) all.names[all.find(view_of(name))].kept = true;
    return ricci::program(derive::drop_dead_equations(all));
}

ricci::program with_kept(const ricci::program& p, const std::vector<std::string>& names) {
    ricci::program kept = p;
    for (const std::string& name : names)
        if (const ir::ref n = kept.view().find(view_of(name));
            n != ir::none && kept.view().definition(n) != ir::none)
            kept = kept.keep({name});
    return kept;
}

std::vector<std::int64_t> extents_of(const shared_call& call, ir::ref n) {
    return {call.shapes.extents(n), call.shapes.extents(n) + call.shapes.rank(n)};
}

}  // namespace

bool layer_programs::repeats(const ricci::program& p) {
    return detail::body_of(p).layers() != nullptr;
}

layer_programs::layer_programs(const ricci::program& p) {
    const detail::layers_of_program& layers = *detail::body_of(p).layers();
    const ir::program_view all = p.view(), layer = layers.how.layer;
    count_ = layers.how.count;
    recompute_ = layers.how.recompute;
    index_ = layers.index;
    chains_.push_back(
        {string_of(layer.name(layers.how.from)), string_of(layer.name(layers.how.to))});
    std::vector<std::string> asked{chains_[0].given}, by;
    for (ir::ref n = 0; n < all.names.size(); ++n) {
        const ir::name_symbol& s = all.names[n];
        if (ir::is_output(all, n)) asked.push_back(string_of(all.name(n)));
        if (s.kind == ir::name_kind::tangent && all.definition(n) == ir::none)
            by.push_back(string_of(all.name(s.of)));
        if (s.kind == ir::name_kind::cotangent && ir::is_output(all, n))
            by.push_back(string_of(all.name(s.of)));
    }
    layer_ = with_kept(layers.layer, asked);
    if (layers.how.computes == result_kind::values) one_ = layer_;
    const names_of names(layers);
    if (layers.how.computes == result_kind::tangent) {
        std::vector<detail::text_view> directions;
        for (const std::string& name : by) directions.push_back(view_of(name));
        one_ = with_kept(
            ricci::program(derive::tangent_of_layer(layer_->view(), names.get(), directions.data(),
                                                    static_cast<std::int32_t>(directions.size()))
                               .program),
            asked);
        chains_.push_back({canonical_name("d/dt " + chains_[0].given),
                           canonical_name("d/dt " + chains_[0].taken)});
    }
    if (layers.how.computes == result_kind::gradient) {
        if (!contains(by, chains_[0].taken)) by.push_back(chains_[0].taken);
        one_ = with_kept(value_and_gradient(*layer_, chains_[0].given, by), asked);
        const ir::program_view back = one_->view();
        const auto spelled = [&](const std::string& of) {
            return string_of(back.name(derive::cotangent_in(back, view_of(of))));
        };
        back_ = layer_chain{spelled(chains_[0].taken), spelled(chains_[0].given)};
    }
    find_outputs(all, names.get());
}

void layer_programs::find_outputs(const ir::program_view& all, const derive::layer_names& names) {
    for (ir::ref n = 0; n < all.names.size(); ++n) {
        const std::string name = string_of(all.name(n));
        const bool of_each = !derive::is_single(all, n, names);
        if (of_each) of_each_.push_back(name);
        if (!ir::is_output(all, n)) continue;
        const bool given = is_given(name) || (back_ && back_->given == name);
        outputs_.push_back({name, of_each ? layer_output::kind::of_each
                                  : given ? layer_output::kind::of_last
                                          : layer_output::kind::sum});
    }
}

bool layer_programs::is_given(const std::string& name) const {
    return std::any_of(chains_.begin(), chains_.end(),
                       [&](const layer_chain& c) { return c.given == name; });
}

std::string layer_programs::words() const {
    return fmt::format("{} layers, planned as one: {} of each is {} of the next", count_,
                       chains_[0].given, chains_[0].taken);
}

bool layer_programs::is_of_each(const named& o) const {
    return o.value.kind() == operand_kind::tensor && o.value.value().rank() > 0 &&
           contains(of_each_, o.name);
}

std::vector<named> layer_programs::operands_of(const std::vector<named>& all,
                                               std::int64_t layer) const {
    std::vector<named> list;
    for (const named& o : all) {
        if (o.value.kind() == operand_kind::index && o.name == index_) {
            if (o.value.extent_of_index() != count_)
                throw error(fmt::format(
                    "ricci: the index {} of the layers is given the extent {}, and there are {}.",
                    index_, o.value.extent_of_index(), count_));
            continue;
        }
        if (!is_of_each(o)) {
            list.push_back(o);
            continue;
        }
        const array& a = o.value.value();
        if (a.extent(0) != static_cast<std::size_t>(count_))
            throw error(
                fmt::format("ricci: {} has one for each of {} layers along its first axis, "
                            "and {} are bound.",
                            o.name, count_, a.extent(0)));
        if (a.is_shape()) {
            list.push_back({o.name, bindable(shape(a.type(), a.extents().subspan(1)))});
            continue;
        }
        const char* const first =
            static_cast<const char*>(a.data()) +
            layer * a.strides()[0] * static_cast<std::int64_t>(size_of(a.type()));
        // the copy keeps the memory
        list.push_back(
            {o.name, bindable(array::over(std::make_shared<array>(a), a.type(),
                                          const_cast<char*>(first), a.extents().subspan(1),
                                          a.strides().subspan(1), a.is_writable()))});
    }
    return list;
}

void layer_programs::check_chain(const shared_call& call, const layer_chain& chain) const {
    const ir::program_view p = call.program.view();
    const ir::ref given = p.find(view_of(chain.given)), taken = p.find(view_of(chain.taken));
    const auto words = [](const std::vector<std::int64_t>& extents) {
        return fmt::format("({})", fmt::join(extents, ", "));
    };
    if (extents_of(call, given) != extents_of(call, taken))
        throw error(fmt::format(
            "ricci: {0} of each layer is {1} of the next; {0} has the shape {2} and {1} {3}.",
            chain.given, chain.taken, words(extents_of(call, given)),
            words(extents_of(call, taken))));
    const auto part = [&](std::int32_t axis, const std::string& letter) {
        return axis < 0 ? "no axis with " + letter : fmt::format("{} in axis {}", letter, axis);
    };
    for (std::size_t k = 0; k < call.shared.size(); ++k) {
        const std::int32_t a = call.axes[k][static_cast<std::size_t>(given)],
                           b = call.axes[k][static_cast<std::size_t>(taken)];
        if (a != b)
            throw error(fmt::format(
                "ricci: {0} of each layer is {1} of the next; of the shared-out index {2}, {0} has "
                "{3}, and {1} has {4}.",
                chain.given, chain.taken, call.shared[k].letter, part(a, call.shared[k].letter),
                part(b, call.shared[k].letter)));
    }
}

// What is larger than all that one layer takes and gives, as scores of all pairs are, is made again
// on the way back, as it is behind an exchange.
std::vector<std::string> layer_programs::worth_storing(const shared_call& call) const {
    const ir::program_view p = call.program.view(), layer = layer_->view();
    const auto places = [&](ir::ref n) {
        double all = 1;
        for (const std::int64_t extent : extents_of(call, n)) all *= static_cast<double>(extent);
        return all;
    };
    double largest = 0;
    for (const ir::ref n : call.inputs) largest = std::max(largest, places(n));
    for (const ir::ref n : call.outputs) largest = std::max(largest, places(n));
    std::vector<std::string> list;
    std::map<ir::ref, made_again> made;  // by name in `layer`
    for (ir::ref e = 0; e < layer.equations.size(); ++e) {
        const ir::equation& q = layer.equations[e];
        const std::string name = string_of(layer.name(q.name));
        const ir::ref n = p.find(view_of(name)), defined = n == ir::none ? n : p.definition(n);
        if (q.claim || contains(list, name) || defined == ir::none) continue;
        const double own = places(n);
        made_again again{0, 1};
        ir::indices_of(p, p.equations[defined]).for_each([&](ir::ref i) {
            again.work *= static_cast<double>(call.shapes.index_extent(defined, i));
        });
        std::set<ir::ref> read;
        ir::for_each_node(layer, q.body, [&](ir::ref x) {
            if (layer.nodes[x].kind == ir::op::tensor) read.insert(layer.nodes[x].name);
        });
        for (const ir::ref r : read)
            if (const auto found = made.find(r); found != made.end()) {
                again.places += found->second.places;
                again.work += found->second.work;
            }
        const bool stored = is_given(name) || own <= largest || is_stored_rather(again, own);
        if (stored && !ir::is_of_places(layer, q.name)) {
            list.push_back(name);
            again = {own, 0};
        }
        made[q.name] = again;
    }
    return list;
}

layer_parts layer_programs::parts_of(const shared_call& call) const {
    for (const layer_chain& c : chains_) check_chain(call, c);
    if (back_) check_chain(call, *back_);
    if (!back_) return {*one_, std::nullopt, {}};
    layer_parts parts;
    std::vector<std::string> forward{chains_[0].given}, backward{back_->given};
    bool asked = false;
    for (const layer_output& o : outputs_) {
        const bool derived = derive::base_of(one_->view(), one_->view().find(view_of(o.name))) !=
                             one_->view().find(view_of(o.name));
        asked = asked || !derived;
        std::vector<std::string>& list = derived ? backward : forward;
        if (!contains(list, o.name)) list.push_back(o.name);
    }
    const auto stored = recompute_ ? std::vector<std::string>() : worth_storing(call);
    parts.backward = only(one_->view(), backward, stored);
    const ir::program_view back = parts.backward->view();
    const auto reads = [&](const std::string& name) {
        const ir::ref n = back.find(view_of(name));
        return n != ir::none && ir::is_input(back, n);
    };
    for (const std::string& name : stored)
        if (reads(name) && !is_given(name)) parts.stored.push_back(name);
    for (const std::string& name : parts.stored)
        if (!contains(forward, name)) forward.push_back(name);
    if (asked || !parts.stored.empty() || reads(chains_[0].taken) || reads(chains_[0].given))
        parts.forward = only(layer_->view(), forward, {});
    return parts;
}

shared_call layer_programs::call_of(const shared_call& call, const ricci::program& part) const {
    shared_call mine = call.part_of(part);
    for (const layer_output& o : outputs_) {
        if (o.how != layer_output::kind::sum || mine.blocks > 0) continue;
        const ir::ref n = mine.program.view().find(view_of(o.name));
        if (n != ir::none && mine.program.view().definition(n) != ir::none) mine.may_wait.insert(n);
    }
    return mine;
}

}  // namespace ricci::mpi
