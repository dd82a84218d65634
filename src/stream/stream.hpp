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

/// Two streams and the sums between them, carried out together.
class prepared_chain {
public:
    /// Copies what it needs.
    explicit prepared_chain(const plan::stream_chain& what,
                            kernel_choice kernels = kernel_choice::best);
    prepared_chain(prepared_chain&&) noexcept;
    prepared_chain& operator=(prepared_chain&&) noexcept;
    ~prepared_chain();

    /// False: its parts are to be run one after another.
    bool is_suitable() const { return sweep_ != nullptr; }

    /// As of a stream: bases of the operands of the first stream, of the sums, and of the second stream;
    /// numbers of the first stream and of the second.
    void run(void* const* bases, const double* numbers) const;
    std::string words() const;

private:
    std::unique_ptr<const sweep> sweep_;
};

}  // namespace ricci::stream
