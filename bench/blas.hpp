// A contraction by way of OpenBLAS: operands that are no matrices of its kind are copied to some
// first, and the result is copied back where it is none.
#pragma once

#include <complex>
#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

#include "bench/cases.hpp"

namespace ricci::bench {

/// Whether this was built with OpenBLAS.
bool has_blas();
/// The processor it has chosen its kernels for.
const char* blas_core();
void set_blas_threads(int threads);

/// The types that it has products of.
template <class T>
inline constexpr bool blas_has =
    std::is_same_v<T, float> || std::is_same_v<T, double> ||
    std::is_same_v<T, std::complex<float>> || std::is_same_v<T, std::complex<double>>;

template <class T>
class blas_case {
public:
    explicit blas_case(const sized_case& which);

    /// Products of two operands in which no label is summed alone or written twice.
    bool possible() const { return possible_; }
    /// Whether something is copied besides the product.
    bool copies() const { return a_.copied || b_.copied || c_.copied; }

    /// Row-major operands of the case's shapes.
    void run(const T* a, const T* b, T* c);

private:
    struct loop {
        std::int64_t extent = 1, from = 0, to = 0;
    };
    /// batch matrices of rows x columns; one of the two strides is 1.
    struct matrix {
        std::int64_t row = 0, column = 1;
        std::int64_t row_step = 0, column_step = 1;  // the same, for a vector
        std::vector<std::int64_t> batch;             // offset of each
        bool copied = false;
        std::vector<loop> copy;  // from the tensor to a row-major matrix
        std::vector<T> memory;
    };
    matrix lay_out(const sized_case& which, std::size_t operand, const std::string& batch,
                   const std::string& rows, const std::string& columns, bool output) const;
    static void move(std::vector<loop> loops, const T* from, T* to);
    void multiply(const T* a, const T* b, T* c) const;
    void multiply_vector(const T* a, const T* b, T* c) const;

    bool possible_ = false;
    std::int64_t m_ = 1, n_ = 1, k_ = 1;
    matrix a_, b_, c_;
};

extern template class blas_case<float>;
extern template class blas_case<double>;
extern template class blas_case<std::complex<float>>;
extern template class blas_case<std::complex<double>>;

}  // namespace ricci::bench
