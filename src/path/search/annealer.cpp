// Random moves on a contraction tree. Everything that a move needs is next to it: the sets of four
// nodes, and tables of a few kilobytes for logarithms and chances.
#include "src/path/search/annealer.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <utility>

#include "src/path/search/powers.hpp"

namespace ricci::path {
namespace {

/// log2(1 + 2^-d) in steps of 1/64 up to 24, -ln of the middles of 2048 chances.
struct annealing_tables {
    static constexpr std::int64_t step = one_bit / 64;
    std::array<std::int32_t, 24 * 64> log2_added{};
    std::array<std::int32_t, 2048> chance{};
    annealing_tables() {
        for (std::size_t k = 0; k < log2_added.size(); ++k)
            log2_added[k] = static_cast<std::int32_t>(
                std::lround(static_cast<double>(one_bit) *
                            std::log2(1 + std::exp2(-static_cast<double>(k) / 64))));
        for (std::size_t k = 0; k < chance.size(); ++k)
            chance[k] = static_cast<std::int32_t>(std::lround(
                static_cast<double>(one_bit) * -std::log((static_cast<double>(k) + 0.5) / 2048)));
    }
};
const annealing_tables annealing;

std::int64_t added(std::int64_t a, std::int64_t b) {
    const std::int64_t large = std::max(a, b);
    const std::int64_t steps = (large - std::min(a, b)) / annealing_tables::step;
    if (steps >= static_cast<std::int64_t>(annealing.log2_added.size())) return large;
    return large + annealing.log2_added[static_cast<std::size_t>(steps)];
}

std::uint64_t* new_words(std::size_t count) {
    auto* words = static_cast<std::uint64_t*>(
        ::operator new[](count * sizeof(std::uint64_t), std::align_val_t{64}));
    std::fill_n(words, count, 0);
    return words;
}

std::int64_t in_units(double weight) { return std::llround(weight / weight_unit); }

/// Bits stand by weight, so that all of a word have one.
std::size_t words_for(const core_network& network) {
    std::map<double, std::size_t> count;
    for (const double w : network.weight) ++count[w];
    std::size_t words = 0;
    for (const auto& [weight, bits] : count) words += (bits + 63) / 64;
    constexpr std::size_t multiple = kernels::bit_set_words;
    return std::max<std::size_t>(1, (words + multiple - 1) / multiple) * multiple;
}

}  // namespace

double tree_annealer::bytes_for(const core_network& network) {
    return 16.0 * network.operands() * static_cast<double>(words_for(network));
}

tree_annealer::tree_annealer(const core_network& network, const product_price& price)
    : network_(network), operands_(network.operands()) {
    const auto inner = place(std::max(operands_ - 1, 0));
    nodes_.resize(place(operands_) + inner);
    number_bits();
    rows_.reset(new_words((nodes_.size() + 2) * weights_.words));
    spare_ = static_cast<std::int32_t>(nodes_.size());
    second_spare_ = spare_ + 1;
    order_.reserve(inner);
    active_.reserve(inner);
    for (std::size_t n = 0; n < nodes_.size(); ++n) nodes_[n].row = static_cast<std::int32_t>(n);
    set_price(price);
}

void tree_annealer::number_bits() {
    weights_.words = words_for(network_);
    word_weights_.reset(new_words(weights_.words));
    mask_.reset(new_words(weights_.words));
    std::fill_n(mask_.get(), weights_.words, ~std::uint64_t{0});
    weights_.weight = word_weights_.get();
    std::map<double, std::vector<std::int32_t>> by_weight;
    for (std::int32_t i = 0; i < network_.indices(); ++i)
        by_weight[network_.weight[place(i)]].push_back(i);
    bit_of_.resize(network_.weight.size());
    std::size_t bit = 0;
    for (const auto& [weight, indices] : by_weight) {
        bit = (bit + 63) / 64 * 64;
        for (const std::int32_t i : indices) {
            word_weights_[bit / 64] = static_cast<std::uint64_t>(in_units(weight));
            bit_of_[place(i)] = static_cast<std::int32_t>(bit++);
        }
    }
}

void tree_annealer::set_price(const product_price& price) {
    price_ = price;
    limit_ = in_units(std::min(price.limit, 1e9));
    penalty_ = std::llround(price.penalty);
    traffic_weight_ = in_units(std::log2(std::max(price.traffic_weight, 1e-9)));
    for (const std::int32_t n : order_) refresh(nodes_[place(n)]);
}

std::int64_t tree_annealer::price_of(std::int64_t product, std::int64_t left, std::int64_t right,
                                     std::int64_t result) const {
    // Most searches are for fewer multiplications, and most of their time goes by here.
    std::int64_t price = product;
    if (price_.minimize != objective::multiplications)
        price = price_.power() * counted(price_.minimize, product, left, right, result, added,
                                         [&](std::int64_t x) { return traffic_weight_ + x; });
    if (result > limit_) price += penalty_ * (result - limit_);
    return price;
}

void tree_annealer::load(const product_list& products) {
    set_children(nodes_, operands_, products);
    fill_sets();
}

void tree_annealer::load(const tree_shape& shape) {
    set_children(nodes_, shape);
    fill_sets();
}

const tree_shape& tree_annealer::shape() {
    get_children(nodes_, shape_);
    return shape_;
}

product_list tree_annealer::products() const { return products_of(nodes_, operands_); }

void tree_annealer::fill_sets() {
    post_order(nodes_, operands_ < 2 ? -1 : root(), order_);
    const std::size_t words = weights_.words;
    for (std::int32_t t = 0; t < operands_; ++t) {
        std::uint64_t* const set = row(nodes_[place(t)].row);
        std::fill_n(set, words, 0);
        for (const std::int32_t i : network_.indices_of(t)) {
            const auto bit = static_cast<std::size_t>(bit_of_[place(i)]);
            set[bit / 64] |= std::uint64_t{1} << (bit % 64) & mask_[bit / 64];
        }
    }
    unite_upwards(order_);
    if (operands_ > 0) {
        std::uint64_t* const open = row(nodes_[place(root())].row);
        std::uint64_t* const kept = row(spare_);
        std::fill_n(kept, words, 0);
        for (std::int32_t i = 0; i < network_.indices(); ++i) {
            const auto bit = static_cast<std::size_t>(bit_of_[place(i)]);
            if (network_.open[place(i)] != 0) kept[bit / 64] |= std::uint64_t{1} << (bit % 64);
        }
        for (std::size_t k = 0; k < words; ++k) open[k] &= kept[k];
    }
    sum_downwards(order_);
    for (node& n : nodes_)
        n.size = kernels::bit_sets().weigh_union(weights_, row(n.row), row(n.row));
    for (const std::int32_t n : order_) refresh(nodes_[place(n)]);
}

// What the operands below have.
void tree_annealer::unite_upwards(const std::vector<std::int32_t>& inner) {
    for (const std::int32_t number : inner) {
        node& n = nodes_[place(number)];
        const std::uint64_t *left = set_of(n.left), *right = set_of(n.right);
        std::uint64_t* const set = row(n.row);
        for (std::size_t k = 0; k < weights_.words; ++k) set[k] = left[k] | right[k];
        n.span = nodes_[place(n.left)].span + nodes_[place(n.right)].span;
    }
}

// An index of the one child stays if the other child or something beyond their parent has it.
void tree_annealer::sum_downwards(const std::vector<std::int32_t>& inner) {
    for (auto number = inner.rbegin(); number != inner.rend(); ++number) {
        const node& n = nodes_[place(*number)];
        const std::uint64_t* const set = row(n.row);
        std::uint64_t *left = row(nodes_[place(n.left)].row),
                      *right = row(nodes_[place(n.right)].row);
        for (std::size_t k = 0; k < weights_.words; ++k) {
            const std::uint64_t l = left[k], r = right[k];
            left[k] = l & (r | set[k]);
            right[k] = r & (l | set[k]);
        }
    }
}

void tree_annealer::replace(const std::vector<std::int32_t>& nodes, const tree_shape& shape,
                            std::size_t leaves) {
    const std::vector<std::int32_t> inner(nodes.begin() + static_cast<std::ptrdiff_t>(leaves),
                                          nodes.end());
    for (std::size_t k = leaves; k < nodes.size(); ++k) {
        nodes_[place(nodes[k])].left = nodes[place(shape[k][0])];
        nodes_[place(nodes[k])].right = nodes[place(shape[k][1])];
    }
    // The root has what it had.
    node& top = nodes_[place(nodes.back())];
    std::swap(top.row, spare_);
    unite_upwards(inner);
    std::swap(top.row, spare_);
    sum_downwards(inner);
    for (const std::int32_t n : inner) {
        nodes_[place(n)].size = kernels::bit_sets().weigh_union(weights_, set_of(n), set_of(n));
        refresh(nodes_[place(n)]);
    }
}

void tree_annealer::refresh(node& n) {
    n.product = kernels::bit_sets().weigh_union(weights_, set_of(n.left), set_of(n.right));
    n.price = price_of(n.product, nodes_[place(n.left)].size, nodes_[place(n.right)].size, n.size);
}

void tree_annealer::slice(const std::vector<char>& sliced) {
    std::fill_n(mask_.get(), weights_.words, ~std::uint64_t{0});
    for (std::int32_t i = 0; i < network_.indices(); ++i) {
        const auto bit = static_cast<std::size_t>(bit_of_[place(i)]);
        if (sliced[place(i)] != 0) mask_[bit / 64] &= ~(std::uint64_t{1} << (bit % 64));
    }
    fill_sets();
}

void tree_annealer::slice(const index_places& places, bool sliced) {
    const auto bit = static_cast<std::size_t>(bit_of_[place(places.index)]);
    const std::uint64_t flag = std::uint64_t{1} << (bit % 64);
    const auto weight = static_cast<std::int64_t>(weights_.weight[bit / 64]);
    const std::int64_t change = sliced ? -weight : weight;
    mask_[bit / 64] ^= flag;
    for (const std::int32_t n : places.results) {
        row(nodes_[place(n)].row)[bit / 64] ^= flag;
        nodes_[place(n)].size += change;
    }
    for (const std::int32_t number : places.products) {
        node& n = nodes_[place(number)];
        n.product += change;
        n.price =
            price_of(n.product, nodes_[place(n.left)].size, nodes_[place(n.right)].size, n.size);
    }
}

double tree_annealer::score() const {
    std::int64_t largest = std::numeric_limits<std::int64_t>::min();
    for (std::size_t n = place(operands_); n < nodes_.size(); ++n)
        largest = std::max(largest, nodes_[n].price);
    double sum = 0;
    for (std::size_t n = place(operands_); n < nodes_.size(); ++n)
        sum += power_of_two(nodes_[n].price - largest);
    if (operands_ < 2) return -std::numeric_limits<double>::infinity();
    return static_cast<double>(largest) * weight_unit + std::log2(sum);
}

double tree_annealer::largest() const {
    const bool results = price_.minimize == objective::largest_intermediate;
    std::int64_t largest = 0;
    for (std::size_t n = place(operands_); n < nodes_.size(); ++n)
        largest = std::max(largest, results ? nodes_[n].size : nodes_[n].product);
    return static_cast<double>(largest) * weight_unit;
}

bool tree_annealer::accepts(std::int64_t change, std::int64_t temperature,
                            std::uint64_t bits) const {
    if (change <= 0) return true;
    return change < ((annealing.chance[bits >> 53] * temperature) >> 16);
}

void tree_annealer::rotate(node& parent, std::int64_t temperature, std::uint64_t bits) {
    const bool left_inner = nodes_[place(parent.left)].left >= 0;
    const bool right_inner = nodes_[place(parent.right)].left >= 0;
    if (!left_inner && !right_inner) return;
    const bool take_left = left_inner && (!right_inner || (bits & 1) != 0);
    const std::int32_t inner_number = take_left ? parent.left : parent.right;
    const std::int32_t c_number = take_left ? parent.right : parent.left;
    node& inner = nodes_[place(inner_number)];
    const bool first_up = (bits & 2) != 0;
    const std::int32_t a_number = first_up ? inner.left : inner.right;
    const std::int32_t b_number = first_up ? inner.right : inner.left;
    const node &a = nodes_[place(a_number)], &b = nodes_[place(b_number)],
               &c = nodes_[place(c_number)];
    const auto w = kernels::bit_sets().rotate(weights_, row(a.row), row(b.row), row(c.row),
                                              row(parent.row), row(spare_));
    const std::int64_t inner_price = price_of(w.inner, b.size, c.size, w.kept);
    const std::int64_t outer_price = price_of(w.outer, a.size, w.kept, parent.size);
    const std::int64_t change = added(inner_price, outer_price) - added(inner.price, parent.price);
    if (!accepts(change, temperature, bits)) return;
    inner.left = b_number, inner.right = c_number;
    inner.span = b.span + c.span;
    inner.size = w.kept, inner.product = w.inner, inner.price = inner_price;
    std::swap(inner.row, spare_);
    parent.left = a_number, parent.right = inner_number;
    parent.product = w.outer, parent.price = outer_price;
}

void tree_annealer::exchange(node& parent, std::int64_t temperature, std::uint64_t bits) {
    node &x = nodes_[place(parent.left)], &y = nodes_[place(parent.right)];
    const std::int32_t a_number = x.left, b_number = x.right;
    std::int32_t c_number = y.left, d_number = y.right;
    if ((bits & 1) != 0) std::swap(c_number, d_number);
    const node &a = nodes_[place(a_number)], &b = nodes_[place(b_number)],
               &c = nodes_[place(c_number)], &d = nodes_[place(d_number)];
    const auto w =
        kernels::bit_sets().exchange(weights_, row(a.row), row(b.row), row(c.row), row(d.row),
                                     row(parent.row), row(spare_), row(second_spare_));
    const std::int64_t x_price = price_of(w.left_inner, a.size, c.size, w.left);
    const std::int64_t y_price = price_of(w.right_inner, b.size, d.size, w.right);
    const std::int64_t outer_price = price_of(w.outer, w.left, w.right, parent.size);
    const std::int64_t change =
        added(added(x_price, y_price), outer_price) - added(added(x.price, y.price), parent.price);
    if (!accepts(change, temperature, bits)) return;
    x.left = a_number, x.right = c_number;
    x.span = a.span + c.span;
    x.size = w.left, x.product = w.left_inner, x.price = x_price;
    std::swap(x.row, spare_);
    y.left = b_number, y.right = d_number;
    y.span = b.span + d.span;
    y.size = w.right, y.product = w.right_inner, y.price = y_price;
    std::swap(y.row, second_spare_);
    parent.product = w.outer, parent.price = outer_price;
}

std::int64_t tree_annealer::sweep(double inverse_temperature, std::int32_t least_span,
                                  random_stream& random) {
    const double per_price = price_.power() / std::max(inverse_temperature, 1e-3);
    const auto temperature =
        inverse_temperature >= frozen ? 0 : std::llround(static_cast<double>(one_bit) * per_price);
    active_.clear();
    for (std::size_t n = place(operands_); n < nodes_.size(); ++n)
        if (nodes_[n].span >= least_span) active_.push_back(static_cast<std::int32_t>(n));
    for (const std::int32_t number : active_) {
        node& parent = nodes_[place(number)];
        const std::uint64_t bits = random.next();
        // One move in eight, where it applies, exchanges grandchildren.
        if ((bits & 28) == 0 && nodes_[place(parent.left)].left >= 0 &&
            nodes_[place(parent.right)].left >= 0)
            exchange(parent, temperature, bits);
        else rotate(parent, temperature, bits);
    }
    return static_cast<std::int64_t>(active_.size());
}

}  // namespace ricci::path
