// The benchmark's contractions, cut down, against loops over every label.
#include <string>
#include <vector>

#include "bench/bound_case.hpp"
#include "bench/cases.hpp"
#include "tests/catch.hpp"
#include "tests/unit/einsum_oracle.hpp"

namespace {

using namespace ricci::bench;

template <class T>
void check(const sized_case& which) {
    bound_case<T> bound(which);
    bound.run();
    std::vector<ricci::testing::dense> operands;
    for (std::size_t k = 0; k < which.labels.size(); ++k) {
        ricci::testing::dense d;
        for (const auto n : which.shape(k)) d.extents.push_back(static_cast<std::size_t>(n));
        d.values.assign(bound.operand(k).begin(), bound.operand(k).end());
        operands.push_back(std::move(d));
    }
    const auto result = std::move(operands.back());
    operands.pop_back();
    CHECK(ricci::testing::difference(result, ricci::testing::einsum_by_loops(which.text, operands),
                                     ricci::testing::tolerance_of<T>) == "");
}

}  // namespace

TEST_CASE("the contractions that are timed, cut down", "[contract]") {
    for (const contraction_case& which : contraction_cases) {
        for (const std::int64_t most : {400, 20000}) {
            const sized_case small = sized_case(which).shrunk(most);
            std::string extents;
            for (const auto& [label, extent] : small.extents)
                extents += std::string(1, label) + std::to_string(extent) + " ";
            INFO(which.text << " " << extents);
            check<float>(small);
            check<double>(small);
        }
    }
}
