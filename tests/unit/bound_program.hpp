// A program with random operands in random layouts, run by the engine and by the interpreter.
#pragma once

#include <cmath>
#include <complex>
#include <cstdint>
#include <cstring>
#include <deque>
#include <map>
#include <memory>
#include <numeric>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include <ricci/engine/executable.hpp>
#include <ricci/ir/extrema.hpp>

#include "tests/front.hpp"
#include "tests/unit/guarded.hpp"
#include "tests/unit/interpreter.hpp"

namespace ricci::testing {

using shape = std::vector<std::int64_t>;

/// How the axes of a tensor lie in memory.
enum class layout { row_major, shuffled };

/// Calls f with an element of the type that the tag means.
template <class F>
void with_element_type(element type, F f) {
    switch (type) {
        case element::f32:
            return f(float{});
        case element::f64:
            return f(double{});
        case element::i32:
            return f(std::int32_t{});
        case element::i64:
            return f(std::int64_t{});
        case element::bf16:
            return f(bf16{});
        case element::f16:
            return f(f16{});
        case element::c64:
            return f(std::complex<float>{});
        case element::c128:
            return f(std::complex<double>{});
        case element::boolean:
            return f(bool{});
    }
}

/// Memory of one operand: strides of any order, with gaps and reversed axes when shuffled.
struct memory {
    shape extents;
    shape strides;
    guarded_memory bytes;     // what the elements span, and not one byte more
    std::int64_t origin = 0;  // elements
    element type = element::f32;

    memory(element t, const shape& s, layout l, std::mt19937& random)
        : extents(s), strides(s.size()), type(t) {
        std::vector<std::size_t> order(s.size());
        std::iota(order.begin(), order.end(), 0);
        if (l == layout::shuffled) std::shuffle(order.begin(), order.end(), random);
        std::int64_t size = 1, reach = 0;
        bool empty = false;
        for (std::size_t k = order.size(); k-- > 0;) {
            const std::int64_t extent = s[order[k]];
            strides[order[k]] = size;
            reach += size * std::max<std::int64_t>(extent - 1, 0);
            empty = empty || extent == 0;
            size *= std::max<std::int64_t>(extent, 1);
            if (l == layout::shuffled && random() % 3 == 0)
                size += static_cast<std::int64_t>(random() % 3);
        }
        for (std::size_t axis = 0; axis < s.size(); ++axis)
            if (l == layout::shuffled && random() % 4 == 0 && s[axis] > 0) {
                origin += strides[axis] * (s[axis] - 1);
                strides[axis] = -strides[axis];
            }
        if (empty) origin = 0;
        bytes = guarded_memory(empty ? 0 : static_cast<std::size_t>(reach + 1) * size_of(t),
                               size % 2 == 0 ? guarded_end::last : guarded_end::first);
    }
    void* data() { return bytes.data() + origin * static_cast<std::int64_t>(size_of(type)); }
    void set(std::int64_t element_number, double value) {
        std::byte* to =
            bytes.data() + (origin + element_number) * static_cast<std::int64_t>(size_of(type));
        with_element_type(type, [&]<class T>(T) {
            const T stored = engine::number(value).as<T>();
            std::memcpy(to, &stored, sizeof stored);
        });
    }
    double get(std::int64_t element_number) const {
        const std::byte* from =
            bytes.data() + (origin + element_number) * static_cast<std::int64_t>(size_of(type));
        double value = 0;
        with_element_type(type, [&]<class T>(T) {
            T stored;
            std::memcpy(&stored, from, sizeof stored);
            value = engine::number(stored).real;
        });
        return value;
    }
    /// Calls f(offset) for every element, the last axis fastest.
    template <class F>
    void each(F f) const {
        for (auto n : extents)
            if (n == 0) return;
        shape at(extents.size(), 0);
        for (;;) {
            std::int64_t offset = 0;
            for (std::size_t k = 0; k < at.size(); ++k) offset += at[k] * strides[k];
            f(offset);
            std::size_t k = at.size();
            while (k > 0 && ++at[k - 1] == extents[k - 1]) at[--k] = 0;
            if (k == 0) return;
        }
    }
    dense values() const {
        dense result{extents, {}};
        each([&](std::int64_t offset) { result.values.push_back(get(offset)); });
        return result;
    }
};

class bound_program {
public:
    bound_program(ir::program program, element type, unsigned seed)
        : program_(std::move(program)), type_(type), random_(seed), seed_(seed) {}
    bound_program(const std::string& text, element type, unsigned seed)
        : bound_program(parsed(text), type, seed) {
        text_ = text;
    }
    const std::string& text() const { return text_; }

    static ir::program parsed(const std::string& text) { return program_of(read_equations(text)); }

