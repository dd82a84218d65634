// Exchanges beside what is computed.
#include <cstdint>
#include <string>
#include <vector>

#include "src/mpi/long_types.hpp"
#include "tests/mpi/ranks.hpp"

using namespace ricci;
using namespace ricci::testing;

namespace {

const char* const layers = R"(
    G^{nk} = \tanh(X^{ni} W^{ik})
    H^{nk} = \tanh(G^{ni} U^{ik})
    Z^{nl} = H^{nk} V^{kl}
    L = \sum_n \sum_l (Z^{nl} - T^{nl})^2)";

}  // namespace

TEST_CASE("gradients are added up while those of the layers below are computed") {
    const program back = gradient(parse(layers).value(), "L", {"W", "U", "V"});
    std::vector<shared_operand> operands = {
        {"X", drawn({7, 29}, 1), 0}, {"W", drawn({29, 28}, 2)},   {"U", drawn({28, 28}, 3)},
        {"V", drawn({28, 27}, 4)},   {"T", drawn({7, 27}, 5), 0},
    };
    for (const tensor_info& t : back.inputs())
        if (t.name == "dL/dL") operands.push_back({"dL/dL", 1});
    mpi::run_options together;
    for (const bool overlap : {true, false})
        for (const std::size_t longest : {std::size_t{8} << 20, std::size_t{100}}) {
            together.overlap = overlap;
            together.longest_message = longest;
            for (const cut how : {cut::even, cut::last, cut::uneven}) {
                const std::string words = check_shared_out(back, "n", operands, {}, how, together);
                // a rank without places computes nothing
                if (ranks_of_world() == 1 || words.find("computed by") == std::string::npos)
                    continue;
                INFO(words);
                CHECK((words.find("bytes while it computes dL/d") != std::string::npos) == overlap);
            }
        }
}

TEST_CASE("what has been gathered is waited for where it is read") {
    const program p = parse(R"(
        Y^{ia} = X^{jb} W^{ba} C^{ij}
        Z^{ia} = \exp(X^{ib} U^{ba})
        R^{ia} = Y^{ia} + Z^{ia})")
                          .value();
    for (const std::size_t longest : {std::size_t{8} << 20, std::size_t{64}}) {
        mpi::run_options together;
        together.longest_message = longest;
        for (const cut how : {cut::even, cut::last, cut::uneven})
            check_shared_out(p, "i",
                             {{"X", drawn({21, 5}, 1), 0},
                              {"W", drawn({5, 5}, 2)},
                              {"U", drawn({5, 5}, 3)},
                              {"C", drawn({21, 21}, 4), 0}},
                             {{"R", 0}}, how, together);
    }
}

TEST_CASE("elements beyond MPI's counts are one element of its") {
    for (const std::size_t elements : {0u, 1u, 7u, 8u, 9u, 63u, 64u, 65u, 1000u}) {
        MPI_Datatype type = mpi::contiguous_type(elements, MPI_DOUBLE, 8);
        MPI_Type_commit(&type);
        MPI_Count size = 0;
        MPI_Type_size_x(type, &size);
        CHECK(size == static_cast<MPI_Count>(elements * sizeof(double)));
        std::vector<double> from(3 * elements + 1), to(3 * elements + 1, -1);
        for (std::size_t k = 0; k < from.size(); ++k) from[k] = static_cast<double>(k);
        MPI_Sendrecv(from.data(), 3, type, 0, 0, to.data(), 3, type, 0, 0, MPI_COMM_SELF,
                     MPI_STATUS_IGNORE);
        from.back() = -1;  // which is not sent
        CHECK(to == from);
        MPI_Type_free(&type);
    }
}
