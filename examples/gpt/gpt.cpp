// A GPT-2-shaped language model: one layer as its equations, repeated; a prompt at once, then token by
// token with a cache of keys and values that grows.
//   gpt MODEL.safetensors [--prompt TEXT | --tokens FILE] [--length N] [--heads N] [--threads N]
//       [--temperature T] [--runs N]
//   gpt --check          a small model: the cache gives what the whole sequence gives
// The file has the names of GPT-2: wte.weight, wpe.weight, h.0.ln_1.weight, ...; sizes are those of its
// tensors. tools/make_gpt.py makes one with random weights, `train --export` one that has learnt.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <exception>
#include <string>
#include <utility>
#include <vector>

#include <ricci/files.hpp>
#include <ricci/repeat.hpp>
#include <ricci/ricci.hpp>

using namespace ricci::literals;

namespace {

// The model ------------------------------------------------------------------------------------------

// Columns of W_A are the queries, keys and values (o = 0, 1, 2) of each head.
constexpr auto layer_of_many = R"(
    \mu^{i}   = \operatorname{mean}_a X^{ia}
    s^{i}     = \operatorname{mean}_a ((X^{ia} - \mu^{i})^2)
    N^{ia}    = \gamma^a \frac{X^{ia} - \mu^{i}}{\sqrt{s^{i} + 10^{-5}}} + \beta^a
    F^{oihd}  = N^{ia} W_A^{a(ohd)} + w_A^{(ohd)}
    K^{jhd}   = F^{1jhd}
    V^{jhd}   = F^{2jhd}
    S^{hij}   = \begin{cases} \frac{1}{\sqrt{d_k}} F^{0ihd} F^{1jhd} & \text{if } j \le i \\
                              -\infty & \text{otherwise} \end{cases}
    A^{hij}   = \operatorname{softmax}_j(S^{hij})
    O^{ihd}   = A^{hij} F^{2jhd}
    Z^{ia}    = X^{ia} + O^{ihd} W_O^{(hd)a} + w_O^a
    \mu'^{i}  = \operatorname{mean}_a Z^{ia}
    s'^{i}    = \operatorname{mean}_a ((Z^{ia} - \mu'^{i})^2)
    N'^{ia}   = \gamma'^a \frac{Z^{ia} - \mu'^{i}}{\sqrt{s'^{i} + 10^{-5}}} + \beta'^a
    H^{if}    = N'^{ia} U^{af} + u^f
    G^{if}    = \frac{1}{2} H^{if} (1 + \tanh(\sqrt{\frac{2}{\pi}} (H^{if} + 0.044715 (H^{if})^3)))
    Y^{ia}    = Z^{ia} + G^{if} W^{fa} + w^a
)"_eq;

// The same for the token behind those whose keys and values are in the cache: k and v.
constexpr auto layer_of_one = R"(
    \mu      = \operatorname{mean}_a X^{a}
    s        = \operatorname{mean}_a ((X^{a} - \mu)^2)
    N^{a}    = \gamma^a \frac{X^{a} - \mu}{\sqrt{s + 10^{-5}}} + \beta^a
    F^{ohd}  = N^{a} W_A^{a(ohd)} + w_A^{(ohd)}
    K^{hd}   = F^{1hd}
    V^{hd}   = F^{2hd}
    S^{hj}   = \frac{1}{\sqrt{d_k}} F^{0hd} k^{jhd}
    t^{h}    = \frac{1}{\sqrt{d_k}} F^{0hd} F^{1hd}
    m^{h}    = \max(\max_j S^{hj}, t^h)
    E^{hj}   = \exp(S^{hj} - m^h)
    r^{h}    = \exp(t^h - m^h)
    O^{hd}   = \frac{E^{hj} v^{jhd} + r^h F^{2hd}}{\sum_j E^{hj} + r^h}
    Z^{a}    = X^{a} + O^{hd} W_O^{(hd)a} + w_O^a
    \mu'     = \operatorname{mean}_a Z^{a}
    s'       = \operatorname{mean}_a ((Z^{a} - \mu')^2)
    N'^{a}   = \gamma'^a \frac{Z^{a} - \mu'}{\sqrt{s' + 10^{-5}}} + \beta'^a
    H^{f}    = N'^{a} U^{af} + u^f
    G^{f}    = \frac{1}{2} H^{f} (1 + \tanh(\sqrt{\frac{2}{\pi}} (H^{f} + 0.044715 (H^{f})^3)))
    Y^{a}    = Z^{a} + G^{f} W^{fa} + w^a
)"_eq;

