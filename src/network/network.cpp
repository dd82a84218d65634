// The public class of networks.
#include <ricci/network.hpp>

#include <fmt/core.h>

#include <ricci/error.hpp>

#include "src/network/einsum_text.hpp"
#include "src/network/network_data.hpp"

namespace ricci {
namespace {

using networks::network_data;

std::span<const std::int64_t> span_of(const detail::index_list& list) {
    return {list.begin(), list.size()};
}

std::vector<std::int64_t> numbers_of(const network_data& n, std::span<const std::int32_t> indices) {
    std::vector<std::int64_t> numbers;
    numbers.reserve(indices.size());
    for (const std::int32_t i : indices) numbers.push_back(n.numbers[static_cast<std::size_t>(i)]);
    return numbers;
}

void check_is_there(const network_data& n, std::size_t operand) {
    if (operand < n.operands.size()) return;
    throw error(fmt::format("ricci: the network has {} tensors, and no tensor {}.",
                            n.operands.size(), operand));
}

// `operand(k)` gives tensor k as an array that may be moved from.
template <class Operand>
network network_of(std::string_view text, std::size_t count, const Operand& operand) {
    const networks::einsum_labels labels = networks::read_einsum(text);
    if (labels.operands.size() != count)
        throw error(fmt::format(
            "ricci: the text has {} between commas, and {} given.",
            labels.operands.size() == 1 ? std::string("1 operand")
                                        : fmt::format("{} operands", labels.operands.size()),
            count == 1 ? std::string("1 tensor is") : fmt::format("{} tensors are", count)));
    network n;
    for (std::size_t k = 0; k < count; ++k) n.add(operand(k), labels.operands[k]);
    n.keep(labels.result);
    return n;
}

}  // namespace

network::network() = default;
network::network(const network& other) : data_(std::make_unique<network_data>(other.data())) {}
network::network(network&&) noexcept = default;
network& network::operator=(const network& other) {
    if (this != &other) data_ = std::make_unique<network_data>(other.data());
    return *this;
}
network& network::operator=(network&&) noexcept = default;
network::~network() = default;

const network_data& network::data() const {
    static const network_data empty;
    return data_ != nullptr ? *data_ : empty;
}

network_data& network::changed() {
    if (data_ == nullptr) data_ = std::make_unique<network_data>();
    return *data_;
}

void network::add(detail::network_operand operand, detail::index_list indices) {
    changed().add(std::move(operand).value(), span_of(indices), false);
}

void network::add_conjugate(detail::network_operand operand, detail::index_list indices) {
    changed().add(std::move(operand).value(), span_of(indices), true);
}

void network::keep(detail::index_list indices) { changed().keep(span_of(indices)); }

network network::from_einsum(std::string_view text,
                             std::initializer_list<detail::network_operand> operands) {
    return network_of(text, operands.size(), [&](std::size_t k) { return operands.begin()[k]; });
}

network network::from_einsum(std::string_view text, const std::vector<array>& operands) {
    return network_of(text, operands.size(),
                      [&](std::size_t k) -> const array& { return operands[k]; });
}

std::size_t network::size() const { return data().operands.size(); }

const array& network::operand(std::size_t k) const {
    check_is_there(data(), k);
    return data().operands[k];
}

std::vector<std::int64_t> network::indices(std::size_t k) const {
    check_is_there(data(), k);
    return numbers_of(data(), data().axes(k));
}

bool network::is_conjugate(std::size_t k) const {
    check_is_there(data(), k);
    return data().conjugate[k];
}

std::vector<std::int64_t> network::indices() const { return data().numbers; }

std::vector<std::int64_t> network::kept() const { return numbers_of(data(), data().kept); }

std::size_t network::extent(std::int64_t index) const {
    const std::int32_t i = data().find(index);
    if (i < 0) throw error(fmt::format("ricci: no tensor of the network has index {}.", index));
    return data().extents[static_cast<std::size_t>(i)];
}

element network::type() const {
    return data().operands.empty() ? element::f64 : data().operands[0].type();
}

bool network::is_shape() const { return data().without_memory > 0; }

}  // namespace ricci
