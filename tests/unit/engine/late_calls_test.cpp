// Calls from destructors: of a thread's own objects and of globals, when what was remembered has
// been given back already. It has a main function of its own: what is tested is what comes after
// that of Catch2.
#include <cstdio>
#include <cstdlib>
#include <thread>

#include <ricci/ricci.hpp>

namespace {

using namespace ricci::literals;

constexpr auto attention = R"(
    S^{ij} = Q^{ia} K^{ja}
    A^{ij} = \operatorname{softmax}_j(S^{ij})
    O^{ic} = A^{ij} V^{jc}
)"_eq;

template <class T>
bool computes(std::size_t n) {
    ricci::tensor<T, 2> a({n, n}), b({n, n});
    for (std::size_t k = 0; k < n; ++k) a(k, k) = T(2), b(k, k) = T(3);
    const auto c = ricci::einsum<"ij,jk->ik">(a, b);
    return c(0, 0) == T(6) && c(n - 1, n - 1) == T(6) && c(0, n - 1) == T(0);
}

bool all_compute() {
    ricci::tensor<float, 2> q({70, 16}), v({70, 16});
    for (std::size_t k = 0; k < v.size(); ++k) v.data()[k] = 1;
    const auto r = attention("Q"_t = q, "K"_t = q, "V"_t = v);
    const float mean = r["O"_t](3, 4);
    return mean > 0.999F && mean < 1.001F && computes<float>(3) && computes<double>(200) &&
           computes<ricci::bf16>(40) && computes<ricci::f16>(40) && computes<std::int32_t>(7);
}

struct calls_at_end {
    const char* who;
    ~calls_at_end() {
        // Twice: the second call would find what the first one remembered.
        if (all_compute() && all_compute()) return;
        std::fprintf(stderr, "a call from the destructor of %s is wrong\n", who);
        std::_Exit(1);
    }
};

calls_at_end before_all{"a global"};
thread_local calls_at_end of_thread{"a thread's object"};

}  // namespace

int main() {
    static calls_at_end local{"a static object"};
    // Made before the first call, and gone after what that one remembered.
    if (of_thread.who == before_all.who || !all_compute()) return 1;
    std::thread([] {
        if (of_thread.who == before_all.who || !all_compute()) std::_Exit(1);
    }).join();
    ricci::threads(2);
    return local.who != nullptr && all_compute() ? 0 : 1;
}
