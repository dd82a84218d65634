// Whether definitions imply equations, where some of what the inputs are may have been left unsaid:
// proved for all inputs, true under an assumption, refuted by numbers, or neither. It knows texts
// in the notation and nothing of the documents that they come from.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace ricci::judge {

enum class verdict : std::uint8_t {
    proved,       // for all inputs
    conditional,  // not for all, but equal in all draws under an assumption
    refuted,      // numbers show that it is false, under every assumption that is tried
    unproved,
};

/// What may be assumed of an input.
enum class property : std::uint8_t {
    // tried on every input, one at a time
    symmetric,
    antisymmetric,
    orthogonal,
    unit_length,   // the squares along an axis sum to 1
    sums_to_one,   // along an axis
    distribution,  // positive, and sums to one along an axis
    positive,
    permutation,  // the symbol of three indices in three dimensions; tried of \epsilon alone
    counts,       // a number without indices is the extent of an index that is summed over
    volume,       // a matrix of determinant 1, where a determinant is taken of it
    places,       // of no name: all axes have three places
    // where they are declared
    diagonal,
    one_hot,  // along an axis
    whole,    // small whole numbers
};

/// Something that is assumed of one input.
struct assumption {
    std::string name;  // as in the text; its heights may be left out
    judge::property property = property::symmetric;
    int first = -1;          // the axis that it is about, or the first of two; -1: the last ones
    int second = -1;         // the second of two
    std::string index = {};  // of `counts`: the index
};

struct request {
    std::string source;                // definitions: what is known
    std::string claims;                // what is claimed of them
    std::vector<assumption> declared;  // holds in every draw
    bool try_assumptions = true;       // otherwise there are three verdicts
    bool noncommuting = false;  // names without indices or with one subscript keep their order
};

struct finding {
    judge::verdict verdict = verdict::unproved;
    bool readable = true;  // whether both texts were read; `words` say why not
    /// Of a conditional one "true if \Sigma_{ij} = \Sigma_{ji}", of a refuted one the numbers, of
    /// an unproved one why; of a proved one nothing, or where it is.
    std::string words;
    /// Of a refuted one, what the claim says and what follows, where they differ; empty where these
    /// are no exact quotients.
    std::string claimed_value, derived_value;
    std::vector<assumption> under;           // what a conditional one holds under
    bool by_declared = false;                // which is nothing but what was declared
    bool at_ties = false;                    // the sides differ only where numbers are equal
    bool jumps = false;                      // what stands in it compares or rounds
    bool alike = false;                      // not proved, but equal in all numbers that were tried
    std::vector<std::string> source_inputs;  // what no equation of the source defines
    std::vector<std::string> claim_inputs;   // names of the claim that the source does not define
    std::vector<std::string> numbers;        // inputs of both without indices
    std::vector<std::string>
        lacking;  // inputs of the claim on which the derived side does not rest
};

/// Judges the first claim that is not proved. Nothing is thrown for a text that cannot be read.
finding judge(const request& asked);

}  // namespace ricci::judge
