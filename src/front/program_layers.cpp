// Programs of the run-time face that are carried out layer by layer: made, differentiated, printed.
#include "src/front/program_layers.hpp"

#include <fmt/core.h>

#include <ricci/detail/bind/batched_program.hpp>
#include <ricci/derive/repeat.hpp>
#include <ricci/program.hpp>

#include "src/front/call_operands.hpp"
#include "src/front/spelled_names.hpp"

namespace ricci {
namespace detail {
namespace {

using result_kind = engine::layering::result_kind;

std::unique_ptr<layers_of_program> layers_on(const program& layer) {
    return std::unique_ptr<layers_of_program>(new layers_of_program{layer, layer, {}, {}});
}

void refer(layers_of_program& l) {
    l.how.layer = l.layer.view();
    l.how.layer_owner = &body_of(l.layer);
    l.how.shared = l.shared.data();
    l.how.shared_count = static_cast<std::int32_t>(l.shared.size());
    l.how.index = view_of(l.index);
}

// The names of layers, spelt; refers to them.
class names_of {
public:
    explicit names_of(const layers_of_program& l, text_view index) {
        const ir::program_view p = l.how.layer;
        for (const ir::ref n : l.shared) shared_.push_back(p.name(n));
        names_ = {p.name(l.how.from), p.name(l.how.to), index, shared_.data(),
                  static_cast<std::int32_t>(shared_.size())};
    }
    const derive::layer_names& get() const { return names_; }

private:
    std::vector<text_view> shared_;
    derive::layer_names names_;
};

program made(derive::derived&& equations, const layers_of_program& from, result_kind computes,
             program stated) {
    auto layers = copied(from);
    layers->stated = std::move(stated);
    layers->how.computes = computes;
    return program_of_layers(std::move(equations.program), std::move(layers));
}

void refuse_derived(const layers_of_program& layers) {
    if (layers.how.computes != result_kind::values) refuse(derive::no_second_derivative);
}

}  // namespace

std::unique_ptr<layers_of_program> copied(const layers_of_program& layers) {
    auto copy = std::make_unique<layers_of_program>(layers);
    refer(*copy);
    return copy;
}

program program_of_layers(ir::program equations, std::unique_ptr<const layers_of_program> layers) {
    return layers_of_program::program_of(new program_body(std::move(equations), std::move(layers)));
}

program gradient_of_layers(const layers_of_program& layers, std::string_view of,
                           const std::vector<std::string>& by, bool with_value) {
    refuse_derived(layers);
    const std::string spelled = canonical_name(of);
    const spelled_names wrt(by);
    const names_of names(layers, view_of(layers.index));
    auto all = derive::repeat_gradient(layers.how.layer, names.get(), view_of(spelled), wrt.data(),
                                       wrt.size(), with_value);
    if (all.mistake) refuse(all.mistake.words);
    return made(
        std::move(all), layers, result_kind::gradient,
        with_value ? value_and_gradient(layers.layer, of, by) : gradient(layers.layer, of, by));
}

program tangent_of_layers(const layers_of_program& layers, const std::vector<std::string>& by) {
    refuse_derived(layers);
    const spelled_names wrt(by);
    const names_of names(layers, view_of(layers.index));
    auto all = derive::repeat_tangent(layers.how.layer, names.get(), wrt.data(), wrt.size());
    if (all.mistake) refuse(all.mistake.words);
    return made(std::move(all), layers, result_kind::tangent, tangent(layers.layer, by));
}

void refuse_layers(const program& p, const char* words) {
    if (body_of(p).layers() != nullptr) throw error(fmt::format("ricci: {}.", words));
}

}  // namespace detail

program repeat(const program& layer, std::size_t count, const repeat_options& options) {
    using namespace detail;
    refuse_layers(
        layer,
        "a program of layers, or a derivative of one, is not repeated again; repeat its layer more "
        "often");
    if (count == 0) throw error("ricci: 0 layers; at least one is needed.");
    if (!detail::spells_an_index(view_of(options.index)))
        throw error(
            fmt::format("ricci: the layers need a letter for their index, as l; \"{}\" is none.",
                        options.index));
    const std::string from = canonical_name(options.from), to = canonical_name(options.to);
    const spelled_names shared(options.shared);
    auto layers = layers_on(layer);
    layers->index = options.index;
    const ir::program_view p = layer.view();
    const derive::layer_names names{view_of(from), view_of(to), view_of(options.index),
                                    shared.data(), shared.size()};
    derive::derived equations = derive::repeat(p, names);
    if (equations.mistake) refuse(equations.mistake.words);
    layers->how.from = p.find(names.from);
    layers->how.to = p.find(names.to);
    layers->how.count = static_cast<std::int64_t>(count);
    layers->how.recompute = options.recompute;
    for (std::int32_t k = 0; k < shared.size(); ++k)
        layers->shared.push_back(p.find(shared.data()[k]));
    refer(*layers);
    return program_of_layers(std::move(equations.program), std::move(layers));
}

}  // namespace ricci
