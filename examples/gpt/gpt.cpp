// A GPT-2-shaped language model: one layer as its equations, repeated; a prompt at once, then token
// by token with a cache of keys and values that grows.
//   gpt MODEL.safetensors [--prompt TEXT | --tokens FILE] [--length N] [--heads N] [--threads N]
//       [--temperature T] [--runs N]
//   gpt --check          a small model: the cache gives what the whole sequence gives
// The file has the names of GPT-2: wte.weight, wpe.weight, h.0.ln_1.weight, ...; sizes are those of
// its tensors. tools/make_gpt.py makes one with random weights, `train --export` one that has
// learnt.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>
#include <vector>

#include <fmt/core.h>

#include <ricci/ricci.hpp>

#include "examples/gpt/check.hpp"
#include "examples/gpt/fail.hpp"
#include "examples/gpt/session.hpp"
#include "examples/gpt/times.hpp"
#include "examples/gpt/weights.hpp"

namespace gpt {
namespace {

struct options {
    const char* file = nullptr;
    std::string prompt = "The ";
    const char* tokens = nullptr;
    std::size_t length = 64, heads = 0;
    double temperature = 0.7;
    int runs = 1;
};

std::vector<std::int32_t> read_tokens(const options& o, std::size_t vocabulary) {
    std::vector<std::int32_t> all;
    if (o.tokens != nullptr) {
        std::FILE* file = std::fopen(o.tokens, "r");
        if (file == nullptr) fail("{} cannot be read", o.tokens);
        for (long t = 0; std::fscanf(file, "%ld", &t) == 1;)
            all.push_back(static_cast<std::int32_t>(t));
        std::fclose(file);
    } else {
        for (const char c : o.prompt) all.push_back(static_cast<unsigned char>(c));
    }
    if (all.empty()) fail("the prompt is empty");
    for (const std::int32_t t : all)
        if (t < 0 || static_cast<std::size_t>(t) >= vocabulary)
            fail("the prompt has the token {}, and the model knows {}", t, vocabulary);
    return all;
}

void print(std::int32_t token, std::size_t vocabulary) {
    if (vocabulary <= 256) std::fputc(token, stdout);
    else fmt::print(" {}", token);
    std::fflush(stdout);
}

int generate(const options& o) {
    weights m;
    const double loading = seconds([&] { m = load(o.file, o.heads); });
    const std::vector<std::int32_t> tokens = read_tokens(o, m.vocabulary());
    if (tokens.size() + o.length > m.places.extent(0))
        fail("the prompt and the {} tokens behind it need {} places, and the model has {}",
             o.length, tokens.size() + o.length, m.places.extent(0));
    fmt::print("{} layers, {} heads, width {}, {} tokens; read in {:.2f} s\n", m.layers(), m.heads,
               m.width(), m.vocabulary(), loading);
    session s(m, tokens.size() + o.length);
    std::vector<double> prompts, nexts;
    for (int run = 0; run < o.runs; ++run) {
        const ricci::tensor<float, 1>* z = nullptr;
        prompts.push_back(seconds([&] { z = &s.prompt(tokens); }));
        std::uint64_t state = 1;
        for (std::size_t k = 0; k < o.length; ++k) {
            const std::int32_t token = draw(*z, o.temperature, state);
            if (run == 0) print(token, m.vocabulary());
            if (k + 1 < o.length) nexts.push_back(seconds([&] { z = &s.next(token); }));
        }
    }
    const double n = static_cast<double>(tokens.size());
    const double prompt = median(prompts);
    fmt::print("\n\nprompt: {:.0f} tokens in {:.1f} ms, {:.0f} tokens/s, {:.1f} GFLOP/s", n,
               1e3 * prompt, n / prompt, 1e-9 * m.operations(n) / prompt);
    fmt::print(": {:.2f} of a product's rate\n", m.operations(n) / prompt / rate_of_products());
    if (nexts.empty()) return 0;
    const double one = median(nexts), reading = time_of_reading(m);
    fmt::print(
        "a next token: {:.2f} ms, {:.1f} tokens/s; its weights are read in {:.2f} ms ({:.1f} GB/s)"
        ": {:.2f} of the bandwidth\n",
        1e3 * one, 1 / one, 1e3 * reading, 1e-9 * m.read_for_one() / reading, reading / one);
    return 0;
}

}  // namespace
}  // namespace gpt

int main(int count, char** arguments) {
    using namespace gpt;
    options o;
    int threads = 0;
    const auto number = [&](int k) { return std::atol(arguments[k]); };
    for (int k = 1; k < count; ++k) {
        const std::string word = arguments[k];
        const bool more = k + 1 < count;
        if (word == "--check") return check();
        if (word == "--prompt" && more) o.prompt = arguments[++k];
        else if (word == "--tokens" && more) o.tokens = arguments[++k];
        else if (word == "--length" && more) o.length = static_cast<std::size_t>(number(++k));
        else if (word == "--heads" && more) o.heads = static_cast<std::size_t>(number(++k));
        else if (word == "--threads" && more) threads = static_cast<int>(number(++k));
        else if (word == "--temperature" && more) o.temperature = std::atof(arguments[++k]);
        else if (word == "--runs" && more) o.runs = static_cast<int>(number(++k));
        else if (word[0] != '-' && o.file == nullptr) o.file = arguments[k];
        else fail("'{}' is not understood; examples/gpt/gpt.cpp begins with what is", word);
    }
    if (o.file == nullptr) fail("which model? tools/make_gpt.py makes one");
    ricci::threads(threads);
    try {
        return generate(o);
    } catch (const std::exception& e) {
        fail("{}", e.what());
    }
}
