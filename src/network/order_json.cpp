// Orders as JSON, and back.
#include <charconv>
#include <cmath>
#include <limits>
#include <string>

#include <fmt/core.h>

#include <ricci/error.hpp>
#include <ricci/network.hpp>

#include "src/base/json_reader.hpp"
#include "src/network/order_data.hpp"
#include "src/network/reduced_network.hpp"

namespace ricci {
namespace {

using namespace networks;

constexpr std::int64_t json_version = 1;

void append_number(std::string& out, std::int64_t number) {
    char digits[24];
    const auto [end, problem] = std::to_chars(std::begin(digits), std::end(digits), number);
    static_cast<void>(problem);
    out.append(digits, end);
}

// An order as it stands in a text; -1 and empty for what does not.
struct written_order {
    std::int64_t version = -1;
    std::int64_t operands = -1;
    double memory = 0;
    std::string network;
    std::vector<std::pair<std::size_t, std::size_t>> ssa;
    std::vector<sliced_index> slices;
    struct written_zeros {
        zero_fact fact;  // without its indices
        std::int64_t index = 0, other = 0;
        bool joins = false;
    };
    std::vector<written_zeros> zeros;
    bool is_order = false, has_ssa = false;
};

std::size_t entry_in(json_reader& r) {
    const std::int64_t entry = r.integer();
    if (entry < 0 || entry > std::numeric_limits<std::int32_t>::max())
        r.fail("no entry has this number");
    return static_cast<std::size_t>(entry);
}

double memory_in(json_reader& r) {
    const double bytes = r.number();
    if (!(bytes > 0) || !std::isfinite(bytes)) r.fail("memory is a number of bytes");
    return bytes;
}

void read_ssa(json_reader& r, written_order& order) {
    for (r.begin_array(); r.next_element();) {
        std::size_t pair[2] = {};
        std::size_t count = 0;
        for (r.begin_array(); r.next_element(); ++count) {
            if (count == 2) r.fail("a product has more than two operands");
            pair[count] = entry_in(r);
        }
        if (count != 2) r.fail("a product has fewer than two operands");
        order.ssa.emplace_back(pair[0], pair[1]);
    }
    order.has_ssa = true;
}

void read_slices(json_reader& r, written_order& order) {
    for (r.begin_array(); r.next_element();) {
        sliced_index slice;
        bool has_index = false, has_parts = false;
        std::string key;
        for (r.begin_object(); r.next_key(key);) {
            if (key == "index") slice.index = r.integer(), has_index = true;
            else if (key == "parts") slice.parts = r.integer(), has_parts = true;
            else r.skip();
        }
        if (!has_index || !has_parts) r.fail("a slice lacks its index or its parts");
        order.slices.push_back(slice);
    }
}

void read_zeros(json_reader& r, written_order& order) {
    for (r.begin_array(); r.next_element();) {
        written_order::written_zeros zeros;
        int found = 0;
        std::string key;
        for (r.begin_object(); r.next_key(key); ++found) {
            if (key == "tensor") zeros.fact.operand = static_cast<std::int32_t>(entry_in(r));
            else if (key == "index") zeros.index = r.integer();
            else if (key == "other") zeros.other = r.integer(), zeros.joins = true;
            else if (key == "first") zeros.fact.first = r.integer();
            else if (key == "step") zeros.fact.step = r.integer();
            else if (key == "count") zeros.fact.count = r.integer();
            else r.skip(), --found;
        }
        if (found != (zeros.joins ? 6 : 5)) r.fail("what is said of zeros lacks a number");
        order.zeros.push_back(zeros);
    }
}

// Keys that are not known are passed over: later versions may add some.
written_order read_order(json_reader& r) {
    written_order order;
    std::string key;
    for (r.begin_object(); r.next_key(key);) {
        if (key == "ricci") order.is_order = r.text() == "contraction order";
        else if (key == "version") order.version = r.integer();
        else if (key == "operands") order.operands = r.integer();
        else if (key == "memory") order.memory = memory_in(r);
        else if (key == "network") order.network = r.text();
        else if (key == "ssa") read_ssa(r, order);
        else if (key == "slices") read_slices(r, order);
        else if (key == "zeros") read_zeros(r, order);
        else r.skip();
    }
    r.end();
    if (!order.is_order || !order.has_ssa)
        r.fail(
            "it is no contraction order, which has \"ricci\": \"contraction order\" and \"ssa\"");
    if (order.version != json_version)
        r.fail(
            fmt::format("it is of version {}, and only {} is known", order.version, json_version));
    return order;
}

std::vector<zero_fact> facts_of(const written_order& order, const network_data& n) {
    std::vector<zero_fact> facts;
    const auto find = [&](std::int64_t number) {
        const std::int32_t i = n.find(number);
        if (i >= 0) return i;
        throw error(
            fmt::format("ricci: the order rests on zeros along index {}, which no tensor of the "
                        "network has.",
                        number));
    };
    for (const auto& zeros : order.zeros) {
        facts.push_back(zeros.fact);
        facts.back().index = find(zeros.index);
        if (zeros.joins) facts.back().other = find(zeros.other);
    }
    return facts;
}

std::string hash_words(std::uint64_t hash) { return fmt::format("{:016x}", hash); }

void check_network(const written_order& order, const network_data& n) {
    if (order.operands != static_cast<std::int64_t>(n.operands.size()))
        throw error(
            fmt::format("ricci: the order is of a network of {} tensors, and this one has {}.",
                        order.operands, n.operands.size()));
    if (order.network != hash_words(hash_of(n)))
        throw error("ricci: the order is of another network, whose indices or extents differ.");
}

}  // namespace

std::string contraction_order::json() const {
    std::string out = fmt::format(
        "{{\"ricci\": \"contraction order\", \"version\": {}, \"operands\": {}, \"network\": "
        "\"{}\",\n",
        json_version, data_->operands(), hash_words(data_->network_hash));
    // What is not bounded has no number in JSON.
    if (data_->memory > 0 && std::isfinite(data_->memory))
        out += fmt::format("\"memory\": {},\n", data_->memory);
    out += "\"slices\": [";
    constexpr std::size_t bytes_of_a_product = 18;
    out.reserve(out.size() + bytes_of_a_product * data_->products.size());
    for (std::size_t k = 0; k < data_->sliced.size(); ++k)
        out += fmt::format("{}{{\"index\": {}, \"parts\": {}}}", k == 0 ? "" : ", ",
                           data_->sliced[k].index, data_->sliced[k].parts);
    if (!data_->zeros.empty()) out += "],\n\"zeros\": [";
    for (std::size_t k = 0; k < data_->zeros.size(); ++k) {
        const zero_fact& fact = data_->zeros[k];
        const auto& [index, other] = data_->zero_indices[k];
        out += fmt::format("{}{{\"tensor\": {}, \"index\": {}, ", k == 0 ? "" : ", ", fact.operand,
                           index);
        if (fact.other >= 0) out += fmt::format("\"other\": {}, ", other);
        out += fmt::format("\"first\": {}, \"step\": {}, \"count\": {}}}", fact.first, fact.step,
                           fact.count);
    }
    out += "],\n\"ssa\": [";
    for (std::size_t k = 0; k < data_->products.size(); ++k) {
        out += k == 0 ? "[" : ", [";
        append_number(out, data_->products[k].first);
        out += ", ";
        append_number(out, data_->products[k].second);
        out += ']';
    }
    return out + "]}\n";
}

contraction_order contraction_order::from_json(const network& n, std::string_view text) {
    json_reader reader(text);
    written_order order;
    try {
        order = read_order(reader);
    } catch (const json_mistake& m) {
        throw error(fmt::format("ricci: the text is no order: line {}: {}.", m.line, m.words));
    }
    check_network(order, n.data());
    if (order.zeros.empty()) return with_memory(from_ssa(n, order.ssa, order.slices), order.memory);
    if (n.data().without_memory > 0)
        throw error(
            "ricci: the order rests on zeros in the tensors' values, and some tensors of the "
            "network are shapes, without any.");
    std::vector<zero_fact> zeros = facts_of(order, n.data());
    const reduced_network left(n.data(), zeros);
    const contraction_order of_left =
        with_memory(order_of_pairs(left.data(), order.ssa, order.slices), order.memory);
    return resting_on(n.data(), of_left, std::move(zeros));
}

}  // namespace ricci
