// A program outside the project: built against what is installed, through the public face alone.
#include <cstdio>

#include <ricci/ricci.hpp>

int main() {
    using namespace ricci::literals;

    ricci::tensor<double, 2> A({2, 3});
    ricci::tensor<double, 2> B({3, 2});
    for (std::size_t i = 0; i < 2; ++i)
        for (std::size_t j = 0; j < 3; ++j) {
            A(i, j) = static_cast<double>(i * 3 + j + 1);  // 1 2 3 / 4 5 6
            B(j, i) = static_cast<double>(j * 2 + i + 7);  // 7 8 / 9 10 / 11 12
        }

    const auto C = ricci::einsum<"ij,jk->ik">(A, B);

    constexpr auto product = R"(Y^{ik} = A^{ij} B^{jk})"_eq;
    auto results = product("A"_t = A, "B"_t = B);
    const auto& Y = results["Y"_t];

    double difference = 0;
    for (std::size_t i = 0; i < 2; ++i)
        for (std::size_t k = 0; k < 2; ++k) difference += C(i, k) > Y(i, k) || C(i, k) < Y(i, k);

    // 58 64 / 139 154
    std::printf("%g %g\n", C(0, 0) + C(0, 1) + C(1, 0) + C(1, 1), difference);
}
