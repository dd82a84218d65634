// Groups of so few rows or columns that their planes are stored: what they are made of is larger.
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <catch2/catch.hpp>

#include <ricci/program.hpp>
#include <ricci/ricci.hpp>

namespace {

/// Plans as users get them: the tests ask for groups of few rows, too.
class with_prices {
public:
    with_prices() {
        const char* const now = std::getenv("RICCI_FUSE_ALL");
        before_ = now == nullptr ? "" : now;
        setenv("RICCI_FUSE_ALL", "0", 1);
    }
    ~with_prices() { setenv("RICCI_FUSE_ALL", before_.c_str(), 1); }
    with_prices(const with_prices&) = delete;
    with_prices& operator=(const with_prices&) = delete;

private:
    std::string before_;
};

struct pairs {
    ricci::program what;
    std::vector<std::pair<std::string, std::string>> operands;  // letters of their extents

    std::vector<ricci::named> shapes(std::size_t rows, std::size_t columns) const {
        std::vector<ricci::named> all;
        for (const auto& [name, letters] : operands) {
            std::vector<std::size_t> extents;
            for (const char x : letters)
                extents.push_back(x == 'i' ? rows : x == 'j' ? columns : x == 'a' ? 64 : 3);
            all.push_back(
                {name, ricci::shape(ricci::element::f32, std::span<const std::size_t>(extents))});
        }
        return all;
    }
    bool is_fused(std::size_t rows, std::size_t columns) const {
        const auto words = ricci::explain(what, shapes(rows, columns));
        return words.find("  fused  ") != std::string::npos;
    }
};

pairs attention(bool gradients) {
    auto p = ricci::parse(
                 "A^{ij} = \\operatorname{softmax}_j(\\frac{1}{8} Q^{ia} K^{ja})\n"
                 " O^{ia} = A^{ij} V^{ja}")
                 .value();
    pairs all{p, {{"Q", "ia"}, {"K", "ja"}, {"V", "ja"}}};
    if (!gradients) return all;
    all.what = ricci::value_and_gradient(p, "O", {"Q", "K", "V"});
    all.operands.push_back({"dL/dO", "ia"});
    return all;
}

pairs kernel_gradients() {
    const auto p =
        ricci::parse("f^i = \\sum_j \\exp(-\\frac{1}{2} \\sum_b (x^{ib} - z^{jb})^2) v^j").value();
    return {ricci::value_and_gradient(p, "f", {"x", "z", "v"}),
            {{"x", "ib"}, {"z", "jb"}, {"v", "j"}, {"dL/df", "i"}}};
}

}  // namespace

TEST_CASE("planes of few rows or columns are stored where their tiles would take longer") {
    const with_prices users;
    const auto forward = attention(false), both = attention(true), kernel = kernel_gradients();
    for (const std::size_t columns : {1u, 16u, 1024u, 8192u})
        CHECK_FALSE(forward.is_fused(1, columns));
    for (const std::size_t rows : {50u, 256u, 1024u}) {
        CHECK_FALSE(forward.is_fused(rows, 4));
        CHECK_FALSE(both.is_fused(rows, 4));
        CHECK_FALSE(both.is_fused(rows, 16));
        CHECK_FALSE(both.is_fused(4, rows));
        CHECK_FALSE(kernel.is_fused(4, rows));
    }
    // The other way around as well.
    CHECK_FALSE(kernel.is_fused(4, 50));
}

TEST_CASE("planes of many rows and columns are not stored, however wide what makes them is") {
    const with_prices users;
    const auto forward = attention(false), both = attention(true), kernel = kernel_gradients();
    for (const std::size_t n : {256u, 1024u, 8192u}) {
        CHECK(forward.is_fused(n, n));
        CHECK(both.is_fused(n, n));
        CHECK(kernel.is_fused(n, n));
    }
    // Few rows that fill no lanes alone are read where they lie.
    CHECK(forward.is_fused(4, 1024));
    CHECK(forward.is_fused(4, 4));
    CHECK(forward.is_fused(1024, 50));
    // Beside wide products what tiles move is little: the plane would be large.
    const auto wide = ricci::parse(
                          "Z^{ij} = X^{ik} U^{jk}\n"
                          "L = \\operatorname{mean}_i(\\operatorname{logsumexp}_j(Z^{ij}))")
                          .value();
    const auto words = ricci::explain(ricci::value_and_gradient(wide, "L", {"X", "U"}),
                                      {{"X", ricci::shape(ricci::element::f32, {65536, 512})},
                                       {"U", ricci::shape(ricci::element::f32, {400, 512})},
                                       {"dL/dL", 1}});
    INFO(words);
    CHECK(words.find("  fused  ") != std::string::npos);
}

TEST_CASE("what is stored as that is quicker has the same values") {
    const auto forward = attention(false), both = attention(true);
    for (const auto* p : {&forward, &both})
        for (const auto& [rows, columns] : std::vector<std::pair<int, int>>{{1, 33}, {21, 5}}) {
            std::vector<ricci::named> operands;
            unsigned state = 1;
            for (const auto& [name, letters] : p->operands) {
                const auto n = static_cast<std::size_t>(letters[0] == 'i' ? rows : columns);
                ricci::array a(ricci::element::f64, {n, 64});
                for (std::size_t k = 0; k < a.size(); ++k) {
                    state = state * 1664525u + 1013904223u;
                    static_cast<double*>(a.data())[k] =
                        static_cast<double>(state >> 8) * 0x1p-23 - 1;
                }
                operands.push_back({name, std::move(a)});
            }
            // Another thread, as this one would remember the plan.
            ricci::arrays all;
            std::thread([&] { all = ricci::run(p->what, operands); }).join();
            const with_prices users;
            CHECK(ricci::explain(p->what, operands).find("  fused  ") == std::string::npos);
            auto step = ricci::prepare(p->what, operands);
            step();
            for (const auto& [name, want] : all) {
                const ricci::array got = step[name];
                REQUIRE(got.size() == want.size());
                for (std::size_t k = 0; k < got.size(); ++k)
                    CHECK(std::abs(static_cast<const double*>(std::as_const(got).data())[k] -
                                   static_cast<const double*>(want.data())[k]) < 1e-12);
            }
        }
}
