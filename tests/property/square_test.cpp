// Random programs over tensors of square extents that stand at several places: their values, and
// their gradients by all inputs at once, alone and of a batch, beside plain loops and differences.
// A program that fails is made simpler first. RICCI_SEED and RICCI_PROGRAMS say which and how many.
#include <algorithm>
#include <cmath>
#include <exception>
#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <ricci/array.hpp>
#include <ricci/derive/batch.hpp>
#include <ricci/program.hpp>

#include "src/base/texts.hpp"
#include "tests/catch.hpp"
#include "tests/property/settings.hpp"
#include "tests/property/square_programs.hpp"
#include "tests/unit/slopes.hpp"

using namespace ricci;
using namespace ricci::testing;

namespace {

std::string check(ir::program program, const square_program& p,
                  const std::vector<shaped_input>& inputs, unsigned seed) {
    slopes s(std::move(program), p.result().name, inputs, seed);
    if (!s.usable()) return {};
    const std::string wrong = s.check_values();
    return wrong.empty() ? s.check_gradients() : wrong;
}

/// The program for three parts at once, of some of its inputs.
std::string check_batch(const ir::program& program, const square_program& p,
                        std::vector<shaped_input> inputs, unsigned seed) {
    std::vector<detail::text_view> names;
    for (std::size_t k = 0; k < inputs.size(); ++k) {
        if ((seed + 3 * k) % 4 > 1) continue;
        names.push_back(detail::view_of(inputs[k].name));
        inputs[k].extents.insert(inputs[k].extents.begin(), 3);
    }
    if (names.empty()) return {};
    auto made = derive::batch(program.view(), names.data(), static_cast<std::int32_t>(names.size()),
                              detail::view_of("\\beta"));
    if (made.mistake) return "not batched";
    return check(std::move(made.program), p, inputs, seed);
}

std::string check(const square_program& p, unsigned seed) {
    try {
        const ir::program program = program_of(read_equations(p.text()));
        std::vector<shaped_input> inputs;
        const auto needed = p.needed();
        for (std::size_t t = 0; t < p.tensors.size(); ++t)
            if (!p.tensors[t].defined && p.is_read(t))
                inputs.push_back({p.tensors[t].name, p.shape_of(p.tensors[t]), needed[t]});
        const std::string wrong = check(ir::program(program.view()), p, inputs, seed);
        if (!wrong.empty() || seed % 4 != 0) return wrong;
        const std::string of_batch = check_batch(program, p, inputs, seed);
        return of_batch.empty() ? "" : "of a batch: " + of_batch;
    } catch (const std::exception& e) {
        return e.what();
    }
}

/// The program as one of several layers, from X to its last tensor.
class layered {
public:
    layered(const square_program& p, unsigned seed)
        : p_(p), one_(program_of(read_equations(p.text()))), random_(seed * 31u + 7) {
        for (const auto& t : p.inputs()) {
            const bool shared = t.name != "X" && random_() % 3 == 0;
            if (shared) shared_.push_back(t.name);
            auto extents = p.shape_of(t);
            if (!shared && t.name != "X") extents.insert(extents.begin(), count);
            operands_[t.name] = filled(extents);
        }
        weights_ = filled(p.shape_of(p.result()));
    }

    std::string check() {
        if (!operands_.contains("X") || p_.has_dead_lines()) return {};
        const std::string of = p_.result().name;
        const program layers = repeat(
            parse(p_.text()).value(), count,
            {.from = of, .to = "X", .index = "\\lambda", .shared = shared_, .recompute = false});
        std::vector<std::string> wrt;
        std::vector<named> bound{{"dL/d" + of, array_of(weights_)}};
        for (const auto& [name, x] : operands_) {
            wrt.push_back(name);
            bound.push_back({name, array_of(x)});
        }
        const arrays got = run(gradient(layers, of, wrt), bound);
        for (const auto& name : wrt) {
            const dense along = filled(operands_.at(name).extents);
            const auto wanted = slope_of([&](long double by) { return moved(name, along, by); });
            if (!wanted) return {};
            const array& slope = got["dL/d" + name];
            long double sum = 0, size = 1;
            for (std::size_t k = 0; k < along.values.size(); ++k) {
                const long double product =
                    along.values[k] * static_cast<const double*>(slope.data())[k];
                sum += product, size += std::abs(product);
            }
            if (std::abs(sum - *wanted) > 1e-6L * size)
                return "layers: the gradient by " + name + " is " +
                       std::to_string(static_cast<double>(sum)) + " along a direction instead of " +
                       std::to_string(static_cast<double>(*wanted));
        }
        return {};
    }

private:
    static constexpr std::int64_t count = 3;

