// Medians of times, the bandwidth of memory and the rate of a product.
#include "examples/gpt/times.hpp"

#include <algorithm>
#include <cstddef>
#include <ctime>

#include <ricci/ricci.hpp>

namespace gpt {

using namespace ricci::literals;

double now() {
    std::timespec t{};
    std::timespec_get(&t, TIME_UTC);
    return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

double median(std::vector<double> times) {
    std::sort(times.begin(), times.end());
    return times[times.size() / 2];
}

double time_of_reading(const weights& m) {
    constexpr auto sum = R"(s = \sum_k w^k)"_eq;
    std::vector<double> times;
    for (int run = 0; run < 5; ++run) {
        double all = 0;
        const auto read = [&](const auto& t) {
            const ricci::tensor_view<const float, 1> line(t.data(), {t.size()});
            all += seconds([&] { sum("w"_t = line); });
        };
        m.each_of_layers(read);
        read(m.of_logits());
        times.push_back(all);
    }
    return *std::min_element(times.begin(), times.end());
}

double rate_of_products() {
    constexpr std::size_t n = 1024;
    ricci::tensor<float, 2> a({n, n}), b({n, n}), c({n, n});
    for (float& x : a) x = 1;
    for (float& x : b) x = 1;
    double best = 1e9;
    for (int run = 0; run < 5; ++run)
        best = std::min(best, seconds([&] { ricci::einsum_into<"ij,jk->ik">(c, a, b); }));
    return 2 * static_cast<double>(n * n * n) / best;
}

}  // namespace gpt
