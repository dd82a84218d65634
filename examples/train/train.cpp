// A small causal transformer that learns to write bytes: the model, its loss and Adam are equations,
// the gradients are derived from them.
//   train [--steps N] [--text FILE] [--threads N] [--save FILE] [--resume FILE] [--sample N]
//         [--export FILE.safetensors]      what it has learnt, for examples/gpt
//   train --check      a short run: the loss falls; resumed, and on another number of threads, the same
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <string>
#include <utility>
#include <vector>

#include <ricci/ricci.hpp>
#ifdef RICCI_EXAMPLE_FILES
#include <ricci/files.hpp>
#endif

#include <boost/hana/unpack.hpp>

using namespace ricci::literals;
namespace hana = boost::hana;

namespace {

// The model ------------------------------------------------------------------------------------------

// Row x of E for the byte, row i of P for its place.
constexpr auto embedding = "X^{bia} = E^{x_{bi} a} + P^{ia}"_eq;

constexpr auto block = R"(
    \mu^{bi}  = \operatorname{mean}_a X^{bia}
    s^{bi}    = \operatorname{mean}_a ((X^{bia} - \mu^{bi})^2)
    N^{bia}   = \gamma^a \frac{X^{bia} - \mu^{bi}}{\sqrt{s^{bi} + 10^{-5}}} + \beta^a
    Q^{bhid}  = N^{bia} W_Q^{had}
    K^{bhjd}  = N^{bja} W_K^{had}
    V^{bhjd}  = N^{bja} W_V^{had}
    S^{bhij}  = \begin{cases} \frac{1}{\sqrt{d_k}} Q^{bhid} K^{bhjd} & \text{if } j \le i \\
                              -\infty & \text{otherwise} \end{cases}
    A^{bhij}  = \operatorname{softmax}_j(S^{bhij})
    Z^{bia}   = X^{bia} + A^{bhij} V^{bhjd} W_O^{hda}
    \mu'^{bi} = \operatorname{mean}_a Z^{bia}
    s'^{bi}   = \operatorname{mean}_a ((Z^{bia} - \mu'^{bi})^2)
    N'^{bia}  = \gamma'^a \frac{Z^{bia} - \mu'^{bi}}{\sqrt{s'^{bi} + 10^{-5}}} + \beta'^a
    H^{bif}   = N'^{bia} U^{af} + u^f
    G^{bif}   = \frac{1}{2} H^{bif} (1 + \tanh(\sqrt{\frac{2}{\pi}} (H^{bif} + 0.044715 (H^{bif})^3)))
    Y^{bia}   = Z^{bia} + G^{bif} W^{fa} + w^a
)"_eq;

// The logits Z of the byte that comes next, and the mean cross entropy with the bytes that came.
#define LOGITS                                                                               \
    "\\mu^{bi} = \\operatorname{mean}_a X^{bia}\n"                                           \
    "s^{bi} = \\operatorname{mean}_a ((X^{bia} - \\mu^{bi})^2)\n"                            \
    "N^{bia} = \\gamma^a \\frac{X^{bia} - \\mu^{bi}}{\\sqrt{s^{bi} + 10^{-5}}} + \\beta^a\n" \
    "Z^{biv} = N^{bia} U^{av}\n"
constexpr auto logits = LOGITS ""_eq;
constexpr auto loss = LOGITS
    "L = \\operatorname{mean}_{b,i} (\\operatorname{logsumexp}_v(Z^{biv}) - Z^{bi y_{bi}})"_eq;

