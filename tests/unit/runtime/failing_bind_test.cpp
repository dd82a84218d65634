// Every allocation of bind made to fail, one after another: everything stays as it was, and what
// is prepared goes on with the memory that it had.
#include "tests/catch.hpp"

#include <cstddef>
#include <cstring>
#include <functional>
#include <memory>
#include <new>
#include <string>
#include <vector>

#include <ricci/network.hpp>
#include <ricci/program.hpp>
#include <ricci/repeat.hpp>
#include <ricci/ricci.hpp>

#include "tests/sanitized.hpp"
#include "tests/unit/runtime/failing_allocations.hpp"

#if defined(__GLIBC__) && !defined(RICCI_TEST_SANITIZED)

namespace {

using namespace ricci::literals;
using ricci::array;
using ricci::element;
using ricci::testing::allocations;
using ricci::testing::fails_at;

array filled(std::vector<std::size_t> extents, double first) {
    array a(element::f64, extents);
    for (std::size_t k = 0; k < a.size(); ++k)
        static_cast<double*>(a.data())[k] = first + static_cast<double>(k % 7);
    return a;
}
std::vector<double> numbers_in(const array& a) {
    const array row = a.clone();
    const auto* const data = static_cast<const double*>(row.data());
    return {data, data + row.size()};
}

/// Something prepared: what binds other operands, which are gone when that has failed, and what
/// runs and gives the results.
struct prepared_case {
    std::function<void()> bind;
    std::function<std::vector<double>()> run;
};

// `make` prepares anew; `expected`: what a bind that succeeds leads to.
void check(const std::function<prepared_case()>& make) {
    std::vector<double> after_bind;
    {
        prepared_case c = make();
        c.bind();
        after_bind = c.run();
    }
    long number = 0;
    for (;; ++number) {
        prepared_case c = make();
        const std::vector<double> before = c.run();
        REQUIRE(before != after_bind);
        bool failed = false;
        allocations = 0;
        fails_at = number;
        try {
            c.bind();
        } catch (const std::bad_alloc&) {
            failed = true;
        }
        fails_at = -1;
        const bool more = allocations > number;
        CAPTURE(number, failed);
        const std::vector<double> now = c.run();
        CHECK((failed ? now == before : now == after_bind));
        if (!more || number > 20000) break;
    }
    CHECK(number > 0);
    CHECK(number < 20000);
}

void check_program(const ricci::program& p, std::size_t other_size) {
    check([&]() -> prepared_case {
        auto x = std::make_shared<array>(filled({3}, 1)),
             w = std::make_shared<array>(filled({3}, 10));
        auto step = std::make_shared<ricci::runner>(ricci::prepare(p, {{"x", *x}, {"w", *w}}));
        return {[step, other_size] {
                    const array x2 = filled({other_size}, 1000), w2 = filled({other_size}, 5000);
                    const std::vector<ricci::named> other{{"x", x2}, {"w", w2}};
                    step->bind(other);
                },
                [step, x, w] {
                    (*step)();
                    return numbers_in((*step)["Y"]);
                }};
    });
}

}  // namespace

TEST_CASE("binds of programs that run out of memory change nothing", "[failing]") {
    for (const char* const text : {"Y^{i} = x^i w^i", "Y^{i} = \\operatorname{softmax}_i(x^i) w^i",
                                   "Y^{ij} = x^i w^j", "Y^{i} = [x^i < 1003] \\log(x^i + w^i)"})
        for (const std::size_t size : {std::size_t{3}, std::size_t{5}}) {
            CAPTURE(text, size);
            check_program(ricci::parse(text).value(), size);
        }
}

