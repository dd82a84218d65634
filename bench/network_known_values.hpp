// Values of networks that are known exactly, in a folder with instances/NAME.txt,
// values/NAME.KIND.val and expected.tsv, and how far others are from them.
#pragma once

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include <ricci/network.hpp>

#include "bench/network_instances.hpp"

namespace ricci::bench {

/// The only element of a scalar of double or complex numbers.
inline std::complex<double> number_of(const array& a) {
    const auto* const numbers = static_cast<const double*>(a.data());
    return {numbers[0], a.type() == element::c128 ? numbers[1] : 0.0};
}

/// A number as it is written, which may be beyond the range of double.
struct written_number {
    explicit written_number(const std::string& text) {
        const auto e = text.find('e');
        mantissa = std::stod(text.substr(0, e));
        if (e != std::string::npos) exponent10 = std::stod(text.substr(e + 1));
        if (mantissa == 0) return;
        const double digits = std::floor(std::log10(std::abs(mantissa)));
        mantissa /= std::pow(10, digits);
        exponent10 += digits;
    }
    double mantissa = 0, exponent10 = 0;
};

/// A line of expected.tsv.
struct known_value {
    std::string name, kind, real, imaginary;
    double tolerance = 0;

    network network_in(const std::string& folder) const {
        return read_values(read_instance(folder + "/instances/" + name + ".txt"),
                           folder + "/values/" + name + "." + kind + ".val");
    }
    bool is_in_range() const {
        return std::isfinite(std::strtod(real.c_str(), nullptr)) &&
               std::isfinite(std::strtod(imaginary.c_str(), nullptr));
    }
    /// Relative, but for a value of 0; 0 where no double is as large as the value.
    double error_of(const array& got) const {
        if (!is_in_range()) return 0;
        return relative_error(number_of(got), {std::strtod(real.c_str(), nullptr),
                                               std::strtod(imaginary.c_str(), nullptr)});
    }
    double error_of(const scaled& got) const {
        const written_number re(real), im(imaginary);
        const double unit = std::max(re.mantissa == 0 ? -HUGE_VAL : re.exponent10,
                                     im.mantissa == 0 ? -HUGE_VAL : im.exponent10);
        if (unit == -HUGE_VAL) return std::abs(number_of(got.mantissa));
        const auto in_units = [&](const written_number& x) {
            return x.mantissa * std::pow(10, x.exponent10 - unit);
        };
        return relative_error(number_of(got.mantissa) * std::pow(10, got.exponent10 - unit),
                              {in_units(re), in_units(im)});
    }

private:
    static double relative_error(std::complex<double> got, std::complex<double> known) {
        return std::abs(got - known) / (known == 0.0 ? 1 : std::abs(known));
    }
};

inline std::vector<known_value> known_values(const std::string& folder) {
    std::vector<known_value> all;
    std::ifstream in = opened(folder + "/expected.tsv");
    std::string line;
    for (std::getline(in, line); std::getline(in, line);) {
        std::istringstream fields(line);
        known_value v;
        std::string quantity;
        fields >> v.name >> v.kind >> quantity >> v.real >> v.imaginary >> v.tolerance;
        all.push_back(v);
    }
    return all;
}

}  // namespace ricci::bench