    dense filled(testing::shape extents) {
        dense x = dense::zeros(std::move(extents));
        for (auto& value : x.values) value = std::uniform_real_distribution<double>(-1, 1)(random_);
        return x;
    }
    static array array_of(const dense& x) {
        array a(element::f64, std::vector<std::size_t>(x.extents.begin(), x.extents.end()));
        for (std::size_t k = 0; k < a.size(); ++k)
            static_cast<double*>(a.data())[k] = static_cast<double>(x.values[k]);
        return a;
    }
    long double loss(const std::map<std::string, dense>& operands) const {
        const auto number_of = [&](const std::string& name) {
            return one_.view().find(detail::view_of(name));
        };
        dense x = operands.at("X");
        for (std::int64_t layer = 0; layer < count; ++layer) {
            interpreter oracle(one_.view());
            for (const auto& [name, all] : operands) {
                dense mine = all;
                const bool shared =
                    std::find(shared_.begin(), shared_.end(), name) != shared_.end();
                if (!shared && name != "X") {
                    mine.extents.erase(mine.extents.begin());
                    const auto size = static_cast<std::ptrdiff_t>(all.values.size()) / count;
                    mine.values.assign(all.values.begin() + layer * size,
                                       all.values.begin() + (layer + 1) * size);
                }
                oracle.tensors[number_of(name)] = name == "X" ? x : std::move(mine);
            }
            oracle.run();
            x = oracle.tensors.at(number_of(p_.result().name));
        }
        long double total = 0;
        for (std::size_t k = 0; k < x.values.size(); ++k) total += x.values[k] * weights_.values[k];
        return total;
    }
    long double moved(const std::string& name, const dense& along, long double by) const {
        auto operands = operands_;
        auto& x = operands.at(name).values;
        for (std::size_t k = 0; k < x.size(); ++k) x[k] += by * along.values[k];
        return loss(operands);
    }

    const square_program& p_;
    ir::program one_;  // of the layers
    std::mt19937 random_;
    std::vector<std::string> shared_;
    std::map<std::string, dense> operands_;
    dense weights_;
};

std::string check_layers(const square_program& p, unsigned seed) {
    try {
        return layered(p, seed).check();
    } catch (const std::exception& e) {
        return e.what();
    }
}

template <class Check>
square_program simplest(square_program p, unsigned seed, const Check& check) {
    for (bool progress = true; progress;) {
        progress = false;
        for (auto& less : simpler(p)) {
            if (check(less, seed).empty()) continue;
            p = std::move(less);
            progress = true;
            break;
        }
    }
    return p;
}

template <class Check>
void check_all(unsigned count, bool layer, const Check& check) {
    const unsigned first = first_seed();
    unsigned failures = 0;
    for (unsigned seed = first; seed < first + count && failures < 5; ++seed) {
        const square_program p = square_generator(seed).run(layer);
        if (check(p, seed).empty()) continue;
        ++failures;
        const square_program least = simplest(p, seed, check);
        FAIL_CHECK("seed " << seed << "\n" << least.text() << check(least, seed));
    }
}

}  // namespace

TEST_CASE("several writers of one tensor, and values that are written over") {
    struct known {
        const char *text, *of;
        std::vector<shaped_input> inputs;
    };
    const std::string attention =
        "S^{ij} = Q^{ia} K^{ja}\nA^{ij} = \\operatorname{softmax}_j(S^{ij})\n";
    const testing::shape n_a{9, 4}, n_n{6, 6};
    const std::string tanh = attention + "O^{ic} = \\tanh(A^{ij} V^{jc})",
                      exp = attention + "O^{ic} = \\exp(A^{ij} V^{jc} + b^c)",
                      sum = attention + "O^{ic} = A^{ij} V^{jc} + U^{ic}",
                      both = attention + "O^{ic} = U^{ij} V^{jc} + A^{ij} V^{jc}";
    const std::vector<shaped_input> heads{{"Q", n_a}, {"K", {7, 4}}, {"V", {7, 5}}};
    const auto with = [&](shaped_input more) {
        auto all = heads;
        all.push_back(std::move(more));
        return all;
    };
    const std::vector<known> programs{
        {"M^{kij} = D^{li} H^{lkj}\nY^{ik} = M^{ikj} a^j + M^{jki} b^j",
         "Y",
         {{"D", {3, 4}}, {"H", {3, 4, 4}}, {"a", {4}}, {"b", {4}}}},
        {"S^{ij} = X^{ia} X^{ja}\nA^{ij} = \\operatorname{softmax}_j(S^{ij})\nY = A^{ij} W^{ij}",
         "Y",
         {{"X", {6, 3}}, {"W", n_n}}},
        {"S^{hij} = X^{hia} X^{hja}\nA^{hij} = \\operatorname{softmax}_j(S^{hij})\n"
         "Y^{hic} = A^{hij} X^{hjc}",
         "Y",
         {{"X", {2, 6, 3}}}},
        {"A^{ij} = \\operatorname{softmax}_j(X^{ia} X^{ja})", "A", {{"X", n_n}}},
        {"Y^{jl} = \\operatorname{logsumexp}_k(A^{jk} S^l + A^{kj})",
         "Y",
         {{"A", n_n}, {"S", {5}}}},
        {"S^{ij} = X^{ia} X^{ja}\nY^i = \\operatorname{logsumexp}_j(S^{ij})\nL = \\sum_i (Y^i - "
         "S^{ii})",
         "L",
         {{"X", {6, 3}}}},
        {tanh.c_str(), "O", heads},
        {exp.c_str(), "O", with({"b", {5}})},
        {sum.c_str(), "O", with({"U", {9, 5}})},
        {both.c_str(), "O", with({"U", {9, 7}})},
    };
    for (const known& p : programs)
        for (unsigned seed = 0; seed < 2; ++seed) {
            INFO(p.text);
            slopes s(program_of(read_equations(p.text)), p.of, p.inputs, seed);
            CHECK(s.check_values() == "");
            CHECK(s.check_gradients() == "");
        }
}

TEST_CASE("programs of square tensors at several places, and their gradients by all inputs") {
    check_all(program_count(100), false,
              [](const square_program& p, unsigned seed) { return check(p, seed); });
}

TEST_CASE("gradients of layers of square tensors by all inputs") {
    check_all(program_count(15), true, check_layers);
}