TEST_CASE("binds of outputs that run out of memory change nothing", "[failing]") {
    check([&]() -> prepared_case {
        auto x = std::make_shared<array>(filled({4}, 1)),
             y = std::make_shared<array>(filled({4}, 0));
        auto other = std::make_shared<array>(filled({4}, 7));
        auto step = std::make_shared<ricci::runner>(
            ricci::prepare(ricci::parse("Y^i = 2 x^i").value(), {{"x", *x}, {"Y", *y}}));
        return {[=] { step->bind("Y", *other); },
                [=] {
                    std::memset(y->data(), 0, 32);
                    std::memset(other->data(), 0, 32);
                    (*step)();
                    auto both = numbers_in(*y);
                    for (const double v : numbers_in(*other)) both.push_back(v);
                    return both;
                }};
    });
}

TEST_CASE("binds known at compile time that run out of memory change nothing", "[failing]") {
    constexpr auto e = R"(Y^{i} = \exp(x^i) w^i)"_eq;
    for (const std::size_t size : {std::size_t{3}, std::size_t{5}})
        check([&]() -> prepared_case {
            auto x = std::make_shared<ricci::tensor<double, 1>>(std::array<std::size_t, 1>{3});
            auto w = std::make_shared<ricci::tensor<double, 1>>(std::array<std::size_t, 1>{3});
            auto x2 = std::make_shared<ricci::tensor<double, 1>>(std::array<std::size_t, 1>{size});
            auto w2 = std::make_shared<ricci::tensor<double, 1>>(std::array<std::size_t, 1>{size});
            x->fill(1), w->fill(2), x2->fill(3), w2->fill(4);
            using prepared = decltype(ricci::prepare(e, "x"_t = *x, "w"_t = *w));
            auto step = std::make_shared<prepared>(ricci::prepare(e, "x"_t = *x, "w"_t = *w));
            return {[=] { step->bind("x"_t = *x2, "w"_t = *w2); },
                    [step, x, w, x2, w2] {
                        (*step)();
                        const auto y = (*step)["Y"_t];
                        return std::vector<double>(y.data(), y.data() + y.size());
                    }};
        });
}

TEST_CASE("binds of layers that run out of memory change nothing", "[failing]") {
    const auto layer = ricci::parse(R"(Y^{i} = \tanh(W^{ij} X^{j}))").value();
    const auto all = ricci::repeat(layer, 3, {.from = "Y", .to = "X", .index = "l"});
    const auto slopes = ricci::gradient(all, "Y", {"W"});
    check([&]() -> prepared_case {
        auto x = std::make_shared<array>(filled({2}, 0.1)),
             w = std::make_shared<array>(filled({3, 2, 2}, 0.2)),
             d = std::make_shared<array>(filled({2}, 1));
        auto step = std::make_shared<ricci::runner>(
            ricci::prepare(slopes, {{"X", *x}, {"W", *w}, {"dL/dY", *d}}));
        return {[step] {
                    step->bind("W", filled({3, 2, 2}, -3));
                },
                [=] {
                    (*step)();
                    return numbers_in((*step)["dL/dW"]);
                }};
    });
}

TEST_CASE("binds of networks that run out of memory change nothing", "[failing]") {
    for (const bool scaled : {false, true})
        for (const double size : {1.0, 1e200})
            check([&]() -> prepared_case {
                auto n = std::make_shared<ricci::network>();
                n->add(filled({3, 4}, 1), {0, 1});
                n->add(filled({4, 3}, 2), {1, 2});
                n->keep({0, 2});
                auto step = std::make_shared<ricci::prepared_network>(
                    ricci::prepare(*n, ricci::find_order(*n, {.trials = 1}), {.scaled = scaled}));
                return {[=] {
                            array other = filled({4, 3}, 20);
                            for (int k = 0; k < 12; ++k)
                                static_cast<double*>(other.data())[k] *= size;
                            step->bind(1, other);
                        },
                        [=] {
                            (*step)();
                            auto all = numbers_in(step->result());
                            all.push_back(step->exponent10());
                            return all;
                        }};
            });
}

#else
TEST_CASE("allocations of binds cannot be made to fail here", "[failing]") { SUCCEED(); }
#endif
