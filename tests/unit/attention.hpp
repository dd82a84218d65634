// A layer of attention as papers write it, for tests of what plans make of it.
#pragma once

#include <string>

namespace ricci::testing {

inline const std::string attention = R"(
Q^{hia} = X^{ib} W_Q^{hba}
K^{hja} = X^{jb} W_K^{hba}
V^{hjc} = X^{jb} W_V^{hbc}
S^{hij} = \frac{1}{\sqrt{d_k}} Q^{hia} K^{hja}
A^{hij} = \operatorname{softmax}_j(S^{hij})
O^{hic} = A^{hij} V^{hjc}
Y^{id} = O^{hic} W_O^{hcd}
)";

}  // namespace ricci::testing
