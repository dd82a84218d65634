// What networks are worth, beside values that are known exactly.
//
//     bench_network_values FOLDER [SECONDS] [THREADS] [NAME ...]
//
// FOLDER has instances/NAME.txt, values/NAME.KIND.val and expected.tsv. Orders are sought for so
// many seconds (2). Exits with 1 where a value is not within its tolerance.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <complex>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <map>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include <fmt/core.h>

#include <ricci/error.hpp>
#include <ricci/network.hpp>

#include "bench/timing.hpp"
#include "src/runtime/parallel.hpp"

namespace {

using complex = std::complex<double>;

struct instance {
    std::vector<std::vector<std::int64_t>> operands;
    std::vector<std::int64_t> open;
    std::map<std::int64_t, std::size_t> extents;
    std::size_t usual = 2;
    std::size_t extent(std::int64_t index) const {
        const auto found = extents.find(index);
        return found == extents.end() ? usual : found->second;
    }
};

std::ifstream opened(const std::string& file) {
    std::ifstream in(file);
    if (!in) throw std::runtime_error("cannot read " + file);
    return in;
}

instance read_instance(const std::string& file) {
    instance made;
    std::ifstream in = opened(file);
    for (std::string line; std::getline(in, line);) {
        if (line.empty() || line[0] == '#') continue;
        std::istringstream words(line);
        if (line.starts_with("out:")) {
            words.ignore(4);
            for (std::int64_t i; words >> i;) made.open.push_back(i);
        } else if (line.starts_with("sizes:")) {
            words.ignore(6);
            for (std::string w; words >> w;) {
                const auto equals = w.find('=');
                const std::size_t extent = std::stoul(w.substr(equals + 1));
                if (w[0] == '*') made.usual = extent;
                else made.extents[std::stoll(w)] = extent;
            }
        } else {
            made.operands.emplace_back();
            for (std::int64_t i; words >> i;) made.operands.back().push_back(i);
        }
    }
    return made;
}

// Number n of a stream that a seed gives, within -1 and 1.
double drawn(std::uint64_t seed, std::uint64_t n) {
    std::uint64_t x = seed + (n + 1) * 0x9E3779B97F4A7C15u;
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
    return 2 * static_cast<double>((x ^ (x >> 31)) >> 11) * 0x1p-53 - 1;
}

struct entry {
    std::vector<double> numbers;  // complex: pairs
    bool is_drawn = false;
    std::uint64_t seed = 0;
    double scale = 1;
};

ricci::network read_values(const instance& from, const std::string& file) {
    std::ifstream in = opened(file);
    bool is_complex = false;
    std::map<std::size_t, entry> entries;
    std::vector<std::size_t> used;
    for (std::string word; in >> word;) {
        if (word[0] == '#') {
            in.ignore(std::numeric_limits<std::streamsize>::max(), '\n');
        } else if (word == "dtype") {
            in >> word;
            is_complex = word == "c128";
        } else if (word == "entry") {
            std::size_t number = 0;
            std::string line;
            in >> number;
            std::getline(in, line);
            std::istringstream words(line.substr(line.find_first_not_of(" :")));
            entry& e = entries[number];
            if (line.find("rand") != std::string::npos) {
                e.is_drawn = true;
                words >> word >> e.seed >> e.scale;
            } else {
                for (double x; words >> x;) e.numbers.push_back(x);
            }
        } else if (word == "ops:") {
            for (std::size_t k; in >> k;) used.push_back(k);
        }
    }
    ricci::network made;
    for (std::size_t k = 0; k < from.operands.size(); ++k) {
        std::vector<std::size_t> extents;
        for (const std::int64_t i : from.operands[k]) extents.push_back(from.extent(i));
        ricci::array a(is_complex ? ricci::element::c128 : ricci::element::f64, extents);
        auto* const numbers = static_cast<double*>(a.data());
        const entry& e = entries.at(used.at(k));
        const std::size_t count = a.size() * (is_complex ? 2 : 1);
        if (!e.is_drawn && e.numbers.size() != count)
            throw std::runtime_error(fmt::format("operand {} has {} numbers", k, count));
        for (std::size_t n = 0; n < count; ++n)
            numbers[n] = e.is_drawn ? e.scale * drawn(e.seed, n) : e.numbers[n];
        made.add(std::move(a), from.operands[k]);
    }
    made.keep(from.open);
    return made;
}

complex value_of(const ricci::array& a) {
    const auto* const numbers = static_cast<const double*>(a.data());
    return a.type() == ricci::element::c128 ? complex(numbers[0], numbers[1]) : numbers[0];
}

}  // namespace

int main(int count, char** words) try {
    if (count < 2) throw std::runtime_error("bench_network_values FOLDER [SECONDS] [THREADS]");
    const std::string folder = words[1];
    const double seconds = count > 2 ? std::atof(words[2]) : 2;
    ricci::runtime::set_worker_count(count > 3 ? std::atoi(words[3]) : 0);
    const std::vector<std::string> names(words + std::min(count, 4), words + count);
    std::ifstream expected = opened(folder + "/expected.tsv");
    std::string line;
    std::getline(expected, line);
    bool right = true;
    fmt::print("{:16} {:6} {:>8} {:>8} {:>24} {:>9} {:>9}\n", "network", "values", "order s",
               "run s", "value", "error", "allowed");
    while (std::getline(expected, line)) {
        std::istringstream fields(line);
        std::string name, kind, what;
        double real = 0, imaginary = 0, allowed = 0;
        fields >> name >> kind >> what >> real >> imaginary >> allowed;
        if (!names.empty() && std::find(names.begin(), names.end(), name) == names.end()) continue;
        const instance shapes = read_instance(folder + "/instances/" + name + ".txt");
        const ricci::network n =
            read_values(shapes, folder + "/values/" + name + "." + kind + ".val");
        auto start = std::chrono::steady_clock::now();
        const auto order = ricci::find_order(n, {.seconds = seconds});
        const double searched = ricci::bench::seconds_since(start);
        if (order.multiplications() > 1e13) {
            fmt::print("{:16} {:6} {:8.3f}  1e{:.1f} multiplications are not run\n", name, kind,
                       searched, std::log10(order.multiplications()));
            continue;
        }
        start = std::chrono::steady_clock::now();
        const complex got = value_of(ricci::contract(n, order)), known(real, imaginary);
        const double ran = ricci::bench::seconds_since(start);
        const double error = std::abs(got - known) / (known == 0.0 ? 1 : std::abs(known));
        right = right && error <= allowed;
        fmt::print("{:16} {:6} {:8.3f} {:8.3f} {:24.16g} {:9.2g} {:9.2g}{}\n", name, kind, searched,
                   ran, got.real(), error, allowed, error <= allowed ? "" : "  WRONG");
    }
    return right ? 0 : 1;
} catch (const std::exception& e) {
    fmt::print(stderr, "{}\n", e.what());
    return 1;
}
