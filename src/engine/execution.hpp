// Walking a plan: kernels prepared for its steps, and every tensor's address.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "src/contract/contraction.hpp"
#include "src/engine/nan_search.hpp"
#include "src/engine/scalar_program.hpp"
#include "src/fused/group.hpp"
#include "src/index/gather.hpp"
#include "src/map/map.hpp"
#include "src/plan/plan.hpp"

namespace ricci::engine {

/// A plan ready to run: owns the workspace; operands and outputs are the caller's.
class execution {
public:
    /// Every slot of the plan has its memory, but for those in the workspace.
    explicit execution(const plan::program_plan& plan) : execution(plan, purpose::run) {}

    /// To run a plan, or only to tell how it would be: without workspace, and without any memory.
    enum class purpose : std::uint8_t { run, words };
    execution(const plan::program_plan& plan, purpose what);

    /// Takes the memory of the slots anew, of the plan that this was made from.
    void bind(const plan::program_plan& plan);

    /// Carries out the steps in order. Does not allocate. Throws ricci::error for a number that is
    /// no place of the axis it is looked up in: before anything is written where an operand holds
    /// it.
    void run();

    /// How the kernels carry out a step, where that is worth telling.
    std::string words(std::size_t step) const;

private:
    struct prepared_step {
        std::unique_ptr<contract::prepared_contraction> contraction;
        const void* a = nullptr;
        const void* b = nullptr;
        void* c = nullptr;
        scalar_program alpha;
        double beta = 0;
        std::unique_ptr<const contract::joined_strategy> joined;  // with the steps that follow
        std::vector<contract::bound_contraction> parts;           // those and this
        std::unique_ptr<elementwise::prepared_map> map;
        std::vector<void*> bases;
        std::unique_ptr<fused::prepared_group> stream;
        std::unique_ptr<fused::prepared_chain> chain;  // with the steps that follow
        std::size_t chain_length = 0;                  // steps
        bool chained = false;                          // a step before it carries it out
        std::vector<scalar_program> numbers;
        std::vector<double> number_values;
        std::unique_ptr<elementwise::prepared_gather> gather;
        std::vector<const void*> places;                // of the gather's lookups
        std::vector<std::string> strays;                // what to say of a number that is no place
        bool checked_first = false;                     // its numbers are operands
        std::optional<std::vector<std::size_t>> first;  // the steps that make its condition
        std::vector<strided_elements> results;  // that have to be numbers: see plan::step::hides
    };
    struct aligned_delete {
        void operator()(std::byte* memory) const;
    };

    void prepare_stream(const plan::program_plan& plan, std::size_t step);
    bool prepare_chain(const plan::program_plan& plan, std::size_t first);
    void join(const plan::program_plan& plan);
    void run_joined(std::size_t first);
    static void check(const prepared_step& s);
    static std::optional<std::vector<std::size_t>> steps_before_check(
        const plan::program_plan& plan, std::size_t gather);
    void run_first(const prepared_step& s);
    bool keeps_rules() const;

    void find_results(const plan::program_plan& plan, std::size_t first, std::size_t count);
    bool run_steps();

    element type_;
    std::unique_ptr<std::byte, aligned_delete> workspace_;
    std::vector<prepared_step> steps_;
    /// The numbers of an operand that has to be between two; without words, or the plan is another
    /// one.
    struct operand_range {
        strided_elements tensor;
        std::int64_t least = 0, most = 0;
        std::string words;
    };
    std::vector<operand_range> rules_;
    // What to run where results are no numbers, made when that happens first, and the memory of
    // operands.
    std::shared_ptr<const plan::program_plan> instead_;
    std::vector<plan::slot> operands_;
};

}  // namespace ricci::engine
