// What operations, folds and ways are called where a plan is explained.
#include "src/plan/words/opcode_words.hpp"

#include <cstddef>

namespace ricci::plan {

using namespace steps;

const char* word_of(opcode code) {
    static constexpr const char* words[] = {
        "constant", "load", "position", "negate", "square", "reciprocal",
#define RICCI_FUNCTION(NAME, WORD, ...) WORD,
#include <ricci/detail/functions.inc>
        "+",        "-",    "*",        "/",      "power",  "<",
        "<=",       "==",   "!=",       "and",    "or",     "select"};
    static_assert(sizeof words / sizeof *words == static_cast<std::size_t>(opcode::select) + 1);
    return words[static_cast<std::size_t>(code)];
}

const char* word_of(fold f) {
    switch (f) {
        case fold::none:
            return "map";
        case fold::sum:
            return "sum";
        case fold::mean:
            return "mean";
        case fold::maximum:
            return "max";
        case fold::minimum:
            return "min";
        case fold::product:
            return "product";
        case fold::logsumexp:
            return "logsumexp";
        case fold::softmax:
            return "softmax";
        case fold::excess:
            return "logsumexp - max";
    }
    return "";
}

const char* word_of(matrix_task task) {
    switch (task) {
        case matrix_task::factor:
            return "factors";
        case matrix_task::solve:
            return "solve";
        case matrix_task::inverse:
            return "inverse";
        case matrix_task::determinant:
            return "det";
        case matrix_task::log_determinant:
            return "logdet";
        case matrix_task::sign:
            return "sign of det";
        case matrix_task::triangle:
            return "chol";
        case matrix_task::cofactors:
            return "cofactors";
    }
    return "";
}

const char* word_of(way how) {
    switch (how) {
        case way::contract:
            return "contract";
        case way::algebra:
            return "algebra";
        case way::ties:
            return "ties";
        case way::map:
            return "map";
        case way::gather:
            return "gather";
        case way::lookups:
            return "lookups";
        case way::scatter:
            return "scatter";
        case way::fold:
            return "fold";
        case way::copy:
            return "copy";
        case way::convert:
            return "convert";
        case way::extremum:
            return "places of extrema";
        case way::scan:
            return "scan";
        case way::matrices:
            return "matrices";
    }
    return "";
}

}  // namespace ricci::plan
