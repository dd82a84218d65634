// Networks of shapes in the JSON of other programs.
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include <ricci/error.hpp>

#include "src/files/labels.hpp"
#include "src/files/mistakes_in_json.hpp"
#include "src/files/network_formats.hpp"

namespace ricci::files {
namespace {

using label_lists = std::vector<std::vector<std::int64_t>>;

// What a file says of a network, by whichever keys.
struct written_network {
    label_list labels;
    bool has_inputs = false, has_output = false, has_sizes = false;
    label_lists inputs;
    std::vector<std::int64_t> output;
    std::vector<std::pair<std::string, std::int64_t>> sizes;
    std::string text;  // einsum's
    bool has_text = false, has_shapes = false;
    std::vector<std::vector<std::size_t>> shapes;
    element type = element::f64;
};

std::vector<std::int64_t> read_labels(json_reader& r, label_list& labels) {
    std::vector<std::int64_t> list;
    for (r.begin_array(); r.next_element();) list.push_back(labels.read(r));
    return list;
}

void read_inputs(json_reader& r, written_network& n) {
    if (n.has_inputs) r.fail("the operands' labels stand there twice");
    for (r.begin_array(); r.next_element();) n.inputs.push_back(read_labels(r, n.labels));
    n.has_inputs = true;
}

void read_output(json_reader& r, written_network& n) {
    if (n.has_output) r.fail("the result's labels stand there twice");
    n.output = read_labels(r, n.labels);
    n.has_output = true;
}

std::int64_t read_extent(json_reader& r) {
    const std::int64_t extent = r.integer();
    if (extent < 0) r.fail("an extent is below 0");
    return extent;
}

void read_sizes(json_reader& r, written_network& n) {
    std::string key;
    for (r.begin_object(); r.next_key(key);) n.sizes.emplace_back(key, read_extent(r));
    n.has_sizes = true;
}

void read_shapes(json_reader& r, written_network& n) {
    for (r.begin_array(); r.next_element();) {
        std::vector<std::size_t> shape;
        for (r.begin_array(); r.next_element();)
            shape.push_back(static_cast<std::size_t>(read_extent(r)));
        n.shapes.push_back(std::move(shape));
    }
    n.has_shapes = true;
}

element type_named(json_reader& r) {
    static constexpr std::pair<std::string_view, element> names[] = {
        {"float64", element::f64},   {"float32", element::f32},  {"complex128", element::c128},
        {"complex64", element::c64}, {"int64", element::i64},    {"int32", element::i32},
        {"float16", element::f16},   {"bfloat16", element::bf16}};
    const std::string name = r.text();
    for (const auto& [known, type] : names)
        if (name == known) return type;
    r.fail("the element type " + printable(name) + " is not known");
}

void read_einsum_object(json_reader& r, written_network& n) {
    std::string key;
    for (r.begin_object(); r.next_key(key);) {
        if (key == "ixs") read_inputs(r, n);
        else if (key == "iy") read_output(r, n);
        else r.skip();
    }
}

void read_keys(json_reader& r, written_network& n) {
    std::string key;
    for (r.begin_object(); r.next_key(key);) {
        if (key == "einsum") read_einsum_object(r, n);
        else if (key == "inputs") read_inputs(r, n);
        else if (key == "output") read_output(r, n);
        else if (key == "size" || key == "size_dict") read_sizes(r, n);
        else if (key == "format_string") n.text = r.text(), n.has_text = true;
        else if (key == "shapes") read_shapes(r, n);
        else if (key == "dtype") n.type = type_named(r);
        else r.skip();
    }
    r.end();
}

network network_of_text(const written_network& n, const place& where) {
    if (!n.has_shapes) fail(where, "it has a \"format_string\" and no \"shapes\"");
    std::vector<array> operands;
    operands.reserve(n.shapes.size());
    for (const auto& extents : n.shapes) operands.push_back(shape(n.type, extents));
    return network::from_einsum(n.text, operands);
}

network network_of_labels(const written_network& n, const place& where) {
    if (!n.has_output) fail(where, "it lacks the labels of the result, \"output\" or \"iy\"");
    if (!n.has_sizes) fail(where, "it lacks the extents of indices, \"size_dict\" or \"size\"");
    std::unordered_map<std::int64_t, std::size_t> extents;
    for (const auto& [key, extent] : n.sizes) {
        std::int64_t label = 0;
        if (!n.labels.find(key, label)) continue;
        const auto size = static_cast<std::size_t>(extent);
        const auto known = extents.emplace(label, size).first->second;
        if (known != size)
            fail(where, "label {} has extents {} and {}", n.labels.words(label), known, size);
    }
    network made;
    std::vector<std::int64_t> numbers;
    std::vector<std::size_t> operand;
    for (const std::vector<std::int64_t>& input : n.inputs) {
        numbers.clear();
        operand.clear();
        for (const std::int64_t label : input) {
            const auto at = extents.find(label);
            if (at == extents.end()) fail(where, "label {} has no extent", n.labels.words(label));
            numbers.push_back(n.labels.number(label));
            operand.push_back(at->second);
        }
        made.add(shape(n.type, operand), numbers);
    }
    numbers.clear();
    for (const std::int64_t label : n.output) numbers.push_back(n.labels.number(label));
    made.keep(numbers);
    return made;
}

}  // namespace

network read_network_json(std::string_view text, const place& where) {
    json_reader r(text);
    written_network n;
    read_json(where, [&] { read_keys(r, n); });
    if (n.has_text) return in_words_of(where, [&] { return network_of_text(n, where); });
    if (n.has_inputs) return in_words_of(where, [&] { return network_of_labels(n, where); });
    fail(where, "it has no network, which is given by \"einsum\", \"inputs\" or \"format_string\"");
}

}  // namespace ricci::files