// t counts steps from 1; p, m and n are read and written in place.
constexpr auto adam = R"(
    m'^k = b m^k + (1 - b) G^k
    n'^k = c n^k + (1 - c) (G^k)^2
    p'^k = p^k - \eta \frac{m'^k / (1 - (b)^{t})}{\sqrt{n'^k / (1 - (c)^{t})} + 10^{-8}}
)"_eq.keep("m'"_t, "n'"_t);

constexpr std::size_t width = 64, heads = 4, hidden = 4 * width, layers = 2, length = 64, batch = 8;
constexpr std::size_t column = width / heads;

// Parameters -----------------------------------------------------------------------------------------

/// Numbers that depend on the seed alone.
class random_numbers {
public:
    explicit random_numbers(std::uint64_t seed) : state_(seed) {}
    std::uint64_t next() {
        std::uint64_t z = (state_ += 0x9e3779b97f4a7c15u);
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
        return z ^ (z >> 31);
    }
    double uniform() { return static_cast<double>(next() >> 11) * 0x1p-53; }

private:
    std::uint64_t state_;
};

/// A tensor that is learnt: its value, its gradient, Adam's two means, and the step that changes it.
template <int Rank>
struct parameter {
    ricci::tensor<float, Rank> value, gradient, mean, square;

    /// Starts between offset - scale and offset + scale.
    void start(const std::array<std::size_t, Rank>& extents, float scale, float offset,
               random_numbers& random) {
        for (auto* t : {&value, &gradient, &mean, &square})
            *t = ricci::tensor<float, Rank>(extents);
        for (std::size_t k = 0; k < value.size(); ++k)
            value.data()[k] = offset + scale * static_cast<float>(2 * random.uniform() - 1);
    }
};

using line = ricci::tensor_view<float, 1>;
line all_of(float* data, std::size_t size) { return {data, {size}, {1}}; }

/// What Adam needs besides the parameters.
struct schedule {
    ricci::tensor<float, 0> t, rate;
};

auto adam_step(const schedule& s, float* p, const float* g, float* m, float* n, std::size_t size) {
    const ricci::tensor_view<const float, 1> slope(g, {size}, {1});
    return ricci::prepare(adam, "p"_t = all_of(p, size), "m"_t = all_of(m, size),
                          "n"_t = all_of(n, size), "G"_t = slope, "p'"_t = all_of(p, size),
                          "m'"_t = all_of(m, size), "n'"_t = all_of(n, size), "t"_t = s.t,
                          "\\eta"_t = s.rate, "b"_t = 0.9, "c"_t = 0.99);
}
using adam_program =
    decltype(adam_step(std::declval<const schedule&>(), nullptr, nullptr, nullptr, nullptr, 0));

template <class Name, int Rank>
using learnt = hana::pair<Name, parameter<Rank>>;
#define LEARNT(NAME, RANK) learnt<decltype(NAME##_t), RANK>

using embedding_parameters = hana::map<LEARNT("E", 2), LEARNT("P", 2)>;
using block_parameters =
    hana::map<LEARNT("\\gamma", 1), LEARNT("\\beta", 1), LEARNT("W_Q", 3), LEARNT("W_K", 3),
              LEARNT("W_V", 3), LEARNT("W_O", 3), LEARNT("\\gamma'", 1), LEARNT("\\beta'", 1),
              LEARNT("U", 2), LEARNT("u", 1), LEARNT("W", 2), LEARNT("w", 1)>;
using head_parameters = hana::map<LEARNT("\\gamma", 1), LEARNT("\\beta", 1), LEARNT("U", 2)>;

constexpr float narrow = 0.125f, wide = 0.0625f;  // one over the root of width, of hidden

void start(embedding_parameters& p, random_numbers& r) {
    p["E"_t].start({256, width}, 0.05f, 0, r);
    p["P"_t].start({length, width}, 0.05f, 0, r);
}
void start(block_parameters& p, random_numbers& r) {
    p["\\gamma"_t].start({width}, 0, 1, r);
    p["\\beta"_t].start({width}, 0, 0, r);
    p["W_Q"_t].start({heads, width, column}, narrow, 0, r);
    p["W_K"_t].start({heads, width, column}, narrow, 0, r);
    p["W_V"_t].start({heads, width, column}, narrow, 0, r);
    p["W_O"_t].start({heads, column, width}, narrow, 0, r);
    p["\\gamma'"_t].start({width}, 0, 1, r);
    p["\\beta'"_t].start({width}, 0, 0, r);
    p["U"_t].start({width, hidden}, narrow, 0, r);
    p["u"_t].start({hidden}, 0, 0, r);
    p["W"_t].start({hidden, width}, wide, 0, r);
    p["w"_t].start({width}, 0, 0, r);
}
void start(head_parameters& p, random_numbers& r) {
    p["\\gamma"_t].start({width}, 0, 1, r);
    p["\\beta"_t].start({width}, 0, 0, r);
    p["U"_t].start({width, 256}, narrow, 0, r);
}

/// Prepares a program with the parameters' values bound to their names.
template <class Program, class Map, class... More>
auto forward(Program program, Map& parameters, const More&... more) {
    return hana::unpack(parameters, [&](auto&... p) {
        return ricci::prepare(program, (hana::first(p) = hana::second(p).value)..., more...);
    });
}
/// The same with their gradients bound as outputs.
template <class Program, class Map, class... More>
auto backward(Program program, Map& parameters, const More&... more) {
    return hana::unpack(parameters, [&](auto&... p) {
        return ricci::prepare(program, (hana::first(p) = hana::second(p).value)...,
                              (ricci::cotangent(hana::first(p)) = hana::second(p).gradient)...,
                              more...);
    });
}

// Training -------------------------------------------------------------------------------------------

using states = ricci::tensor<float, 3>;
using bytes = ricci::tensor<std::int32_t, 2>;

struct layer {
    block_parameters parameters;
    // What goes in, and the derivative of the loss by it.
    states x{{batch, length, width}}, dx{{batch, length, width}};
};

class model {
public:
    model(std::string text, std::uint64_t seed) : text_(std::move(text)) {
        random_numbers random(seed);
        start(embedding_, random);
        for (layer& b : blocks_) start(b.parameters, random);
        start(head_, random);
        each_parameter([&](auto& p) {
            auto& q = hana::second(p);
            learn(q.value.data(), q.gradient.data(), q.mean.data(), q.square.data(),
                  q.value.size());
        });
    }
    model(const model&) = delete;

    /// Trains up to a number of steps from the beginning; prints a line every `every` steps.
    double run(std::int64_t steps, std::int64_t every);
    std::string sample(std::size_t count);
    void save(const char* path) { checkpoint(path, "wb"); }
    void resume(const char* path) { checkpoint(path, "rb"); }
#ifdef RICCI_EXAMPLE_FILES
    void write_gpt(const char* path) const;
#endif

private:
    template <class F>
    void each_parameter(F f) {
        const auto all = [&](auto& map) { hana::unpack(map, [&](auto&... p) { (f(p), ...); }); };
        all(embedding_);
        for (auto& b : blocks_) all(b.parameters);
        all(head_);
    }
    void learn(float* p, const float* g, float* m, float* n, std::size_t size) {
        adam_.push_back(adam_step(schedule_, p, g, m, n, size));
    }
    void draw_batch();
    void checkpoint(const char* path, const char* mode);
    states& output_of(std::size_t k) { return k + 1 < layers ? blocks_[k + 1].x : last_; }
    states& slope_of(std::size_t k) { return k + 1 < layers ? blocks_[k + 1].dx : dlast_; }

    std::string text_;
    embedding_parameters embedding_;
    layer blocks_[layers];
    head_parameters head_;
    states last_{{batch, length, width}}, dlast_{{batch, length, width}};
    bytes x_{{batch, length}}, y_{{batch, length}};
    schedule schedule_;
    std::vector<adam_program> adam_;
    std::int64_t step_ = 0;
};

/// Pieces of the text that depend on the number of the step alone.
void model::draw_batch() {
    random_numbers pieces(static_cast<std::uint64_t>(step_) * 0x2545f4914f6cdd1du + 1);
    for (std::size_t b = 0; b < batch; ++b) {
        const std::size_t at = pieces.next() % (text_.size() - length - 1);
        for (std::size_t i = 0; i < length; ++i) {
            x_(b, i) = static_cast<unsigned char>(text_[at + i]);
            y_(b, i) = static_cast<unsigned char>(text_[at + i + 1]);
        }
    }
}

double model::run(std::int64_t steps, std::int64_t every) {
    constexpr auto embed_slopes = ricci::gradient(embedding, "X"_t, ricci::wrt("E"_t, "P"_t));
    constexpr auto block_slopes =
        ricci::gradient(block, "Y"_t,
                        ricci::wrt("X"_t, "\\gamma"_t, "\\beta"_t, "W_Q"_t, "W_K"_t, "W_V"_t,
                                   "W_O"_t, "\\gamma'"_t, "\\beta'"_t, "U"_t, "u"_t, "W"_t, "w"_t));
    constexpr auto loss_slopes =
        ricci::value_and_gradient(loss, "L"_t, ricci::wrt("X"_t, "\\gamma"_t, "\\beta"_t, "U"_t));

    states& first = blocks_[0].x;
    auto embed = forward(embedding, embedding_, "x"_t = x_, "X"_t = first);
    std::vector<decltype(forward(block, blocks_[0].parameters, "X"_t = first, "d_k"_t = column,
                                 "Y"_t = first))>
        up;
    std::vector<decltype(backward(block_slopes, blocks_[0].parameters, "X"_t = first,
                                  "d_k"_t = column, "dL/dY"_t = first, "dL/dX"_t = first))>
        down;
    for (std::size_t k = 0; k < layers; ++k) {
        up.push_back(forward(block, blocks_[k].parameters, "X"_t = blocks_[k].x, "d_k"_t = column,
                             "Y"_t = output_of(k)));
        down.push_back(backward(block_slopes, blocks_[k].parameters, "X"_t = blocks_[k].x,
                                "d_k"_t = column, "dL/dY"_t = slope_of(k),
                                "dL/dX"_t = blocks_[k].dx));
    }
    ricci::tensor<float, 0> value;
    auto score = backward(loss_slopes, head_, "X"_t = last_, "y"_t = y_, "dL/dL"_t = 1,
                          "dL/dX"_t = dlast_, "L"_t = value);
    auto embed_down = backward(embed_slopes, embedding_, "x"_t = x_, "dL/dX"_t = blocks_[0].dx);

    std::timespec begin{}, now{};
    std::timespec_get(&begin, TIME_UTC);
    std::int64_t tokens = 0;
    while (step_ < steps) {
        draw_batch();
        embed();
        for (auto& f : up) f();
        score();
        for (std::size_t k = layers; k-- > 0;) down[k]();
        embed_down();
        ++step_;
        schedule_.t() = static_cast<float>(step_);
        schedule_.rate() = 3e-3f * std::min(1.0f, static_cast<float>(step_) / 20);
        for (auto& a : adam_) a();
        tokens += static_cast<std::int64_t>(batch * length);
        if (every == 0 || (step_ % every != 0 && step_ != steps)) continue;
        std::timespec_get(&now, TIME_UTC);
        const double seconds = static_cast<double>(now.tv_sec - begin.tv_sec) +
                               1e-9 * static_cast<double>(now.tv_nsec - begin.tv_nsec);
        std::printf("step %5lld   loss %.4f   %.0f tokens/s\n", static_cast<long long>(step_),
                    static_cast<double>(value()), static_cast<double>(tokens) / seconds);
        std::fflush(stdout);
    }
    return static_cast<double>(value());
}

/// Bytes drawn one by one from what the model expects, after the beginning of the text.
std::string model::sample(std::size_t count) {
    std::string all = text_.substr(0, 16);
    const std::size_t prompt = all.size();
    random_numbers draws(7);
    bytes x({1, length});
    states inside({1, length, width}), outside({1, length, width});
    ricci::tensor<float, 3> z({1, length, 256});
    auto embed = forward(embedding, embedding_, "x"_t = x, "X"_t = inside);
    auto last = forward(logits, head_, "X"_t = layers % 2 == 0 ? inside : outside, "Z"_t = z);
    std::vector<decltype(forward(block, blocks_[0].parameters, "X"_t = inside, "d_k"_t = column,
                                 "Y"_t = outside))>
        up;
    for (std::size_t k = 0; k < layers; ++k)
        up.push_back(forward(block, blocks_[k].parameters, "X"_t = k % 2 == 0 ? inside : outside,
                             "d_k"_t = column, "Y"_t = k % 2 == 0 ? outside : inside));
    while (all.size() < prompt + count) {
        const std::size_t used = std::min(all.size(), length);
        for (std::size_t i = 0; i < length; ++i)
            x(0, i) = i < used ? static_cast<unsigned char>(all[all.size() - used + i]) : 0;
        embed();
        for (auto& f : up) f();
        last();
        double total = 0, weights[256];
        for (std::size_t v = 0; v < 256; ++v)
            total += weights[v] = std::exp(static_cast<double>(z(0, used - 1, v)) / 0.7);
        double left = draws.uniform() * total;
        std::size_t chosen = 0;
        while (chosen < 255 && (left -= weights[chosen]) > 0) ++chosen;
        all += static_cast<char>(chosen);
    }
    return all;
}

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
    std::fprintf(stderr, "%s cannot be %s\n", path, writes ? "written" : "read as a checkpoint");
    std::exit(1);
}