constexpr auto embedding = "X^{ia} = E^{x_i a} + P^{ia}"_eq;

// What comes next: a logit for every token.
constexpr auto logits = R"(
    \mu   = \operatorname{mean}_a X^{a}
    s     = \operatorname{mean}_a ((X^{a} - \mu)^2)
    N^{a} = \gamma^a \frac{X^{a} - \mu}{\sqrt{s + 10^{-5}}} + \beta^a
    Z^{v} = N^{a} E^{va}
)"_eq;

// Weights --------------------------------------------------------------------------------------------

/// Of all layers together: the first axis is that of the layers.
struct weights {
    ricci::tensor<float, 2> tokens, places;  // E, P
    ricci::tensor<float, 2> scale_1, shift_1, bias_a, bias_o, scale_2, shift_2, bias_u, bias_w;
    ricci::tensor<float, 3> w_a, w_o, u, w;
    ricci::tensor<float, 1> scale, shift;
    ricci::tensor<float, 2> head;  // empty: the tokens' own
    std::size_t heads = 0;

    std::size_t layers() const { return w_a.extent(0); }
    std::size_t width() const { return tokens.extent(1); }
    std::size_t vocabulary() const { return tokens.extent(0); }
    std::size_t column() const { return width() / heads; }
    const ricci::tensor<float, 2>& of_logits() const { return head.size() > 0 ? head : tokens; }

    /// What a next token reads, in bytes.
    double read_for_one() const {
        std::size_t all = of_logits().size();
        each_of_layers([&](const auto& t) { all += t.size(); });
        return 4 * static_cast<double>(all);
    }
    /// Multiplications and additions of a prompt: by the weights, and of attention, whose lower half
    /// counts.
    double operations(double n) const {
        const double matrices = static_cast<double>(w_a.size() + w_o.size() + u.size() + w.size());
        return n * (2 * matrices + 2 * n * static_cast<double>(layers() * width()));
    }
    template <class F>
    void each_of_layers(F f) const {
        for (const auto* t :
             {&scale_1, &shift_1, &bias_a, &bias_o, &scale_2, &shift_2, &bias_u, &bias_w})
            f(*t);
        for (const auto* t : {&w_a, &w_o, &u, &w}) f(*t);
    }
};

[[noreturn]] void fail(const std::string& words) {
    std::fprintf(stderr, "gpt: %s\n", words.c_str());
    std::exit(1);
}

template <int Rank>
ricci::tensor<float, Rank> take(const char* path, const std::string& name) {
    const ricci::array a = ricci::load(path, name).converted(ricci::element::f32);
    if (a.rank() != Rank) fail(name + " has another number of axes than GPT-2's");
    return std::as_const(a).as<float, Rank>().clone();
}

/// h.0.NAME, h.1.NAME, ... as one tensor.
template <int Rank>
ricci::tensor<float, Rank> stack(const char* path, std::size_t layers, const std::string& name) {
    ricci::tensor<float, Rank> all;
    for (std::size_t l = 0; l < layers; ++l) {
        const std::string full = "h." + std::to_string(l) + "." + name;
        const ricci::tensor<float, Rank - 1> one = take<Rank - 1>(path, full);
        if (l == 0) {
            std::array<std::size_t, Rank> extents{layers};
            std::copy(one.extents().begin(), one.extents().end(), extents.begin() + 1);
            all = ricci::tensor<float, Rank>(extents);
        }
        if (one.size() * layers != all.size()) fail(full + " has another size than in layer 0");
        std::copy_n(one.data(), one.size(), all.data() + l * one.size());
    }
    return all;
}

