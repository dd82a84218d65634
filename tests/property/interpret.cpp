// Values of random programs, from their trees.
#include "tests/property/interpret.hpp"

#include <random>

#include "tests/property/build.hpp"

namespace ricci::testing {
namespace {

/// The number as an element of the type is it.
double in_type(double value, element type) {
    const auto single = static_cast<float>(value);
    if (type == element::bf16) return static_cast<float>(bf16(single));
    if (type == element::f16) return static_cast<float>(f16(single));
    return type == element::f32 || type == element::c64 ? single : value;
}

}  // namespace

namespace {

dense drawn(const declaration& d, element type, unsigned seed) {
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> uniform(d.positive ? 0.5 : -1.0, d.positive ? 1.5 : 1.0);
    dense out = dense::zeros(d.extents);
    for (auto& x : out.values) {
        if (d.places > 0) {
            x = static_cast<double>(random() % static_cast<unsigned>(d.places));
            continue;
        }
        const double value = uniform(random);
        if (is_integer(type)) {
            x = static_cast<double>(static_cast<int>(random() % 4) + (d.positive ? 1 : -1));
            continue;
        }
        x = in_type(value, type);
    }
    return out;
}

}  // namespace

dense input_values::of(std::size_t tensor, element type) const {
    // Differences ask for the same numbers a thousand times: the last ones of each are kept.
    struct kept {
        unsigned seed = 0;
        element type = element::f32;
        bool positive = false;
        std::int64_t places = 0;
        dense values;
    };
    static std::map<std::size_t, kept> last;
    const declaration& d = p_.tensors[tensor];
    const unsigned seed = p_.seed * 977u + static_cast<unsigned>(tensor);
    kept& k = last[tensor];
    if (k.seed != seed || k.type != type || k.positive != d.positive || k.places != d.places ||
        k.values.extents != d.extents || k.values.values.empty())
        k = {seed, type, d.positive, d.places, drawn(d, type, seed)};
    return k.values;
}

std::map<std::string, dense> interpret(const random_program& p, element type,
                                       const std::map<std::size_t, dense>& changed,
                                       const std::map<std::string, dense>& stored) {
    const ir::program meaning = ir_builder(p).build();
    const ir::program_view view = meaning.view();
    interpreter oracle(view);
    for (std::size_t t = 0; t < p.tensors.size(); ++t) {
        const ir::ref n = find_name(view, p.tensors[t].name);
        if (p.tensors[t].defined || n == ir::none) continue;
        const auto other = changed.find(t);
        oracle.tensors[n] = other == changed.end() ? input_values(p).of(t, type) : other->second;
    }
    for (ir::ref i = 0; i < view.indices.size(); ++i)
        oracle.given[i] = p.extent(spelled(view.index(i)));
    for (const auto& [name, values] : stored) oracle.stored[find_name(view, name)] = values;
    oracle.run();
    std::map<std::string, dense> out;
    for (const auto& e : p.equations)
        out[p.tensors[e.tensor].name] =
            oracle.results.at(find_name(view, p.tensors[e.tensor].name));
    return out;
}

}  // namespace ricci::testing
