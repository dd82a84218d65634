// Large texts within the limits that compilers set by default: eight residual layers with all their
// gradients claimed, and sixty equations.
#include <ricci/ricci.hpp>

using namespace ricci::literals;

namespace {

[[maybe_unused]] constexpr auto layers = R"(
    A^{ia} = X^{ia} + \operatorname{relu}(X^{ib} W_A^{ba})
    B^{ia} = A^{ia} + \operatorname{relu}(A^{ib} W_B^{ba})
    C^{ia} = B^{ia} + \operatorname{relu}(B^{ib} W_C^{ba})
    D^{ia} = C^{ia} + \operatorname{relu}(C^{ib} W_D^{ba})
    E^{ia} = D^{ia} + \operatorname{relu}(D^{ib} W_E^{ba})
    F^{ia} = E^{ia} + \operatorname{relu}(E^{ib} W_F^{ba})
    G^{ia} = F^{ia} + \operatorname{relu}(F^{ib} W_G^{ba})
    H^{ia} = G^{ia} + \operatorname{relu}(G^{ib} W_H^{ba})
    \frac{\partial L}{\partial G^{ia}} = \frac{\partial L}{\partial H^{ia}} + \frac{\partial L}{\partial H^{ib}} [0 < G^{ic} W_H^{cb}] W_H^{ab}
    \frac{\partial L}{\partial F^{ia}} = \frac{\partial L}{\partial G^{ia}} + \frac{\partial L}{\partial G^{ib}} [0 < F^{ic} W_G^{cb}] W_G^{ab}
    \frac{\partial L}{\partial E^{ia}} = \frac{\partial L}{\partial F^{ia}} + \frac{\partial L}{\partial F^{ib}} [0 < E^{ic} W_F^{cb}] W_F^{ab}
    \frac{\partial L}{\partial D^{ia}} = \frac{\partial L}{\partial E^{ia}} + \frac{\partial L}{\partial E^{ib}} [0 < D^{ic} W_E^{cb}] W_E^{ab}
    \frac{\partial L}{\partial C^{ia}} = \frac{\partial L}{\partial D^{ia}} + \frac{\partial L}{\partial D^{ib}} [0 < C^{ic} W_D^{cb}] W_D^{ab}
    \frac{\partial L}{\partial B^{ia}} = \frac{\partial L}{\partial C^{ia}} + \frac{\partial L}{\partial C^{ib}} [0 < B^{ic} W_C^{cb}] W_C^{ab}
    \frac{\partial L}{\partial A^{ia}} = \frac{\partial L}{\partial B^{ia}} + \frac{\partial L}{\partial B^{ib}} [0 < A^{ic} W_B^{cb}] W_B^{ab}
    \frac{\partial L}{\partial X^{ia}} = \frac{\partial L}{\partial A^{ia}} + \frac{\partial L}{\partial A^{ib}} [0 < X^{ic} W_A^{cb}] W_A^{ab}
)"_eq;
// and claims about the top one that are false, or beyond the normal form, end in a sentence
static_assert(!layers.states(R"(H^{ia} = G^{ia} + \operatorname{relu}(G^{ib} W_H^{ab}))"));
static_assert(
    !layers.states(R"(H^{ia} = G^{ia} + \frac{1}{2} (G^{ib} W_H^{ba} + |G^{ib} W_H^{ba}|))"));