weights load(const char* path, std::size_t heads) {
    weights m;
    const ricci::arrays shapes = ricci::load_shapes(path);
    std::size_t layers = 0;
    while (shapes.contains("h." + std::to_string(layers) + ".attn.c_attn.weight")) ++layers;
    if (layers == 0) fail(std::string(path) + " has no h.0.attn.c_attn.weight");
    m.tokens = take<2>(path, "wte.weight");
    m.places = take<2>(path, "wpe.weight");
    m.scale_1 = stack<2>(path, layers, "ln_1.weight");
    m.shift_1 = stack<2>(path, layers, "ln_1.bias");
    m.w_a = stack<3>(path, layers, "attn.c_attn.weight");
    m.bias_a = stack<2>(path, layers, "attn.c_attn.bias");
    m.w_o = stack<3>(path, layers, "attn.c_proj.weight");
    m.bias_o = stack<2>(path, layers, "attn.c_proj.bias");
    m.scale_2 = stack<2>(path, layers, "ln_2.weight");
    m.shift_2 = stack<2>(path, layers, "ln_2.bias");
    m.u = stack<3>(path, layers, "mlp.c_fc.weight");
    m.bias_u = stack<2>(path, layers, "mlp.c_fc.bias");
    m.w = stack<3>(path, layers, "mlp.c_proj.weight");
    m.bias_w = stack<2>(path, layers, "mlp.c_proj.bias");
    m.scale = take<1>(path, "ln_f.weight");
    m.shift = take<1>(path, "ln_f.bias");
    if (shapes.contains("lm_head.weight")) m.head = take<2>(path, "lm_head.weight");
    m.heads = heads != 0 ? heads : std::max<std::size_t>(1, m.width() / 64);
    if (m.width() % m.heads != 0) fail("the width is no multiple of the number of heads");
    return m;
}

// Generation -----------------------------------------------------------------------------------------

using row = ricci::tensor<float, 1>;
using rows = ricci::tensor<float, 2>;
using cache = ricci::tensor<float, 4>;  // layer, place, head, column
using part = ricci::tensor_view<float, 4>;
using ending = ricci::tensor_view<float, 3>;

/// All layers of a text, with the weights bound.
template <class Layer, class... More>
auto with_weights(Layer layer, const weights& m, const More&... more) {
    const auto layers = ricci::repeat(layer, static_cast<std::int64_t>(m.layers()), "l"_i,
                                      ricci::from("Y"_t), ricci::to("X"_t), ricci::shared("d_k"_t));
    return ricci::prepare(layers, "\\gamma"_t = m.scale_1, "\\beta"_t = m.shift_1, "W_A"_t = m.w_a,
                          "w_A"_t = m.bias_a, "W_O"_t = m.w_o, "w_O"_t = m.bias_o,
                          "\\gamma'"_t = m.scale_2, "\\beta'"_t = m.shift_2, "U"_t = m.u,
                          "u"_t = m.bias_u, "W"_t = m.w, "w"_t = m.bias_w, "d_k"_t = m.column(),
                          "h"_i = m.heads, "o"_i = 3, more...);
}
auto step_of_many(const weights& m, const rows& x, part& k, part& v) {
    return with_weights(layer_of_many, m, "X"_t = x, "K"_t = k, "V"_t = v);
}
auto step_of_one(const weights& m, const row& x, part& keys, part& values, ending& k, ending& v,
                 row& y) {
    return with_weights(layer_of_one, m, "X"_t = x, "k"_t = keys, "v"_t = values, "K"_t = k,
                        "V"_t = v, "Y"_t = y);
}
auto step_of_logits(const weights& m, const row& y, row& z) {
    return ricci::prepare(logits, "X"_t = y, "\\gamma"_t = m.scale, "\\beta"_t = m.shift,
                          "E"_t = m.of_logits(), "Z"_t = z);
}

template <class T>
T& any();  // of a type, to ask what a function gives
using one_step = decltype(step_of_one(any<weights>(), any<row>(), any<part>(), any<part>(),
                                      any<ending>(), any<ending>(), any<row>()));
