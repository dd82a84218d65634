// What a program of the run-time face holds: its equations, shared by its copies, which never
// change.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <ricci/ir/program.hpp>
#include <ricci/parse.hpp>
#include <ricci/engine/executable.hpp>

namespace ricci::detail {

/// Of a program that is carried out layer by layer.
struct layers_of_program {
    program layer;
    program stated;        // the equations of one, where they are derived from those of the layer
    engine::layering how;  // refers to `layer` and `shared`
    std::vector<ir::ref> shared;
    std::string index = {};  // the letter for the layers

    static program program_of(program_body* body) { return program(body); }
};

class program_body {
public:
    explicit program_body(ir::program equations,
                          std::unique_ptr<const layers_of_program> layers = nullptr);

    ir::program_view view() const { return view_; }
    /// Tells it from all other programs of this process, and from those known at compile time.
    std::uint64_t key() const { return key_; }
    /// Its outputs in the order of the equations.
    const std::vector<ir::ref>& outputs() const { return outputs_; }
    /// nullptr where there are no layers. With them the equations say what a call binds and gets.
    const layers_of_program* layers() const { return layers_.get(); }

    void share() { parts_.fetch_add(1, std::memory_order_relaxed); }
    void leave() {
        if (parts_.fetch_sub(1, std::memory_order_acq_rel) == 1) delete this;
    }

private:
    ~program_body() = default;

    ir::program equations_;
    ir::program_view view_;
    std::uint64_t key_;
    std::vector<ir::ref> outputs_;
    std::unique_ptr<const layers_of_program> layers_;
    std::atomic<std::int32_t> parts_{1};
};

/// A part in a program, of a plan that refers to it.
class program_part {
public:
    program_part() = default;
    explicit program_part(program_body* body) : body_(body) {
        if (body_ != nullptr) body_->share();
    }
    program_part(const program_part& other) : program_part(other.body_) {}
    program_part& operator=(program_part other) noexcept {
        std::swap(body_, other.body_);
        return *this;
    }
    ~program_part() {
        if (body_ != nullptr) body_->leave();
    }

private:
    program_body* body_ = nullptr;
};

/// A copy that refers to itself.
std::unique_ptr<layers_of_program> copied(const layers_of_program& layers);
/// A program that is carried out layer by layer.
program program_of_layers(ir::program equations, std::unique_ptr<const layers_of_program> layers);

/// The body of a program, for the files that carry out what its members promise.
inline program_body& body_of(const program& p) { return *p.body_; }

}  // namespace ricci::detail
