// The layers of GPT-2 as equations: of a whole prompt, and of one more token; what is before them
// and behind them.
#pragma once

#include <ricci/ricci.hpp>

namespace gpt {

using namespace ricci::literals;

// Columns of W_A are the queries, keys and values (o = 0, 1, 2) of each head.
inline constexpr auto layer_of_many = R"(
    \mu^{i}   = \operatorname{mean}_a X^{ia}
    s^{i}     = \operatorname{mean}_a ((X^{ia} - \mu^{i})^2)
    N^{ia}    = \gamma^a \frac{X^{ia} - \mu^{i}}{\sqrt{s^{i} + 10^{-5}}} + \beta^a
    F^{oihd}  = N^{ia} W_A^{a(ohd)} + w_A^{(ohd)}
    K^{jhd}   = F^{1jhd}
    V^{jhd}   = F^{2jhd}
    S^{hij}   = \begin{cases} \frac{1}{\sqrt{d_k}} F^{0ihd} F^{1jhd} & \text{if } j \le i \\
                              -\infty & \text{otherwise} \end{cases}
    A^{hij}   = \operatorname{softmax}_j(S^{hij})
    O^{ihd}   = A^{hij} F^{2jhd}
    Z^{ia}    = X^{ia} + O^{ihd} W_O^{(hd)a} + w_O^a
    \mu'^{i}  = \operatorname{mean}_a Z^{ia}
    s'^{i}    = \operatorname{mean}_a ((Z^{ia} - \mu'^{i})^2)
    N'^{ia}   = \gamma'^a \frac{Z^{ia} - \mu'^{i}}{\sqrt{s'^{i} + 10^{-5}}} + \beta'^a
    H^{if}    = N'^{ia} U^{af} + u^f
    G^{if}    = \frac{1}{2} H^{if} (1 + \tanh(\sqrt{\frac{2}{\pi}} (H^{if} + 0.044715 (H^{if})^3)))
    Y^{ia}    = Z^{ia} + G^{if} W^{fa} + w^a
)"_eq;

// The same for the token behind those whose keys and values are in the cache: k and v.
inline constexpr auto layer_of_one = R"(
    \mu      = \operatorname{mean}_a X^{a}
    s        = \operatorname{mean}_a ((X^{a} - \mu)^2)
    N^{a}    = \gamma^a \frac{X^{a} - \mu}{\sqrt{s + 10^{-5}}} + \beta^a
    F^{ohd}  = N^{a} W_A^{a(ohd)} + w_A^{(ohd)}
    K^{hd}   = F^{1hd}
    V^{hd}   = F^{2hd}
    S^{hj}   = \frac{1}{\sqrt{d_k}} F^{0hd} k^{jhd}
    t^{h}    = \frac{1}{\sqrt{d_k}} F^{0hd} F^{1hd}
    m^{h}    = \max(\max_j S^{hj}, t^h)
    E^{hj}   = \exp(S^{hj} - m^h)
    r^{h}    = \exp(t^h - m^h)
    O^{hd}   = \frac{E^{hj} v^{jhd} + r^h F^{2hd}}{\sum_j E^{hj} + r^h}
    Z^{a}    = X^{a} + O^{hd} W_O^{(hd)a} + w_O^a
    \mu'     = \operatorname{mean}_a Z^{a}
    s'       = \operatorname{mean}_a ((Z^{a} - \mu')^2)
    N'^{a}   = \gamma'^a \frac{Z^{a} - \mu'}{\sqrt{s' + 10^{-5}}} + \beta'^a
    H^{f}    = N'^{a} U^{af} + u^f
    G^{f}    = \frac{1}{2} H^{f} (1 + \tanh(\sqrt{\frac{2}{\pi}} (H^{f} + 0.044715 (H^{f})^3)))
    Y^{a}    = Z^{a} + G^{f} W^{fa} + w^a
)"_eq;

inline constexpr auto embedding = "X^{ia} = E^{x_i a} + P^{ia}"_eq;

// What comes next: a logit for every token.
inline constexpr auto logits = R"(
    \mu   = \operatorname{mean}_a X^{a}
    s     = \operatorname{mean}_a ((X^{a} - \mu)^2)
    N^{a} = \gamma^a \frac{X^{a} - \mu}{\sqrt{s + 10^{-5}}} + \beta^a
    Z^{v} = N^{a} E^{va}
)"_eq;

}  // namespace gpt
