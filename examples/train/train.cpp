// A small causal transformer that learns to write bytes: the model, its loss and Adam are
// equations, the gradients are derived from them.
//   train [--steps N] [--text FILE] [--threads N] [--save FILE] [--resume FILE] [--sample N]
//         [--export FILE.safetensors]      what it has learnt, for examples/gpt
//   train --check      a short run: the loss falls, and is the same where the run was resumed, and
//                      on another number of threads
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include <fmt/core.h>

#include "examples/train/model.hpp"

namespace {

std::string contents(const char* path) {
    std::string all;
    std::FILE* file = std::fopen(path, "rb");
    char piece[4096];
    for (std::size_t got = 1; file != nullptr && got > 0; all.append(piece, got))
        got = std::fread(piece, 1, sizeof piece, file);
    if (file != nullptr) std::fclose(file);
    if (all.size() > 2 * train::length) return all;
    fmt::print(stderr, "{} cannot be read, or is too short to learn from\n", path);
    std::exit(1);
}

bool expect(bool what, const char* words) {
    fmt::print("{}: {}\n", words, what ? "yes" : "NO");
    return what;
}

int check(const std::string& text) {
    const char* path = "train-check.bin";
    ricci::threads(1);
    train::model whole(text, 1);
    const double first = whole.run(1, 1), last = whole.run(24, 8);
    bool good = expect(last < 0.8 * first, "the loss falls");
    ricci::threads(2);
    train::model begun(text, 1);
    begun.run(12, 0);
    begun.save(path);
    train::model resumed(text, 2);
    resumed.resume(path);
    good = expect(resumed.run(24, 0) == last,
                  "resumed and on another number of threads, the loss is the same bit for bit") &&
           good;
    std::remove(path);
    return good ? 0 : 1;
}

}  // namespace

int main(int count, char** arguments) {
    const auto option = [&](const char* name, const char* otherwise) {
        for (int k = 1; k + 1 < count; ++k)
            if (std::strcmp(arguments[k], name) == 0)
                return static_cast<const char*>(arguments[k + 1]);
        return otherwise;
    };
    const std::string text = contents(option("--text", RICCI_EXAMPLE_TEXT));
    if (count > 1 && std::strcmp(arguments[1], "--check") == 0) return check(text);
    ricci::threads(std::atoi(option("--threads", "0")));
    train::model m(text, 1);
    if (const char* path = option("--resume", nullptr)) m.resume(path);
    m.run(std::atoll(option("--steps", "300")), 20);
    if (const char* path = option("--save", nullptr)) m.save(path);
    if (const char* path = option("--export", nullptr)) {
        if (!m.write_gpt(path)) {
            fmt::print(stderr, "{} is not written: this was built without ricci/files.hpp\n", path);
            return 1;
        }
        fmt::print("\n{0}: gpt {0} --heads {1}\n", path, train::heads);
    }
    fmt::print("\n{}\n", m.sample(static_cast<std::size_t>(std::atoll(option("--sample", "300")))));
    return 0;
}
