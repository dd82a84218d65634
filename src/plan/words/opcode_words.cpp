// What operations, folds and ways are called where a plan is explained.
#include "src/plan/words/opcode_words.hpp"

#include "src/plan/words/words.hpp"

namespace ricci::plan {

using namespace steps;

const char* word_of(opcode code) {
    static constexpr const char* words[] = {
        "constant", "load", "position", "negate", "square", "reciprocal",
#define RICCI_FUNCTION(NAME, WORD, ...) WORD,
#include <ricci/detail/functions.inc>
        "+",        "-",    "*",        "/",      "power",  "<",
        "<=",       "==",   "!=",       "and",    "or",     "select"};
    return word_in<opcode::select>(words, code);
}

const char* word_of(fold f) {
    static constexpr const char* words[] = {
        "map", "sum", "mean", "max", "min", "product", "logsumexp", "softmax", "logsumexp - max"};
    return word_in<fold::excess>(words, f);
}

const char* word_of(matrix_task task) {
    static constexpr const char* words[] = {"factors", "solve",       "inverse", "det",
                                            "logdet",  "sign of det", "chol",    "cofactors"};
    return word_in<matrix_task::cofactors>(words, task);
}

const char* word_of(way how) {
    static constexpr const char* words[] = {"contract",
                                            "algebra",
                                            "ties",
                                            "fold",
                                            "map",
                                            "copy",
                                            "gather",
                                            "lookups",
                                            "scatter",
                                            "convert",
                                            "places of extrema",
                                            "scan",
                                            "matrices"};
    return word_in<way::matrices>(words, how);
}

const char* word_of(loop_role role) {
    static constexpr const char* words[] = {"batch", "rows", "columns"};
    return word_in<loop_role::column>(words, role);
}

}  // namespace ricci::plan