using logits_step = decltype(step_of_logits(any<weights>(), any<row>(), any<row>()));

/// A sequence, and the keys and values of all of it in all layers.
class session {
public:
    session(const weights& m, std::size_t most)
        : m_(m),
          keys_({m.layers(), most, m.heads, m.column()}),
          values_({m.layers(), most, m.heads, m.column()}),
          x_({m.width()}),
          y_({m.width()}),
          z_({m.vocabulary()}),
          one_(first_step()),
          last_(step_of_logits(m, y_, z_)) {}

    /// The logits behind a prompt, which begins the sequence anew.
    const row& prompt(const std::vector<std::int32_t>& tokens) {
        const std::size_t n = tokens.size();
        const ricci::tensor_view<const float, 2> places(m_.places.data(), {n, m_.width()});
        const auto x = embedding("x"_t = tokens, "E"_t = m_.tokens, "P"_t = places);
        part k = places_of(keys_, n), v = places_of(values_, n);
        auto many = step_of_many(m_, x["X"_t], k, v);
        many();
        std::copy_n(&many["Y"_t](n - 1, 0), m_.width(), y_.data());
        length_ = n;
        last_();
        return z_;
    }
    /// The logits behind one more token.
    const row& next(std::int32_t token) {
        for (std::size_t a = 0; a < m_.width(); ++a)
            x_(a) = m_.tokens(static_cast<std::size_t>(token), a) + m_.places(length_, a);
        ending k = end_of(keys_), v = end_of(values_);
        one_.bind("k"_t = places_of(keys_, length_), "v"_t = places_of(values_, length_), "K"_t = k,
                  "V"_t = v);
        one_();
        ++length_;
        last_();
        return z_;
    }
    std::string explain() const { return one_.explain(); }

private:
    /// The first places of all layers.
    part places_of(cache& all, std::size_t count) {
        return {all.data(), {m_.layers(), count, m_.heads, m_.column()}, all.strides()};
    }
    /// The place behind them.
    ending end_of(cache& all) {
        const auto s = all.strides();
        return {&all(0, length_, 0, 0), {m_.layers(), m_.heads, m_.column()}, {s[0], s[2], s[3]}};
    }
    one_step first_step() {
        part keys = places_of(keys_, length_), values = places_of(values_, length_);
        ending k = end_of(keys_), v = end_of(values_);
        return step_of_one(m_, x_, keys, values, k, v, y_);
    }

    const weights& m_;
    std::size_t length_ = 1;
    cache keys_, values_;
    row x_, y_, z_;
    one_step one_;
    logits_step last_;
};

/// Draws a token; at a temperature of 0 the most probable.
std::int32_t draw(const row& z, double temperature, std::uint64_t& state) {
    const std::size_t best =
        static_cast<std::size_t>(std::max_element(z.data(), z.data() + z.size()) - z.data());
    if (temperature <= 0) return static_cast<std::int32_t>(best);
    std::vector<double> weight(z.size());
    double total = 0;
    for (std::size_t v = 0; v < z.size(); ++v)
        total += weight[v] = std::exp((static_cast<double>(z(v)) - z(best)) / temperature);
    state = state * 6364136223846793005u + 1442695040888963407u;
    double left = static_cast<double>(state >> 11) * 0x1p-53 * total;
    std::size_t chosen = 0;
    while (chosen + 1 < z.size() && (left -= weight[chosen]) > 0) ++chosen;
    return static_cast<std::int32_t>(chosen);
}

// Times ----------------------------------------------------------------------------------------------

double now() {
    std::timespec t{};
    std::timespec_get(&t, TIME_UTC);
    return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}
template <class F>
double seconds(F f) {
    const double start = now();
    f();
    return now() - start;
}
double median(std::vector<double> times) {
    std::sort(times.begin(), times.end());
    return times[times.size() / 2];
}

