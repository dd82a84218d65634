// Tasks that end by an exception, in every order of loops: the call throws, in time, and the next
// one computes what it should. Memory for tasks is this program's own, in the place of
// src/runtime/buffers.cpp: so it fails when it is told to, wherever a task takes it.
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <new>
#include <span>
#include <string>
#include <vector>

#include "src/runtime/buffers.hpp"
#include "src/runtime/parallel.hpp"
#include "tests/catch.hpp"
#include "tests/unit/bound_program.hpp"
#include "tests/unit/fused/chains.hpp"
#include "tests/unit/runtime/time_limit.hpp"

namespace {

/// How often memory was asked for, and which time it is not given.
std::atomic<std::int64_t> asked{0}, fails_at{-1};

void ask() {
    if (asked++ == fails_at) throw std::bad_alloc();
}

std::byte* aligned(std::size_t bytes) {
    return static_cast<std::byte*>(::operator new (bytes, std::align_val_t{4096}));
}

}  // namespace

namespace ricci::runtime {

// Of each worker when it first needs it; kept until the program ends.
std::byte* worker_memory(int worker) {
    ask();
    static auto& all =
        *new std::vector<std::atomic<std::byte*>>(static_cast<std::size_t>(worker_slots()));
    auto& mine = all[static_cast<std::size_t>(worker)];
    if (mine == nullptr) mine = aligned(worker_bytes);
    return mine;
}

lent_memory::lent_memory(std::size_t bytes) {
    ask();
    if (bytes > 0) data_ = aligned(bytes);
}
lent_memory::~lent_memory() { ::operator delete (data_, std::align_val_t{4096}); }
void lent_memory::hold(std::span<const memory_pieces>) {}
void lent_memory::let_go(std::span<const memory_pieces>) noexcept {}

}  // namespace ricci::runtime

namespace {

using namespace ricci::testing;
using ricci::element;

std::vector<std::vector<double>> values_of(bound_program& p) {
    std::vector<std::vector<double>> all;
    for (const auto name : p.output_names()) {
        auto& out = all.emplace_back();
        for (const long double x : p.result(name).values().values)
            out.push_back(static_cast<double>(x));
    }
    return all;
}

/// Fails each of the run's requests for memory, or many of them where there are more; what is wrong
/// then, in words.
std::string run_with_failures(bound_program& p) {
    auto step = p.prepare();
    std::string words;
    std::vector<std::vector<double>> expected;
    for (const int workers : {1, 2, 3, 5}) {
        ricci::runtime::set_worker_count(workers);
        asked = 0;
        step.run();
        const std::int64_t requests = asked;
        if (expected.empty()) expected = values_of(p);
        if (requests == 0) words += "no task asks for memory; ";
        for (std::int64_t k = 0; k < requests; k += k < 20 ? 1 : 1 + requests / 30) {
            asked = 0;
            fails_at = k;
            bool thrown = false;
            try {
                step.run();
            } catch (const std::bad_alloc&) {
                thrown = true;
            }
            fails_at = -1;
            step.run();
            const bool right = values_of(p) == expected;
            if (!thrown || !right)
                words += std::to_string(workers) + " workers, request " + std::to_string(k) +
                         (thrown ? "" : " does not throw") + (right ? "; " : ": wrong then; ");
        }
    }
    ricci::runtime::set_worker_count(0);
    return words;
}

/// Without a softmax; its product alone would be a sum up to an index, which is no group.
const char* const squashed = R"(S^{hij} = Q^{hia} K^{hja}
                                M^{hij} = [j \le i] \tanh(S^{hij})
                                O^{hic} = M^{hij} V^{hjc})";

struct loop_order {
    const char* chain;  // one of chains()
    const char* by;     // gradients are taken by these letters; empty: the chain itself
    sizes extents;
    const char* words;  // what explain calls this order
};

const loop_order orders[] = {
    {"plain", "", {2, 2, 153, 349, 5, 11}, "fused  O"},
    {"plain", "", {1, 1, 4, 9000, 16, 8}, "in parts"},
    {"plain", "QKV", {2, 2, 153, 349, 5, 11}, "together with the next steps"},
    {"lengths", "QKV", {1, 2, 450, 290, 3, 7}, "together with the next steps"},
    {"no softmax", "QKV", {1, 2, 450, 1200, 5, 11}, "columns in blocks of"},
    {"lengths", "QKV", {2, 2, 5, 3000, 5, 11}, "columns in blocks of"},
    {"bias shared by heads", "QKVB", {5, 2, 153, 900, 5, 11}, "columns in blocks of"},
    {"relative bias", "QKVb", {1, 2, 153, 900, 5, 11}, "columns in blocks of"},
};

}  // namespace

TEST_CASE("a task of a fused group fails, in every order of loops", "[failing_tasks]") {
    for (const loop_order& which : orders) {
        for (const chain& c : chains()) {
            if (c.name != std::string(which.chain)) continue;
            INFO(which.chain << ", gradients by '" << which.by << "'");
            std::vector<std::string> letters;
            for (const char* at = which.by; *at != 0; ++at) letters.emplace_back(1, *at);
            const bool softmax = c.name != std::string("no softmax");
            const auto program = bound_program::parsed(softmax ? c.text : squashed);
            bound_program p(letters.empty() ? ricci::ir::program(program.view())
                                            : program_of(gradient_of(program, "O", letters)),
                            element::f32, 3);
            bind(p, which.extents, layout::row_major);
            const auto explained = p.prepare().explain();
            INFO(explained);
            CHECK(explained.find(which.words) != std::string::npos);
            const time_limit limit(120);
            CHECK(run_with_failures(p) == "");
        }
    }
}

TEST_CASE("a task of a contraction fails", "[failing_tasks]") {
    struct {
        const char* text;
        std::vector<std::pair<const char*, shape>> inputs;
    } const programs[] = {
        {"C^{ik} = A^{ij} B^{jk}", {{"A", {300, 200}}, {"B", {200, 310}}}},
        {"C^{bk} = A^{bj} B^{jk}", {{"A", {3, 900}}, {"B", {900, 2000}}}},
    };
    for (const auto& [text, inputs] : programs) {
        INFO(text);
        bound_program p(std::string(text), element::f32, 5);
        for (const auto& [name, extents] : inputs) p.input(name, extents, layout::row_major);
        INFO(p.prepare().explain());
        const time_limit limit(120);
        CHECK(run_with_failures(p) == "");
    }
}
