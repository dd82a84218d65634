// A program outside the project that shares out an index over ranks, however many there are.
#include <cstdio>

#include <ricci/mpi.hpp>

int main(int count, char** words) {
    MPI_Init(&count, &words);
    {
        using namespace ricci::literals;
        int rank = 0, ranks = 1;
        MPI_Comm_rank(MPI_COMM_WORLD, &rank);
        MPI_Comm_size(MPI_COMM_WORLD, &ranks);
        ricci::tensor<double, 1> x({std::size_t(rank == 0 ? 5 : 0)});  // 81 82 83 84 85
        for (std::size_t k = 0; k < x.size(); ++k) x(k) = 81 + double(k);

        constexpr auto total = R"(s = \sum_h x^h)"_eq;
        auto step = ricci::mpi::prepare(MPI_COMM_WORLD, total, ricci::mpi::shard("h"_i), "x"_t = x);
        step();

        const auto p = ricci::parse(R"(s = \sum_h x^h)").value();
        auto same = ricci::mpi::prepare(MPI_COMM_WORLD, p, {"h"}, {{"x", x}});
        same();
        std::printf("%g %g\n", step["s"_t](), step["s"_t]() - same["s"].as<double, 0>()());
    }
    MPI_Finalize();
}
