// Amplitudes of quantum circuits: gates as tensors, diagonal ones on the indices that are there.
#pragma once

#include <cmath>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <numbers>
#include <utility>
#include <vector>

#include "bench/networks/parts.hpp"

namespace ricci::bench {

using amplitude = std::complex<double>;

/// A circuit as it is written: qubits begin in 0 or 1, gates follow.
class circuit {
public:
    /// Qubit k begins in bit k of `bits`.
    explicit circuit(std::size_t qubits, std::uint64_t bits = 0) : wires_(qubits) {
        for (std::size_t q = 0; q < qubits; ++q) {
            wires_[q] = next_++;
            network_.add(basis_state((bits >> q) & 1), {wires_[q]});
        }
    }

    /// A gate of one qubit: {to 0 from 0, to 0 from 1, to 1 from 0, to 1 from 1}.
    void gate(std::size_t q, const std::vector<amplitude>& matrix) {
        const std::int64_t from = std::exchange(wires_[q], next_++);
        network_.add(tensor_of<amplitude>({2, 2}, matrix), {wires_[q], from});
    }
    void hadamard(std::size_t q) {
        const double h = std::numbers::sqrt2 / 2;
        gate(q, {h, h, h, -h});
    }
    /// Multiplies by a factor where both qubits are 1.
    void controlled_phase(std::size_t a, std::size_t b, amplitude factor) {
        network_.add(tensor_of<amplitude>({2, 2}, {1, 1, 1, factor}), {wires_[a], wires_[b]});
    }
    /// Turns `target` where `control` is 1, which keeps its index.
    void controlled_not(std::size_t control, std::size_t target) {
        const std::int64_t from = std::exchange(wires_[target], next_++);
        network_.add(tensor_of<amplitude>({2, 2, 2}, {1, 0, 0, 1, 0, 1, 1, 0}),
                     {wires_[control], wires_[target], from});
    }

    /// The amplitude of an output.
    network close(std::uint64_t bits) && {
        for (std::size_t q = 0; q < wires_.size(); ++q)
            network_.add(basis_state((bits >> q) & 1), {wires_[q]});
        return std::move(network_);
    }
    /// All amplitudes, qubit 0 first.
    network open() && {
        network_.keep(wires_);
        return std::move(network_);
    }

private:
    static array basis_state(std::uint64_t bit) {
        return tensor_of<amplitude>({2}, {bit == 0 ? 1.0 : 0.0, bit == 0 ? 0.0 : 1.0});
    }

    network network_;
    index_numbers wires_;  // the index of each qubit now
    std::int64_t next_ = 0;
};

/// (|00...0> + |11...1>) / sqrt(2).
inline circuit ghz(std::size_t qubits) {
    circuit c(qubits);
    c.hadamard(0);
    for (std::size_t q = 1; q < qubits; ++q) c.controlled_not(q - 1, q);
    return c;
}

/// The Fourier transform of the basis state x, whose lowest bit is qubit 0: the amplitude of y,
/// whose highest bit is qubit 0, is exp(2 pi i x y / 2^qubits) / sqrt(2^qubits).
inline circuit qft(std::size_t qubits, std::uint64_t x) {
    circuit c(qubits, x);
    for (std::size_t q = qubits; q-- > 0;) {
        c.hadamard(q);
        for (std::size_t lower = 0; lower < q; ++lower)
            c.controlled_phase(
                lower, q,
                std::polar(1.0, std::numbers::pi / std::exp2(static_cast<double>(q - lower))));
    }
    return c;
}

/// Qubits on rows x columns, `depth` layers: a random gate on each, then controlled signs on every
/// second bond in one of four directions in turn.
inline circuit random_circuit(std::size_t rows, std::size_t columns, std::size_t depth,
                              std::uint64_t seed) {
    random_numbers random(seed);
    circuit c(rows * columns);
    for (std::size_t layer = 0; layer < depth; ++layer) {
        for (std::size_t q = 0; q < rows * columns; ++q) {
            const double turn = std::acos(std::sqrt(random.unit()));
            const double a = 2 * std::numbers::pi * random.unit(),
                         b = 2 * std::numbers::pi * random.unit();
            c.gate(q, {std::polar(std::cos(turn), a), std::polar(std::sin(turn), b),
                       -std::polar(std::sin(turn), -b), std::polar(std::cos(turn), -a)});
        }
        const bool across = layer % 2 == 0;
        const std::size_t parity = layer / 2 % 2;
        for (std::size_t row = 0; row < rows; ++row)
            for (std::size_t column = 0; column < columns; ++column) {
                const bool has_next = across ? column + 1 < columns : row + 1 < rows;
                if (!has_next || ((across ? column : row) + (across ? row : column)) % 2 != parity)
                    continue;
                const std::size_t q = row * columns + column;
                c.controlled_phase(q, across ? q + 1 : q + columns, -1);
            }
    }
    return c;
}

}  // namespace ricci::bench