/// The least time in which all weights that a next token takes can be read: they are summed.
double time_of_reading(const weights& m) {
    constexpr auto sum = R"(s = \sum_k w^k)"_eq;
    std::vector<double> times;
    for (int run = 0; run < 5; ++run) {
        double all = 0;
        const auto read = [&](const auto& t) {
            const ricci::tensor_view<const float, 1> line(t.data(), {t.size()});
            all += seconds([&] { sum("w"_t = line); });
        };
        m.each_of_layers(read);
        read(m.of_logits());
        times.push_back(all);
    }
    return *std::min_element(times.begin(), times.end());
}
/// Operations a second of a product of 1024 x 1024 x 1024.
double rate_of_products() {
    constexpr std::size_t n = 1024;
    ricci::tensor<float, 2> a({n, n}), b({n, n}), c({n, n});
    for (float& x : a) x = 1;
    for (float& x : b) x = 1;
    double best = 1e9;
    for (int run = 0; run < 5; ++run)
        best = std::min(best, seconds([&] { ricci::einsum_into<"ij,jk->ik">(c, a, b); }));
    return 2 * static_cast<double>(n * n * n) / best;
}

// The command ----------------------------------------------------------------------------------------

struct options {
    const char* file = nullptr;
    std::string prompt = "The ";
    const char* tokens = nullptr;
    std::size_t length = 64, heads = 0;
    double temperature = 0.7;
    int runs = 1;
};

std::vector<std::int32_t> read_tokens(const options& o, std::size_t vocabulary) {
    std::vector<std::int32_t> all;
    if (o.tokens != nullptr) {
        std::FILE* file = std::fopen(o.tokens, "r");
        if (file == nullptr) fail(std::string(o.tokens) + " cannot be read");
        for (long t = 0; std::fscanf(file, "%ld", &t) == 1;)
            all.push_back(static_cast<std::int32_t>(t));
        std::fclose(file);
    } else {
        for (const char c : o.prompt) all.push_back(static_cast<unsigned char>(c));
    }
    if (all.empty()) fail("the prompt is empty");
    for (const std::int32_t t : all)
        if (t < 0 || static_cast<std::size_t>(t) >= vocabulary)
            fail("the prompt has the token " + std::to_string(t) + ", and the model knows " +
                 std::to_string(vocabulary));
    return all;
}

void print(std::int32_t token, std::size_t vocabulary) {
    if (vocabulary <= 256) std::fputc(token, stdout);
    else std::printf(" %d", token);
    std::fflush(stdout);
}

int generate(const options& o) {
    weights m;
    const double loading = seconds([&] { m = load(o.file, o.heads); });
    const std::vector<std::int32_t> tokens = read_tokens(o, m.vocabulary());
    if (tokens.size() + o.length > m.places.extent(0))
        fail("the prompt and the " + std::to_string(o.length) + " tokens behind it need " +
             std::to_string(tokens.size() + o.length) + " places, and the model has " +
             std::to_string(m.places.extent(0)));
    std::printf("%zu layers, %zu heads, width %zu, %zu tokens; read in %.2f s\n", m.layers(),
                m.heads, m.width(), m.vocabulary(), loading);
    session s(m, tokens.size() + o.length);
    std::vector<double> prompts, nexts;
    for (int run = 0; run < o.runs; ++run) {
        const row* z = nullptr;
        prompts.push_back(seconds([&] { z = &s.prompt(tokens); }));
        std::uint64_t state = 1;
        for (std::size_t k = 0; k < o.length; ++k) {
            const std::int32_t token = draw(*z, o.temperature, state);
            if (run == 0) print(token, m.vocabulary());
            if (k + 1 < o.length) nexts.push_back(seconds([&] { z = &s.next(token); }));
        }
    }
    const double n = static_cast<double>(tokens.size());
    const double prompt = median(prompts);
    std::printf("\n\nprompt: %.0f tokens in %.1f ms, %.0f tokens/s, %.1f GFLOP/s", n, 1e3 * prompt,
                n / prompt, 1e-9 * m.operations(n) / prompt);
    std::printf(": %.2f of a product's rate\n", m.operations(n) / prompt / rate_of_products());
    if (nexts.empty()) return 0;
    const double one = median(nexts), reading = time_of_reading(m);
    std::printf(
        "a next token: %.2f ms, %.1f tokens/s; its weights are read in %.2f ms (%.1f GB/s)"
        ": %.2f of the bandwidth\n",
        1e3 * one, 1 / one, 1e3 * reading, 1e-9 * m.read_for_one() / reading, reading / one);
    return 0;
}

