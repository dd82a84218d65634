// The speed of what a rank computes.
#include "command/part_speed.hpp"

#include <algorithm>
#include <chrono>
#include <limits>
#include <optional>
#include <random>

#include <fmt/core.h>

#include <ricci/error.hpp>
#include <ricci/engine/executable.hpp>

#include "command/smaller_shapes.hpp"
#include "src/placement/layer_programs.hpp"

namespace ricci::command {
namespace {

constexpr double most_flops = 2e10, most_bytes = 1e9;  // of what is run to measure it

/// Memory of random numbers between 0.1 and 1, which have logarithms and roots; of whole numbers 0,
/// which is a place of every axis.
array random_array(const engine::operand& o, element type, std::mt19937& random) {
    array a(o.is_positions ? o.positions : type,
            std::vector<std::size_t>(o.extents, o.extents + o.rank));
    std::uniform_real_distribution<float> between(0.1F, 1.0F);
    const auto fill = [&](auto* to, std::size_t count) {
        for (std::size_t k = 0; k < count; ++k) to[k] = between(random);
    };
    switch (a.type()) {
        case element::f32:
            fill(static_cast<float*>(a.data()), a.size());
            break;
        case element::f64:
            fill(static_cast<double*>(a.data()), a.size());
            break;
        case element::c64:
            fill(static_cast<float*>(a.data()), 2 * a.size());
            break;
        case element::c128:
            fill(static_cast<double*>(a.data()), 2 * a.size());
            break;
        default:
            break;  // zeros
    }
    return a;
}

struct memory_of_part {
    element type;
    std::vector<array> arrays;

    void* output(std::int32_t rank, const std::int64_t* extents) {
        arrays.emplace_back(type, std::vector<std::size_t>(extents, extents + rank));
        return arrays.back().data();
    }
};

double seconds_of(const mpi::local_request& part) {
    engine::request r = part.view();
    std::vector<engine::operand> in(r.inputs, r.inputs + r.input_count);
    memory_of_part memory{r.type, {}};
    std::mt19937 random(1);
    for (engine::operand& o : in) {
        if (!o.shape_only) continue;
        memory.arrays.push_back(random_array(o, r.type, random));
        o.data = memory.arrays.back().data();
        o.shape_only = false;
    }
    r.inputs = in.data();
    r.context = &memory;
    r.allocate = [](void* context, ir::ref, std::int32_t rank, const std::int64_t* extents) {
        return static_cast<memory_of_part*>(context)->output(rank, extents);
    };
    engine::executable step(r);
    step.run();
    double best = std::numeric_limits<double>::infinity(), spent = 0;
    for (int k = 0; k < 10 && spent < 0.3; ++k) {
        const auto begun = std::chrono::steady_clock::now();
        step.run();
        const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begun;
        best = std::min(best, took.count());
        spent += took.count();
    }
    return std::max(best, 1e-9);
}

mpi::rank_speed measured(const mpi::paper_run& run, double flops) {
    mpi::rank_speed speed;
    double all = 0;
    for (const mpi::paper_step& s : run.steps())
        if (s.part != nullptr) {
            speed.seconds.push_back(seconds_of(*s.part));
            all += s.times * speed.seconds.back();
        }
    speed.flops = flops / std::max(all, 1e-9);
    return speed;
}

bool is_small(const mpi::paper_run& run, const engine::plan_work& work) {
    return work.flops <= most_flops &&
           run.stored() + static_cast<double>(work.workspace) <= most_bytes;
}

std::vector<named> with_canonical_names(std::vector<named> operands) {
    for (named& o : operands)
        if (o.value.kind() != ricci::detail::operand_kind::index) o.name = canonical_name(o.name);
    return operands;
}

std::string words_of(double flops, const std::string& how) {
    return fmt::format("{:.3g} GFLOP/s, {}", flops / 1e9, how);
}

}  // namespace

double speed_of_product(element type) {
    const std::size_t n = 1024;
    const element known = type == element::f64 ? element::f64 : element::f32;
    const mpi::paper_run run(parse(R"(C^{ij} = A^{ik} B^{kj})").value(), {"i"}, {1},
                             {{"A", shape(known, {n, n})}, {"B", shape(known, {n, n})}});
    return measured(run, mpi::work_of(run).flops).flops;
}

mpi::rank_speed speed_of_parts(const program& p, const std::vector<named>& shapes,
                               const mpi::paper_run& run) {
    try {
        // of layers one, which is as fast as all of them
        std::vector<named> of_one = with_canonical_names(shapes);
        std::optional<mpi::layer_programs> layers;
        if (mpi::layer_programs::repeats(p)) {
            layers.emplace(p);
            of_one = layers->operands_of(of_one, 0);
        }
        const program& text = layers ? layers->one() : p;
        engine::plan_work work = mpi::work_of(run);
        if (is_small(run, work)) {
            mpi::rank_speed speed = measured(run, work.flops);
            speed.words = words_of(speed.flops, "measured here");
            return speed;
        }
        smaller_shapes smaller(text, of_one, run.letters(), run.grid());
        const double all = work.flops;
        while (smaller.shrink()) {
            const mpi::paper_run less(text, run.letters(), smaller.grid(), smaller.shapes());
            work = mpi::work_of(less);
            if (!is_small(less, work)) continue;
            mpi::rank_speed speed = measured(less, work.flops);
            speed.seconds.clear();
            speed.words = words_of(
                speed.flops,
                fmt::format("measured here on parts of 1/{:.0f} of the work", all / work.flops));
            return speed;
        }
    } catch (const error&) {
        // extents that depend on each other, or numbers that a function has no value of
    }
    mpi::rank_speed speed;
    speed.flops = speed_of_product(run.type());
    speed.words = words_of(speed.flops, "as this machine a product of matrices");
    return speed;
}

}  // namespace ricci::command
