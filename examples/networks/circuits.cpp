// Amplitudes of quantum circuits on 20 qubits as networks of their gates, held against a state
// vector: a GHZ state, a quantum Fourier transform, and a random circuit.
#include <algorithm>
#include <cmath>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <numbers>
#include <random>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include <ricci/network.hpp>

namespace {

using complex = std::complex<double>;

constexpr std::size_t qubits = 20;

/// A gate on one or two qubits: rows are what comes out, columns what goes in; of two qubits the
/// first one's place counts double.
struct gate {
    std::vector<std::size_t> on;
    std::vector<complex> matrix;
};
using circuit = std::vector<gate>;

gate hadamard(std::size_t q) {
    const double r = std::sqrt(0.5);
    return {{q}, {r, r, r, -r}};
}
gate controlled_not(std::size_t control, std::size_t q) {
    return {{control, q}, {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 1, 0, 0, 1, 0}};
}
gate controlled_phase(std::size_t control, std::size_t q, double angle) {
    return {{control, q}, {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, std::polar(1.0, angle)}};
}

circuit ghz() {
    circuit made{hadamard(0)};
    for (std::size_t q = 1; q < qubits; ++q) made.push_back(controlled_not(q - 1, q));
    return made;
}

/// Of a state that is no product: a GHZ state of every other qubit.
circuit fourier() {
    circuit made{hadamard(0)};
    for (std::size_t q = 2; q < qubits; q += 2) made.push_back(controlled_not(q - 2, q));
    for (std::size_t q = 0; q < qubits; ++q) {
        made.push_back(hadamard(q));
        for (std::size_t p = q + 1; p < qubits; ++p)
            made.push_back(controlled_phase(
                p, q, std::numbers::pi * std::pow(0.5, static_cast<double>(p - q))));
    }
    return made;
}

/// Layers of rotations of every qubit and of phases between neighbours.
circuit random_circuit(std::size_t layers, std::uint64_t seed) {
    std::mt19937_64 random(seed);
    const auto angle = [&] { return static_cast<double>(random() % 6283) / 1000; };
    circuit made;
    for (std::size_t layer = 0; layer < layers; ++layer) {
        for (std::size_t q = 0; q < qubits; ++q) {
            const double a = angle(), b = angle();
            made.push_back({{q},
                            {std::cos(a), -std::polar(std::sin(a), b), std::polar(std::sin(a), -b),
                             std::cos(a)}});
        }
        for (std::size_t q = layer % 2; q + 1 < qubits; q += 2)
            made.push_back(controlled_phase(q, q + 1, angle()));
    }
    return made;
}

/// All amplitudes, gate by gate. Qubit 0 is the highest bit.
std::vector<complex> state_after(const circuit& gates) {
    std::vector<complex> state(std::size_t{1} << qubits);
    state[0] = 1;
    for (const gate& g : gates) {
        std::size_t mask = 0;
        for (const std::size_t q : g.on) mask |= std::size_t{1} << (qubits - 1 - q);
        const std::size_t size = std::size_t{1} << g.on.size();
        std::vector<std::size_t> offset(size);
        for (std::size_t k = 0; k < size; ++k)
            for (std::size_t b = 0; b < g.on.size(); ++b)
                if ((k >> (g.on.size() - 1 - b) & 1) != 0)
                    offset[k] |= std::size_t{1} << (qubits - 1 - g.on[b]);
        std::vector<complex> before(size);
        for (std::size_t s = 0; s < state.size(); ++s) {
            if ((s & mask) != 0) continue;
            for (std::size_t k = 0; k < size; ++k) before[k] = state[s + offset[k]];
            for (std::size_t k = 0; k < size; ++k) {
                complex sum = 0;
                for (std::size_t l = 0; l < size; ++l) sum += g.matrix[k * size + l] * before[l];
                state[s + offset[k]] = sum;
            }
        }
    }
    return state;
}

/// The same as a network: an index for each qubit between two of its gates, those after the last
/// ones kept.
ricci::network network_of(const circuit& gates) {
    ricci::network n;
    std::int64_t next = 0;
    std::vector<std::int64_t> now;
    for (std::size_t q = 0; q < qubits; ++q) {
        ricci::array zero(ricci::element::c128, {2});
        static_cast<complex*>(zero.data())[0] = 1;
        now.push_back(next++);
        n.add(std::move(zero), {now.back()});
    }
    for (const gate& g : gates) {
        std::vector<std::int64_t> indices, before;
        for (const std::size_t q : g.on) {
            before.push_back(std::exchange(now[q], next++));
            indices.push_back(now[q]);
        }
        indices.insert(indices.end(), before.begin(), before.end());
        ricci::array a(ricci::element::c128, std::vector<std::size_t>(indices.size(), 2));
        for (std::size_t k = 0; k < g.matrix.size(); ++k)
            static_cast<complex*>(a.data())[k] = g.matrix[k];
        n.add(std::move(a), indices);
    }
    n.keep(now);
    return n;
}

bool check(const char* name, const circuit& gates) {
    const std::vector<complex> state = state_after(gates);
    const ricci::network n = network_of(gates);
    constexpr std::size_t rows = 8;
    ricci::array choices(ricci::element::i64, {rows, qubits});
    std::mt19937_64 random(1);
    std::vector<std::size_t> wanted;
    for (std::size_t r = 0; r < rows; ++r) {
        // Nothing, everything, and others.
        const std::size_t all = state.size() - 1;
        wanted.push_back(r == 0 ? 0 : r == 1 ? all : static_cast<std::size_t>(random()) & all);
        for (std::size_t q = 0; q < qubits; ++q)
            static_cast<std::int64_t*>(choices.data())[r * qubits + q] =
                static_cast<std::int64_t>(wanted[r] >> (qubits - 1 - q) & 1);
    }
    ricci::order_options options;
    options.choices = rows;
    const auto order = ricci::find_order(n, options);
    const auto found = ricci::amplitudes(n, order, n.kept(), choices);
    double error = 0, largest = 0;
    for (std::size_t r = 0; r < rows; ++r) {
        const complex got = *static_cast<const complex*>(found[r].data());
        error = std::max(error, std::abs(got - state[wanted[r]]));
        largest = std::max(largest, std::abs(state[wanted[r]]));
    }
    error /= largest;
    const bool is_right = error < 1e-12;
    fmt::print("{:8} {:4} tensors, {} amplitudes, error {:.1e}{}\n", name, n.size(), rows, error,
               is_right ? "" : "  WRONG");
    return is_right;
}

}  // namespace

int main() {
    bool right = check("GHZ", ghz());
    right = check("Fourier", fourier()) && right;
    right = check("random", random_circuit(8, 1)) && right;
    return right ? EXIT_SUCCESS : EXIT_FAILURE;
}
