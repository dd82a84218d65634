// What a call of a program known at run time takes in C++: bench/python/calls.py runs this beside
// the same call from Python.
//
// usage: bench_python_calls [--gradient OF BY,BY...] PROGRAM NAME=EXTENT,EXTENT... NAME:NUMBER...
//
// Tensors are of floats. Printed are the median seconds of a call, and of a run once prepared; one
// thread.
#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <memory>
#include <new>
#include <random>
#include <string>
#include <vector>

#include <sys/mman.h>

#include <fmt/core.h>

#include <ricci/prepared.hpp>
#include <ricci/program.hpp>

#include "bench/timing.hpp"

namespace {

using ricci::bench::seconds_since;

std::vector<std::string> parts_of(const std::string& list) {
    std::vector<std::string> parts;
    for (std::size_t at = 0; at <= list.size();) {
        const std::size_t end = std::min(list.find(',', at), list.size());
        parts.push_back(list.substr(at, end - at));
        at = end + 1;
    }
    return parts;
}

// Memory as numpy takes it, on which it depends what reading costs: as malloc gives it, and large
// pages are asked for within what is large.
std::shared_ptr<void> numpy_memory(std::size_t bytes) {
    constexpr std::size_t large = std::size_t{4} << 20, page = 4096;
    std::shared_ptr<void> memory(std::malloc(bytes), &std::free);
    if (memory == nullptr) throw std::bad_alloc();
#ifdef MADV_HUGEPAGE
    const auto first = reinterpret_cast<std::uintptr_t>(memory.get());
    const std::size_t ahead = (page - first % page) % page;
    if (bytes >= large)
        madvise(static_cast<std::byte*>(memory.get()) + ahead, bytes - ahead, MADV_HUGEPAGE);
#endif
    return memory;
}

ricci::array filled(const std::string& list) {
    std::vector<std::size_t> extents;
    std::size_t size = 1;
    for (const std::string& e : parts_of(list)) {
        extents.push_back(std::stoul(e));
        size *= extents.back();
    }
    std::vector<std::int64_t> strides(extents.size(), 1);
    for (std::size_t axis = extents.size(); axis-- > 1;)
        strides[axis - 1] = strides[axis] * static_cast<std::int64_t>(extents[axis]);
    const std::shared_ptr<void> memory = numpy_memory(size * sizeof(float));
    ricci::array a =
        ricci::array::over(memory, ricci::element::f32, memory.get(), extents, strides, true);
    std::mt19937 random(7);
    std::normal_distribution<float> numbers;
    auto* const data = static_cast<float*>(a.data());
    for (std::size_t i = 0; i < a.size(); ++i) data[i] = numbers(random);
    return a;
}

ricci::named operand(const std::string& word) {
    if (const std::size_t at = word.find(':'); at != std::string::npos)
        return {word.substr(0, at), std::stod(word.substr(at + 1))};
    const std::size_t at = word.rfind('=');
    if (at == std::string::npos) throw ricci::error("no operand: " + word);
    return {word.substr(0, at), filled(word.substr(at + 1))};
}

// As calls.py takes it: samples of a millisecond at least, for half a second.
template <class Body>
double median_of(const Body& body) {
    const int many = ricci::bench::repetitions_for(1e-3, body);
    std::vector<double> samples;
    const auto begun = std::chrono::steady_clock::now();
    while (samples.size() < 5 || seconds_since(begun) < 0.5) {
        const auto start = std::chrono::steady_clock::now();
        for (int r = 0; r < many; ++r) body();
        samples.push_back(seconds_since(start) / many);
    }
    return ricci::bench::median(samples);
}

void measure(std::vector<std::string> words) {
    std::string of, by;
    if (words.size() > 3 && words[0] == "--gradient") {
        of = words[1], by = words[2];
        words.erase(words.begin(), words.begin() + 3);
    }
    if (words.empty()) throw ricci::error("no program");
    ricci::program p = ricci::parse(words[0]).value();
    if (!of.empty()) p = ricci::value_and_gradient(p, of, parts_of(by));
    std::vector<ricci::named> operands;
    for (std::size_t k = 1; k < words.size(); ++k) operands.push_back(operand(words[k]));
    ricci::threads(1);
    ricci::runner step = ricci::prepare(p, operands);
    const double call = median_of([&] { ricci::run(p, operands); });
    fmt::print("{} {}\n", call, median_of([&] { step(); }));
}

}  // namespace

int main(int count, char** words) {
    try {
        measure({words + 1, words + count});
    } catch (const std::exception& e) {
        fmt::print(stderr, "{}\n", e.what());
        return 1;
    }
    return 0;
}