// A check --------------------------------------------------------------------------------------------

template <int Rank>
void randomise(ricci::tensor<float, Rank>& t, const std::array<std::size_t, Rank>& extents,
               float offset, std::uint64_t& state) {
    t = ricci::tensor<float, Rank>(extents);
    for (float& x : t) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        x = offset + 0.2f * (static_cast<float>(state >> 40) * 0x1p-23f - 1);
    }
}

/// Token by token, the logits are those of the whole sequence as a prompt.
int check() {
    constexpr std::size_t layers = 3, width = 24, vocabulary = 17, places = 12;
    weights m;
    std::uint64_t state = 1;
    m.heads = 4;
    randomise(m.tokens, {vocabulary, width}, 0, state);
    randomise(m.places, {places, width}, 0, state);
    for (auto* t : {&m.scale_1, &m.scale_2}) randomise(*t, {layers, width}, 1, state);
    for (auto* t : {&m.shift_1, &m.shift_2, &m.bias_o, &m.bias_w})
        randomise(*t, {layers, width}, 0, state);
    randomise(m.bias_a, {layers, 3 * width}, 0, state);
    randomise(m.bias_u, {layers, 4 * width}, 0, state);
    randomise(m.w_a, {layers, width, 3 * width}, 0, state);
    randomise(m.w_o, {layers, width, width}, 0, state);
    randomise(m.u, {layers, width, 4 * width}, 0, state);
    randomise(m.w, {layers, 4 * width, width}, 0, state);
    randomise(m.scale, {width}, 1, state);
    randomise(m.shift, {width}, 0, state);
    std::vector<std::int32_t> tokens;
    for (std::size_t k = 0; k < places; ++k)
        tokens.push_back(static_cast<std::int32_t>(5 * k % 17));
    session grows(m, places), whole(m, places);
    double worst = 0, largest = 0;
    for (std::size_t n = 4; n <= places; ++n) {
        const std::vector<std::int32_t> first(tokens.begin(),
                                              tokens.begin() + static_cast<std::ptrdiff_t>(n));
        const row& a = n == 4 ? grows.prompt(first) : grows.next(first.back());
        const row& b = whole.prompt(first);
        for (std::size_t v = 0; v < vocabulary; ++v) {
            worst = std::max(worst, std::abs(static_cast<double>(a(v)) - b(v)));
            largest = std::max(largest, std::abs(static_cast<double>(b(v))));
        }
    }
    std::printf("logits token by token and of the whole differ by %.1e of %.2f\n", worst, largest);
    return worst < 1e-5 * (1 + largest) ? 0 : 1;
}

}  // namespace

int main(int count, char** arguments) {
    options o;
    int threads = 0;
    const auto number = [&](int k) { return std::atol(arguments[k]); };
    for (int k = 1; k < count; ++k) {
        const std::string word = arguments[k];
        const bool more = k + 1 < count;
        if (word == "--check") return check();
        if (word == "--prompt" && more) o.prompt = arguments[++k];
        else if (word == "--tokens" && more) o.tokens = arguments[++k];
        else if (word == "--length" && more) o.length = static_cast<std::size_t>(number(++k));
        else if (word == "--heads" && more) o.heads = static_cast<std::size_t>(number(++k));
        else if (word == "--threads" && more) threads = static_cast<int>(number(++k));
        else if (word == "--temperature" && more) o.temperature = std::atof(arguments[++k]);
        else if (word == "--runs" && more) o.runs = static_cast<int>(number(++k));
        else if (word[0] != '-' && o.file == nullptr) o.file = arguments[k];
        else fail("'" + word + "' is not understood; examples/gpt.cpp begins with what is");
    }
    if (o.file == nullptr) fail("which model? tools/make_gpt.py makes one");
    ricci::threads(threads);
    try {
        return generate(o);
    } catch (const std::exception& e) {
        fail(e.what());
    }
}