[[maybe_unused]] constexpr auto sixty = R"(
    A^{ia} = X^{ib} W_{Q}^{ba}
    B^{ia} = A^{ia} + \tanh(A^{ia})
    C^{ia} = \operatorname{softmax}_a(B^{ia})
    D^{ia} = \frac{C^{ia}}{\sqrt{d_k}}
    E^{ia} = D^{ib} W_{K}^{ba}
    F^{ia} = E^{ia} + \tanh(E^{ia})
    G^{ia} = \operatorname{softmax}_a(F^{ia})
    H^{ia} = \frac{G^{ia}}{\sqrt{d_k}}
    I^{ia} = H^{ib} W_{V}^{ba}
    J^{ia} = I^{ia} + \tanh(I^{ia})
    K^{ia} = \operatorname{softmax}_a(J^{ia})
    L^{ia} = \frac{K^{ia}}{\sqrt{d_k}}
    M^{ia} = L^{ib} W_{O}^{ba}
    N^{ia} = M^{ia} + \tanh(M^{ia})
    O^{ia} = \operatorname{softmax}_a(N^{ia})
    P^{ia} = \frac{O^{ia}}{\sqrt{d_k}}
    Q^{ia} = P^{ib} W_{Q}^{ba}
    R^{ia} = Q^{ia} + \tanh(Q^{ia})
    S^{ia} = \operatorname{softmax}_a(R^{ia})
    T^{ia} = \frac{S^{ia}}{\sqrt{d_k}}
    U^{ia} = T^{ib} W_{K}^{ba}
    V^{ia} = U^{ia} + \tanh(U^{ia})
    Y^{ia} = \operatorname{softmax}_a(V^{ia})
    Z^{ia} = \frac{Y^{ia}}{\sqrt{d_k}}
    \Gamma^{ia} = Z^{ib} W_{V}^{ba}
    \Theta^{ia} = \Gamma^{ia} + \tanh(\Gamma^{ia})
    \Lambda^{ia} = \operatorname{softmax}_a(\Theta^{ia})
    \Xi^{ia} = \frac{\Lambda^{ia}}{\sqrt{d_k}}
    \Pi^{ia} = \Xi^{ib} W_{O}^{ba}
    \Sigma^{ia} = \Pi^{ia} + \tanh(\Pi^{ia})
    \Phi^{ia} = \operatorname{softmax}_a(\Sigma^{ia})
    \Psi^{ia} = \frac{\Phi^{ia}}{\sqrt{d_k}}
    \Omega^{ia} = \Psi^{ib} W_{Q}^{ba}
    \Delta^{ia} = \Omega^{ia} + \tanh(\Omega^{ia})
    A'^{ia} = \operatorname{softmax}_a(\Delta^{ia})
    B'^{ia} = \frac{A'^{ia}}{\sqrt{d_k}}
    C'^{ia} = B'^{ib} W_{K}^{ba}
    D'^{ia} = C'^{ia} + \tanh(C'^{ia})
    E'^{ia} = \operatorname{softmax}_a(D'^{ia})
    F'^{ia} = \frac{E'^{ia}}{\sqrt{d_k}}
    G'^{ia} = F'^{ib} W_{V}^{ba}
    H'^{ia} = G'^{ia} + \tanh(G'^{ia})
    I'^{ia} = \operatorname{softmax}_a(H'^{ia})
    J'^{ia} = \frac{I'^{ia}}{\sqrt{d_k}}
    K'^{ia} = J'^{ib} W_{O}^{ba}
    L'^{ia} = K'^{ia} + \tanh(K'^{ia})
    M'^{ia} = \operatorname{softmax}_a(L'^{ia})
    N'^{ia} = \frac{M'^{ia}}{\sqrt{d_k}}
    O'^{ia} = N'^{ib} W_{Q}^{ba}
    P'^{ia} = O'^{ia} + \tanh(O'^{ia})
    Q'^{ia} = \operatorname{softmax}_a(P'^{ia})
    R'^{ia} = \frac{Q'^{ia}}{\sqrt{d_k}}
    S'^{ia} = R'^{ib} W_{K}^{ba}
    T'^{ia} = S'^{ia} + \tanh(S'^{ia})
    U'^{ia} = \operatorname{softmax}_a(T'^{ia})
    V'^{ia} = \frac{U'^{ia}}{\sqrt{d_k}}
    Y'^{ia} = V'^{ib} W_{V}^{ba}
    Z'^{ia} = Y'^{ia} + \tanh(Y'^{ia})
    \Gamma'^{ia} = \operatorname{softmax}_a(Z'^{ia})
    \Theta'^{ia} = \frac{\Gamma'^{ia}}{\sqrt{d_k}}
)"_eq;

}  // namespace
