// The model as equations: what bytes become, a block, the logits and the loss; and how they are
// prepared with the parameters.
#pragma once

#include <boost/hana/unpack.hpp>
#include <ricci/ricci.hpp>

namespace train {

namespace hana = boost::hana;
using namespace ricci::literals;

// Row x of E for the byte, row i of P for its place.
inline constexpr auto embedding = "X^{bia} = E^{x_{bi} a} + P^{ia}"_eq;

inline constexpr auto block = R"(
    \mu^{bi}  = \operatorname{mean}_a X^{bia}
    s^{bi}    = \operatorname{mean}_a ((X^{bia} - \mu^{bi})^2)
    N^{bia}   = \gamma^a \frac{X^{bia} - \mu^{bi}}{\sqrt{s^{bi} + 10^{-5}}} + \beta^a
    Q^{bhid}  = N^{bia} W_Q^{had}
    K^{bhjd}  = N^{bja} W_K^{had}
    V^{bhjd}  = N^{bja} W_V^{had}
    S^{bhij}  = \begin{cases} \frac{1}{\sqrt{d_k}} Q^{bhid} K^{bhjd} & \text{if } j \le i \\
                              -\infty & \text{otherwise} \end{cases}
    A^{bhij}  = \operatorname{softmax}_j(S^{bhij})
    Z^{bia}   = X^{bia} + A^{bhij} V^{bhjd} W_O^{hda}
    \mu'^{bi} = \operatorname{mean}_a Z^{bia}
    s'^{bi}   = \operatorname{mean}_a ((Z^{bia} - \mu'^{bi})^2)
    N'^{bia}  = \gamma'^a \frac{Z^{bia} - \mu'^{bi}}{\sqrt{s'^{bi} + 10^{-5}}} + \beta'^a
    H^{bif}   = N'^{bia} U^{af} + u^f
    G^{bif} = \frac{1}{2} H^{bif} (1 + \tanh(\sqrt{\frac{2}{\pi}} (H^{bif} + 0.044715 (H^{bif})^3)))
    Y^{bia}   = Z^{bia} + G^{bif} W^{fa} + w^a
)"_eq;

// The logits Z of the byte that comes next, and the mean cross entropy with the bytes that came.
#define LOGITS                                                                               \
    "\\mu^{bi} = \\operatorname{mean}_a X^{bia}\n"                                           \
    "s^{bi} = \\operatorname{mean}_a ((X^{bia} - \\mu^{bi})^2)\n"                            \
    "N^{bia} = \\gamma^a \\frac{X^{bia} - \\mu^{bi}}{\\sqrt{s^{bi} + 10^{-5}}} + \\beta^a\n" \
    "Z^{biv} = N^{bia} U^{av}\n"
inline constexpr auto logits = LOGITS ""_eq;
inline constexpr auto loss = LOGITS
    "L = \\operatorname{mean}_{b,i} (\\operatorname{logsumexp}_v(Z^{biv}) - Z^{bi y_{bi}})"_eq;
#undef LOGITS

/// Prepares a program with the parameters' values bound to their names.
template <class Program, class Map, class... More>
auto forward(Program program, Map& parameters, const More&... more) {
    return hana::unpack(parameters, [&](auto&... p) {
        return ricci::prepare(program, (hana::first(p) = hana::second(p).value)..., more...);
    });
}
/// The same with their gradients bound as outputs.
template <class Program, class Map, class... More>
auto backward(Program program, Map& parameters, const More&... more) {
    return hana::unpack(parameters, [&](auto&... p) {
        return ricci::prepare(program, (hana::first(p) = hana::second(p).value)...,
                              (ricci::cotangent(hana::first(p)) = hana::second(p).gradient)...,
                              more...);
    });
}

}  // namespace train
