// The programs whose plans are recorded, and whose results are compared between numbers of threads.
#pragma once

#include <string>
#include <vector>

#include <ricci/element.hpp>

namespace ricci::testing {

struct recorded_program {
    std::string name;
    std::string text;
    /// Extents of letters, `i=512 j=768`: the shapes of all tensors that have them plainly.
    std::string letters;
    /// What the letters do not say, `b 319; d_k = 64; y i32; n i32 8 <193; m boolean`: a shape, a
    /// number, whole numbers of a type, below a bound.
    std::string operands = {};
    /// `both O Q K` is the value of O and its gradients by Q and K, `gradient O Q` leaves the value
    /// out, `tangent Q` goes along Q; one after the other, with a semicolon between.
    std::string derived = {};
    std::string kept = {};   // intermediates that are outputs, too
    std::string bound = {};  // outputs in memory of the caller's; `Y@X`: in that of the input X
    std::string given = {};  // extents of indices that no tensor has, `v=100`
    element type = element::f32;
    double alpha = 1, beta = 0;
};

/// Attention as it is written, and its gradients.
std::vector<recorded_program> attention_programs();
/// The chains of tests/unit/fused/chains.hpp and their gradients, by Q, K and V.
std::vector<recorded_program> chain_programs();
/// Losses, kernels, distances, and folds of products.
std::vector<recorded_program> pair_programs();
/// Contractions, gathers, scatters, sums of parts, normalisations, layers, other types.
std::vector<recorded_program> other_programs();
/// The programs of tests/corpus, with extents of 3 to 5.
std::vector<recorded_program> corpus_programs();

/// All of these.
std::vector<recorded_program> recorded_programs();

}  // namespace ricci::testing
