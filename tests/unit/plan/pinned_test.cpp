// Values that are compared with their own extremum, before assignments are made of them: which get
// a tensor of their own, as texts.
#include <string>

#include "src/plan/make_plan.hpp"
#include "src/plan/words/notation.hpp"
#include "tests/catch.hpp"
#include "tests/unit/plan/recorded/bound_case.hpp"

using namespace ricci;
using namespace ricci::testing;

namespace {

std::string ordered(const recorded_program& which) {
    bound_case program(which);
    std::string found;
    plan::make_plan(
        program.request_with_memory(),
        [&](const char* pass, const ir::program_view& view, const plan::program_plan* made) {
            if (found.empty() && std::string(pass) == "order")
                found = "\n" + plan::notation_of(view, made);
        });
    return found;
}

}  // namespace

TEST_CASE("what a maximum is taken of and who asks for it are one tensor") {
    CHECK(ordered({"", "y = \\max_i(a^i b^i)", "i=9", "", "both y a"}) == R"(
1    t1[i] = a[i] b[i]                                           map
2    y = max(i) t1[i]                                            fold
3    t2 = sum(i') [t1[i'] == y]                                  fold
4    dL/da[i] = dL/dy [t1[i] == y] / t2 b[i]                     map
)");
    // Under other names, and in several equations.
    const char* const several = R"(y^i = \max_j(A^{ij} x^j)
                                   z^{kl} = [A^{kl} x^l = y^k] B^{kl})";
    CHECK(ordered({"", several, "i=4 j=5 k=4 l=5"}) == R"(
1    t1[i,j] = A[i,j] x[j]                                       map
2    y[i] = max(j) t1[i,j]                                       fold
3    z[k,l] = [t1[k,l] == y[k]] B[k,l]                           map
)");
}

TEST_CASE("what is compared at some of the places alone is the same tensor there") {
    // Solved first, the condition would have left a product of rows of A from the second one on.
    const char* const after_the_first = R"(P^k = \min_l(A^{lm} B^{mk})
                                           z^k = \sum_l [l > 0] [A^{lm} B^{mk} = P^k] c^l)";
    const std::string words = ordered({"", after_the_first, "l=9 m=5 k=4"});
    INFO(words);
    CHECK(words.find("A[") != std::string::npos);
    CHECK(words.find("A[") == words.rfind("A["));
}

TEST_CASE("nothing that is rounded nowhere is stored for a comparison") {
    const char* const elements = R"(y^i = \max_j x^{ij}
                                    z^{ij} = [x^{ij} = y^i])";
    CHECK(ordered({"", elements, "i=4 j=5"}) == R"(
1    y[i] = max(j) x[i,j]                                        fold
2    z[i,j] = [x[i,j] == y[i]]                                   map
)");
    const char* const sums = R"(C^{ik} = \max_j(A^{ij} + B^{jk})
                                D^{ijk} = [A^{ij} + B^{jk} = C^{ik}])";
    CHECK(ordered({"", sums, "i=40 j=40 k=40"}) == R"(
1    C[i,k] = max(j) (A[i,j] + B[j,k])                           fold
2    D[i,j,k] = [A[i,j] + B[j,k] == C[i,k]]                      map
)");
    // Of three terms the parts are: their sum has the same bits everywhere.
    const char* const parts = R"(C^{ik} = \max_j(A^{ij} + B^{jk} + 2 c^j)
                                 D^{ijk} = [A^{ij} + B^{jk} + 2 c^j = C^{ik}])";
    CHECK(ordered({"", parts, "i=40 j=40 k=40"}) == R"(
1    t1[i,j] = A[i,j] + 2 c[j]                                   map
2    C[i,k] = max(j) (t1[i,j] + B[j,k])                          fold
3    D[i,j,k] = [t1[i,j] + B[j,k] == C[i,k]]                     map
)");
}

TEST_CASE("what is looked up for a comparison is looked up where anyone wants it") {
    const std::string found = ordered({"", R"(y^i = [0 \le n^i] \max_k(E^{n^i k} w^k))", "i=5 k=4",
                                       "E 6x4; n i32 5 <6", "both y w"});
    INFO(found);
    // One tensor for the value and for the gradient, which both want it where n is a place.
    CHECK(found.starts_with(R"(
1    t5[i] = n[i]                                                gather
2    t4[i] = [0 <= t5[i]]                                        map
3    t3[i,k] = E[n[i],k] where t4[i]                             gather
4    t1[k,i] = t3[i,k] w[k]                                      map
)"));
    CHECK(found.find("t2[i] = max(k) t1[k,i]") != std::string::npos);
    CHECK(found.find("[t1[k,i] == t2[i]]") != std::string::npos);
    // The condition under which the gradient looks up asks that tensor, too.
    CHECK(found.find("= max(k", found.find("max(k)") + 1) == std::string::npos);
}
