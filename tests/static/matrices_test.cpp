// Functions of matrices in the compiler: claims that follow, and the gradient of a likelihood as
// the literature has it.
#include <ricci/ricci.hpp>

using namespace ricci::literals;

namespace {

[[maybe_unused]] constexpr auto inverse = R"(
    E^{ik} = K^{ij} (K^{-1})^{jk} = \delta^{ik}
    F^{ik} = (K^{-1})^{ij} K^{jk} = \delta^{ik}
    z^i = (K^{-1})^{ij} K^{jk} x^k = x^i
)"_eq;

[[maybe_unused]] constexpr auto solution = R"(
    x^j = \operatorname{solve}_{ij}(K^{ij}, y^i)
    r^i = K^{ij} x^j = y^i
    \frac{\partial L}{\partial y^i} = \operatorname{solve}_{ji}(K^{ij}, \frac{\partial L}{\partial x^j})
    \frac{\partial L}{\partial K^{ij}} = -\operatorname{solve}_{pj}(K^{pj}, y^p) \operatorname{solve}_{pi}(K^{ip}, \frac{\partial L}{\partial x^p})
)"_eq;

[[maybe_unused]] constexpr auto likelihood = R"(
    l = \operatorname{logdet}_{ij}(K^{ij})
    \frac{\partial l}{\partial K^{ij}} = (K^{-1})^{ji}
)"_eq;

}  // namespace
