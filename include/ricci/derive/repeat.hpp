// Layers: the equations of one, carried out several times, each on what the one before it gives.
// Here is what a caller binds to all of them: every tensor of the equations gets a first axis for
// the layers, but what goes from layer to layer and what all layers share.
#pragma once

#include <cstdint>

#include <ricci/derive/batch.hpp>
#include <ricci/derive/gradient.hpp>
#include <ricci/derive/tangent.hpp>
#include <ricci/ir/roles.hpp>

namespace ricci::derive {

/// How layers follow on each other: names in canonical spelling.
struct layer_names {
    text_view from;  // what a layer gives, and the next takes
    text_view to;    // as this
    text_view index;
    const text_view* shared = nullptr;  // inputs that are the same for all
    std::int32_t shared_count = 0;
};

/// What is said where a derivative of layers is differentiated.
inline constexpr text_view no_second_derivative =
    "a derivative of layers is not differentiated again; write the layers out, as in "
    "H^i = \\tanh(W^{0ij} X^j), Y^i = \\tanh(W^{1ij} H^j), for derivatives of any order";

/// The tensor that a derivative, of whatever order, is of; a tensor itself.
template <class Program>
constexpr ref base_of(const Program& p, ref name) {
    while (p.names[name].kind != ir::name_kind::plain) name = p.names[name].of;
    return name;
}

/// The derivative of the loss by a tensor, or none.
template <class Program>
constexpr ref cotangent_in(const Program& p, text_view of) {
    for (ref n = 0; n < p.names.size(); ++n) {
        const ir::name_symbol& s = p.names[n];
        if (s.kind == ir::name_kind::cotangent && s.numerator == none && p.name(s.of) == of)
            return n;
    }
    return none;
}

/// Whether there is one of it, not one for each layer.
template <class Program>
constexpr bool is_single(const Program& p, ref name, const layer_names& layers) {
    const text_view base = p.name(base_of(p, name));
    bool found = base == layers.from || base == layers.to;
    for (std::int32_t k = 0; k < layers.shared_count; ++k)
        found = found || base == layers.shared[k];
    return found;
}

/// What keeps equations from being layers.
template <class Program>
constexpr ir::mistake mistake_in_layers(const Program& p, const layer_names& layers) {
    const auto input = [&](ref n) {
        if (n == none || p.definition(n) != none) return false;
        bool read = false;
        for (const equation& q : p.equations)
            read = read || (!q.claim && ir::uses_name(p, q.body, n));
        return read;
    };
    const auto rank_of_use = [&](ref name) {
        std::int32_t rank = 0;
        for (const equation& q : p.equations)
            ir::for_each_node(p, q.body, [&](ref n) {
                const ir::node& x = p.nodes[n];
                if (!q.claim && x.kind == op::tensor && x.name == name) rank = x.positions.count;
            });
        return rank;
    };
    const auto fail = [](ir::mistake_kind kind, detail::text_builder& words) {
        return ir::make_mistake(kind, words);
    };
    detail::text_builder s;
    const ref from = p.find(layers.from), to = p.find(layers.to);
    if (from == none || p.definition(from) == none) {
        s << "the equations define no tensor " << layers.from << " for the next layer to take";
        return fail(ir::mistake_kind::unknown_name, s);
    }
    if (!input(to)) {
        s << "the equations take no tensor " << layers.to << " that " << layers.from
          << " of the layer before could be";
        return fail(ir::mistake_kind::unknown_name, s);
    }
    const std::int32_t given = p.equations[p.definition(from)].positions.count;
    if (const std::int32_t taken = rank_of_use(to); taken != given) {
        s << layers.from << " has " << given << (given == 1 ? " index and " : " indices and ")
          << layers.to << " has " << taken << ", so that one layer's " << layers.from
          << " is not the next one's " << layers.to;
        return fail(ir::mistake_kind::rank, s);
    }
    for (std::int32_t k = 0; k < layers.shared_count; ++k) {
        const text_view name = layers.shared[k];
        if (name == layers.to) {
            s << name << " goes from layer to layer, so it is not one that they share";
            return fail(ir::mistake_kind::repeated_name, s);
        }
        if (input(p.find(name))) continue;
        s << "the equations take no tensor " << name << " that layers could share";
        return fail(ir::mistake_kind::unknown_name, s);
    }
    return {};
}

/// The equations `p`, of a layer or derived from one, with the index of the layers at all that
/// there is one of for each layer, from the caller's side.
template <class Program>
constexpr derived with_layer_index(const Program& p, const layer_names& layers) {
    batching pass(p);
    return pass.mark([&](const ir::program& q, ref name) { return !is_single(q, name, layers); },
                     layers.index);
}

/// The same with the index at what goes from layer to layer too: equations that are true of every
/// layer, to be printed. `p`: what with_layer_index() gave.
template <class Program>
constexpr derived as_true_of_each(const Program& p, const layer_names& layers) {
    batching pass(p);
    return pass.mark(
        [&](const ir::program& q, ref name) {
            const text_view base = q.name(base_of(q, name));
            return base == layers.from || base == layers.to;
        },
        layers.index, true);
}

/// What a caller of the layers binds and gets.
template <class Source>
constexpr derived repeat(const Source& layer, const layer_names& layers) {
    derived out;
    out.mistake = mistake_in_layers(layer, layers);
    if (out.mistake) return out;
    out = with_layer_index(layer, layers);
    if (!out.mistake) out.program.names[out.program.find(layers.from)].kept = true;
    return out;
}

/// The derivative of one layer, by `wrt` and what it takes from the layer before, with its value.
template <class Source>
constexpr derived gradient_of_layer(const Source& layer, const layer_names& layers,
                                    const text_view* wrt, std::int32_t count) {
    buffer<text_view> all;
    bool has_to = false;
    for (std::int32_t k = 0; k < count; ++k) {
        all.push(wrt[k]);
        has_to = has_to || wrt[k] == layers.to;
    }
    if (!has_to) all.push(layers.to);
    gradient_request request;
    request.of = layers.from;
    request.wrt = all.data();
    request.wrt_count = all.size();
    request.with_value = true;
    return gradient(layer, request);
}

/// Marks as `shape_only` what is not kept and what nothing computed reads, from the last equation
/// on: what is asked of is kept, and what one of these alone reads is no output either.
constexpr void hide_unasked(ir::program& p) {
    detail::buffer<bool> read;
    read.resize(p.names.size(), false);
    for (std::int32_t e = p.equations.size(); e-- > 0;) {
        const equation& q = p.equations[e];
        ir::name_symbol& s = p.names[q.name];
        if (!q.claim && !s.kept && !read[q.name]) s.shape_only = true;
        if (ir::computes(p, q)) ir::mark_read(p, q.body, read);
    }
}

/// What a caller of the gradient of layers binds and gets.
template <class Source>
constexpr derived repeat_gradient(const Source& layer, const layer_names& layers, text_view of,
                                  const text_view* wrt, std::int32_t count, bool with_value) {
    derived out;
    if (!(of == layers.from)) {
        detail::text_builder s;
        s << "the gradient of layers is that of " << layers.from
          << ", which the last one gives, not of " << of;
        out.mistake = ir::make_mistake(ir::mistake_kind::unknown_name, s);
        return out;
    }
    derived one = gradient_of_layer(layer, layers, wrt, count);
    if (one.mistake) return one;
    out = with_layer_index(one.program, layers);
    if (out.mistake) return out;
    // What the layers take and give among themselves is no output.
    const auto hide = [&](ref n) {
        if (n != none) out.program.names[n].kept = false;
    };
    if (!with_value) hide(out.program.find(layers.from));
    bool has_to = false;
    for (std::int32_t k = 0; k < count; ++k) has_to = has_to || wrt[k] == layers.to;
    if (!has_to) hide(cotangent_in(out.program, layers.to));
    hide_unasked(out.program);
    return out;
}

/// The derivative of one layer along directions, with its value.
template <class Source>
constexpr derived tangent_of_layer(const Source& layer, const layer_names& layers,
                                   const text_view* wrt, std::int32_t count) {
    derived out;
    bool has_to = false;
    for (std::int32_t k = 0; k < count; ++k) has_to = has_to || wrt[k] == layers.to;
    if (!has_to) {
        detail::text_builder s;
        s << "every layer moves what the next one takes; name " << layers.to << " too";
        out.mistake = ir::make_mistake(ir::mistake_kind::missing_name, s);
        return out;
    }
    return tangent(layer, wrt, count, layers.from);
}

/// What a caller of the tangent of layers binds and gets.
template <class Source>
constexpr derived repeat_tangent(const Source& layer, const layer_names& layers,
                                 const text_view* wrt, std::int32_t count) {
    derived one = tangent_of_layer(layer, layers, wrt, count);
    if (one.mistake) return one;  // two returns: g++ 12 destroys what ?: chooses too early
    return with_layer_index(one.program, layers);
}

}  // namespace ricci::derive
