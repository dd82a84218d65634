// What is kept of a model: a checkpoint to go on from, and its weights for the example gpt.
#include "examples/train/model.hpp"

#include <cstdio>
#include <cstdlib>

#include <fmt/core.h>

#ifdef RICCI_EXAMPLE_FILES
#include <ricci/files.hpp>
#endif

namespace train {

/// The number of the step, then value and Adam's means of every parameter, in their order.
void model::checkpoint(const char* path, const char* mode) {
    std::FILE* file = std::fopen(path, mode);
    const bool writes = mode[0] == 'w';
    bool good = file != nullptr;
    const auto pass = [&](void* data, std::size_t size) {
        if (good)
            good = (writes ? std::fwrite(data, 1, size, file) : std::fread(data, 1, size, file)) ==
                   size;
    };
    pass(&step_, sizeof step_);
    each_parameter([&](auto& p) {
        auto& q = hana::second(p);
        for (float* data : {q.value.data(), q.mean.data(), q.square.data()})
            pass(data, q.value.size() * sizeof(float));
    });
    if (file != nullptr) good = std::fclose(file) == 0 && good;
    if (good) return;
    fmt::print(stderr, "{} cannot be {}\n", path, writes ? "written" : "read as a checkpoint");
    std::exit(1);
}

#ifdef RICCI_EXAMPLE_FILES

// Biases that this model does not have are 0.
bool model::write_gpt(const char* path) const {
    ricci::arrays all;
    const auto add = [&](const std::string& name, const auto& t) {
        all.add(name, ricci::array(t.view()));
    };
    const auto zeros = [&](const std::string& name, std::size_t size) {
        all.add(name, ricci::array(ricci::element::f32, {size}));
    };
    // Columns of queries, keys and values side by side, head after head.
    const auto beside = [&](const std::string& name, const block_parameters& p) {
        ricci::tensor<float, 2> w({width, 3 * width});
        const ricci::tensor<float, 3>* const parts[] = {&p["W_Q"_t].value, &p["W_K"_t].value,
                                                        &p["W_V"_t].value};
        for (std::size_t o = 0; o < 3; ++o)
            for (std::size_t h = 0; h < heads; ++h)
                for (std::size_t a = 0; a < width; ++a)
                    for (std::size_t d = 0; d < column; ++d)
                        w(a, o * width + h * column + d) = (*parts[o])(h, a, d);
        all.add(name, ricci::array(std::move(w)));
    };
    add("wte.weight", embedding_["E"_t].value);
    add("wpe.weight", embedding_["P"_t].value);
    for (std::size_t k = 0; k < layers; ++k) {
        const block_parameters& p = blocks_[k].parameters;
        const std::string h = fmt::format("h.{}.", k);
        add(h + "ln_1.weight", p["\\gamma"_t].value);
        add(h + "ln_1.bias", p["\\beta"_t].value);
        beside(h + "attn.c_attn.weight", p);
        zeros(h + "attn.c_attn.bias", 3 * width);
        const float* const out = p["W_O"_t].value.data();
        all.add(h + "attn.c_proj.weight",
                ricci::array(ricci::tensor_view<const float, 2>(out, {width, width})));
        zeros(h + "attn.c_proj.bias", width);
        add(h + "ln_2.weight", p["\\gamma'"_t].value);
        add(h + "ln_2.bias", p["\\beta'"_t].value);
        add(h + "mlp.c_fc.weight", p["U"_t].value);
        add(h + "mlp.c_fc.bias", p["u"_t].value);
        add(h + "mlp.c_proj.weight", p["W"_t].value);
        add(h + "mlp.c_proj.bias", p["w"_t].value);
    }
    add("ln_f.weight", head_["\\gamma"_t].value);
    add("ln_f.bias", head_["\\beta"_t].value);
    const float* const u = head_["U"_t].value.data();
    all.add("lm_head.weight",
            ricci::array(ricci::tensor_view<const float, 2>(u, {256, width}, {1, 256})));
    ricci::save(path, all);
    return true;
}

#else

bool model::write_gpt(const char*) const { return false; }

#endif

}  // namespace train