#ifdef RICCI_EXAMPLE_FILES
/// The weights under the names that GPT-2 has for them. Biases that this model does not have are 0.
void model::write_gpt(const char* path) const {
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
        const std::string h = "h." + std::to_string(k) + ".";
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
}
#endif

// The command ----------------------------------------------------------------------------------------

std::string contents(const char* path) {
    std::string all;
    std::FILE* file = std::fopen(path, "rb");
    char piece[4096];
    for (std::size_t got = 1; file != nullptr && got > 0; all.append(piece, got))
        got = std::fread(piece, 1, sizeof piece, file);
    if (file != nullptr) std::fclose(file);
    if (all.size() > 2 * length) return all;
    std::fprintf(stderr, "%s cannot be read, or is too short to learn from\n", path);
    std::exit(1);
}

bool expect(bool what, const char* words) {
    std::printf("%s: %s\n", words, what ? "yes" : "NO");
    return what;
}

int check(const std::string& text) {
    const char* path = "train-check.bin";
    ricci::threads(1);
    model whole(text, 1);
    const double first = whole.run(1, 1), last = whole.run(24, 8);
    bool good = expect(last < 0.8 * first, "the loss falls");
    ricci::threads(2);
    model begun(text, 1);
    begun.run(12, 0);
    begun.save(path);
    model resumed(text, 2);
    resumed.resume(path);
    good = expect(resumed.run(24, 0) == last,
                  "resumed and on another number of threads, the loss is the same bit for bit") &&
           good;
    std::remove(path);
    return good ? 0 : 1;
}

}  // namespace

int main(int count, char** arguments) {
    const auto option = [&](const char* name, const char* otherwise) {
        for (int k = 1; k + 1 < count; ++k)
            if (std::strcmp(arguments[k], name) == 0)
                return static_cast<const char*>(arguments[k + 1]);
        return otherwise;
    };
    const std::string text = contents(option("--text", RICCI_EXAMPLE_TEXT));
    if (count > 1 && std::strcmp(arguments[1], "--check") == 0) return check(text);
    ricci::threads(std::atoi(option("--threads", "0")));
    model m(text, 1);
    if (const char* path = option("--resume", nullptr)) m.resume(path);
    m.run(std::atoll(option("--steps", "300")), 20);
    if (const char* path = option("--save", nullptr)) m.save(path);
    if (const char* path = option("--export", nullptr)) {
#ifdef RICCI_EXAMPLE_FILES
        m.write_gpt(path);
        std::printf("\n%s: gpt %s --heads %zu\n", path, path, heads);
#else
        std::fprintf(stderr, "%s is not written: this was built without ricci/files.hpp\n", path);
        return 1;
#endif
    }
    std::printf("\n%s\n",
                m.sample(static_cast<std::size_t>(std::atoll(option("--sample", "300")))).c_str());
    return 0;
}
