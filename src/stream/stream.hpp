// A streamed group, prepared once and run many times: plan::stream.
#pragma once

#include <memory>
#include <string>

#include <ricci/plan/steps.hpp>

namespace ricci::stream {

class sweep;

/// Which kernels a stream is run with: this CPU's, or the plain loops they are compared with.
enum class kernel_choice { best, scalar };

class prepared_stream {
public:
    /// Copies what it needs; the spans of `what` need not outlive the call.
    explicit prepared_stream(const plan::stream& what, kernel_choice kernels = kernel_choice::best);
    prepared_stream(prepared_stream&&) noexcept;
    prepared_stream& operator=(prepared_stream&&) noexcept;
    ~prepared_stream();

    /// bases[k] is the base pointer of operand k; numbers: one for each product, then one for each
    /// sink. Does not allocate. The result does not depend on the number of threads.
    void run(void* const* bases, const double* numbers) const;

    /// "tiles of 48 x 128, ..."
    std::string words() const;

private:
    std::unique_ptr<const sweep> sweep_;
};

}  // namespace ricci::stream
