// The results of the recorded programs, values and gradients, have the same bits on any number of
// threads. RICCI_BITS=FILE writes a hash of each result instead: tools/same_bits.sh compares those
// of two builds.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <iomanip>
#include <map>
#include <string>
#include <vector>

#include <ricci/engine/executable.hpp>

#include "src/runtime/parallel.hpp"
#include "tests/catch.hpp"
#include "tests/unit/plan/recorded/bound_case.hpp"
#include "tests/unit/plan/recorded/programs.hpp"

using namespace ricci;
using namespace ricci::testing;

namespace {

using bits = std::map<std::string, std::vector<std::byte>>;

bits run_on(int threads, const recorded_program& which) {
    runtime::set_worker_count(threads);
    bound_case program(which);
    engine::executable(program.request_with_memory()).run();
    return program.results();
}

/// How many bytes of an output differ, and where the first of them is; or nothing.
std::string difference(const bits& expected, const bits& got) {
    if (expected.size() != got.size()) return "other outputs";
    for (const auto& [name, bytes] : expected) {
        const auto found = got.find(name);
        if (found == got.end() || found->second.size() != bytes.size()) return name + ": its size";
        std::size_t count = 0, first = 0;
        for (std::size_t k = bytes.size(); k-- > 0;)
            if (bytes[k] != found->second[k]) ++count, first = k;
        if (count > 0)
            return name + ": " + std::to_string(count) + " bytes of " +
                   std::to_string(bytes.size()) + ", from byte " + std::to_string(first) + " on";
    }
    return {};
}

std::uint64_t hash_of(const std::vector<std::byte>& bytes) {
    std::uint64_t hash = 14695981039346656037u;
    for (const std::byte b : bytes)
        hash = (hash ^ std::to_integer<std::uint64_t>(b)) * 1099511628211u;
    return hash;
}

void write_hashes(const char* file) {
    std::ofstream out(file);
    for (const auto& which : recorded_programs()) {
        try {
            for (const auto& [name, bytes] : run_on(1, which))
                out << std::hex << std::setw(16) << std::setfill('0') << hash_of(bytes) << "  "
                    << which.name << ": " << name << "\n";
        } catch (const std::exception& refused) {
            out << "refused           " << which.name << ": " << refused.what() << "\n";
        }
    }
    runtime::set_worker_count(0);
    REQUIRE(out.flush());
}

/// The number of programs that compute anything.
std::size_t check(const std::vector<recorded_program>& programs) {
    std::size_t computing = 0;
    for (const auto& which : programs) {
        try {
            const bits once = run_on(1, which);
            for (const int threads : {2, 3, 7}) {
                const std::string wrong = difference(once, run_on(threads, which));
                if (!wrong.empty())
                    FAIL_CHECK(which.name << " on " << threads << " threads: " << wrong);
            }
            if (!once.empty()) ++computing;
        } catch (const std::exception& refused) {
            FAIL_CHECK(which.name << ": " << refused.what());
        }
    }
    runtime::set_worker_count(0);
    return computing;
}

}  // namespace

TEST_CASE("attention has the same bits on any number of threads") {
    CHECK(check(attention_programs()) == attention_programs().size());
}
TEST_CASE("chains have the same bits on any number of threads") {
    CHECK(check(chain_programs()) == chain_programs().size());
}
TEST_CASE("programs over pairs have the same bits on any number of threads") {
    CHECK(check(pair_programs()) == pair_programs().size());
}
TEST_CASE("other programs have the same bits on any number of threads") {
    CHECK(check(other_programs()) == other_programs().size());
}
TEST_CASE("programs of the corpus have the same bits on any number of threads") {
    CHECK(check(corpus_programs()) > 100);  // some texts only claim or define functions
}
TEST_CASE("hashes of all results are written", "[.bits]") {
    const char* const file = std::getenv("RICCI_BITS");
    REQUIRE(file != nullptr);
    write_hashes(file);
}