    ir::ref name(const std::string& n) const {
        return program_.view().find({n.data(), static_cast<std::int32_t>(n.size())});
    }
    memory& allocate(const shape& extents, layout l = layout::shuffled) {
        return allocate(extents, l, type_);
    }
    memory& allocate(const shape& extents, layout l, element type) {
        auto& m = owned_.emplace_back(type, extents, l, random_);
        std::uniform_real_distribution<double> uniform(-1, 1);
        m.each([&](std::int64_t offset) { m.set(offset, uniform(random_)); });
        return m;
    }
    bound_program& input(const std::string& n, const shape& extents, layout l = layout::shuffled) {
        return input(n, allocate(extents, l));
    }
    bound_program& input(const std::string& n, memory& m) {
        inputs.push_back(operand_of(n, m));
        memories_[name(n)] = &m;
        return *this;
    }
    bound_program& number(const std::string& n, double value) {
        engine::operand o;
        o.name = name(n);
        o.value = value;
        inputs.push_back(o);
        return *this;
    }
    bound_program& output(const std::string& n, memory& m) {
        outputs.push_back(operand_of(n, m));
        results_[name(n)] = &m;
        return *this;
    }
    bound_program& output(const std::string& n, const shape& extents, layout l = layout::shuffled) {
        return output(n, allocate(extents, l));
    }
    bound_program& extent(const std::string& index, std::int64_t n) {
        index_extents.push_back(
            {program_.intern_index({index.data(), static_cast<std::int32_t>(index.size())}), n});
        return *this;
    }
    ir::program_view view() const { return program_.view(); }
    memory& operand(ir::ref n) { return *memories_.at(n); }
    std::vector<ir::ref> output_names() const {
        std::vector<ir::ref> names;
        for (const auto& [n, m] : results_) names.push_back(n);
        return names;
    }
    memory& result(ir::ref n) { return *results_.at(n); }
    bound_program& keep(const std::string& n) {
        program_.names[name(n)].kept = true;
        return *this;
    }

    engine::request request() {
        engine::request r;
        r.program = program_.view();
        r.type = type_;
        r.inputs = inputs.data();
        r.input_count = static_cast<std::int32_t>(inputs.size());
        r.outputs = outputs.data();
        r.output_count = static_cast<std::int32_t>(outputs.size());
        r.index_extents = index_extents.data();
        r.index_extent_count = static_cast<std::int32_t>(index_extents.size());
        r.alpha = alpha;
        r.beta = beta;
        r.fuse = fuse;
        r.solve_places = solve_places;
        r.context = this;
        r.allocate = [](void* self, ir::ref n, std::int32_t rank,
                        const std::int64_t* extents) -> void* {
            auto& me = *static_cast<bound_program*>(self);
            const bool places = ir::is_of_places(me.program_.view(), n);
            auto& m = me.allocate(shape(extents, extents + rank), layout::row_major,
                                  places ? element::i32 : me.type_);
            me.results_[n] = &m;
            return m.data();
        };
        return r;
    }
    engine::executable prepare() { return engine::executable(request()); }

    /// Runs both `times` times; what differs, in words, or nothing.
    std::string compare(double tolerance = 0, int times = 1) {
        if (tolerance == 0) tolerance = type_ == element::f32 ? 2e-4 : 1e-11;
        auto step = prepare();
        std::ostringstream words;
        for (int k = 0; k < times; ++k) {
            interpreter oracle(program_.view());
            for (const auto& o : inputs)
                oracle.tensors[o.name] = memories_.count(o.name) ? memories_[o.name]->values()
                                                                 : dense{{}, {o.value.real}};
            for (const auto& o : outputs) oracle.shapes[o.name] = results_[o.name]->extents;
            for (const auto& e : index_extents) oracle.given[e.index] = e.extent;
            std::map<ir::ref, dense> before;
            for (const auto& [n, m] : results_) before[n] = m->values();
            oracle.run();
            step.run();
            for (const auto& [n, m] : results_) {
                const auto got = m->values();
                auto& expected = oracle.tensors[n];
                if (got.extents != expected.extents) {
                    words << "a shape differs; ";
                    continue;
                }
                for (std::size_t x = 0; x < got.values.size(); ++x) {
                    long double want = static_cast<long double>(alpha) * expected.values[x];
                    if (beta != 0) want += static_cast<long double>(beta) * before[n].values[x];
                    if (got.values[x] == want || (std::isnan(got.values[x]) && std::isnan(want)))
                        continue;
                    if (std::abs(got.values[x] - want) <= tolerance * (1 + std::abs(want)))
                        continue;
                    words << "element " << x << " of output " << n << " is " << got.values[x]
                          << " instead of " << want << "; ";
                    break;
                }
            }
        }
        if (!words.str().empty()) words << "seed " << seed_ << "\n" << step.explain();
        return words.str();
    }

    std::vector<engine::operand> inputs, outputs;
    std::vector<engine::index_extent> index_extents;
    double alpha = 1, beta = 0;
    bool fuse = true;
    bool solve_places = true;
    std::mt19937& random() { return random_; }

private:
    engine::operand operand_of(const std::string& n, memory& m) {
        return {name(n),          static_cast<std::int32_t>(m.extents.size()),
                m.data(),         m.extents.data(),
                m.strides.data(), 0};
    }

    ir::program program_;
    element type_;
    std::mt19937 random_;
    unsigned seed_;
    std::string text_;
    std::deque<memory> owned_;
    std::map<ir::ref, memory*> memories_, results_;
};

}  // namespace ricci::testing
