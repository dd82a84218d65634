// JSON to entries and back. Read as it comes, without a tree: nothing is kept that was not
// expected.
#include "src/files/safetensors_header.hpp"

#include <cstdint>
#include <unordered_set>

#include <fmt/format.h>

#include <nlohmann/json.hpp>

namespace ricci::files {
namespace {

using nlohmann::json;

constexpr std::string_view metadata_key = "__metadata__";

// What nlohmann's parser calls for each piece of the text; false ends it. The form is {"name":
// {"dtype": "F32", "shape": [2, 3], "data_offsets": [0, 24]}, ..., "__metadata__": {"key": "text"}}
class header_events {
public:
    using number_integer_t = json::number_integer_t;
    using number_unsigned_t = json::number_unsigned_t;
    using number_float_t = json::number_float_t;
    using string_t = json::string_t;
    using binary_t = json::binary_t;

    std::vector<safetensors_entry> entries;
    std::string problem;  // what is wrong, if anything is

    bool start_object(std::size_t) {
        if (at_ == level::outside) return go_to(level::header);
        if (at_ == level::name) {
            seen_.clear();
            return go_to(level::tensor);
        }
        if (at_ == level::metadata_name) return go_to(level::metadata);
        return unexpected();
    }
    bool end_object() {
        if (at_ == level::tensor) {
            if (seen_.size() != 3)
                return wrong_tensor("lacks one of dtype, shape and data_offsets");
            return go_to(level::header);
        }
        return go_to(at_ == level::metadata ? level::header : level::outside);
    }
    bool key(string_t& text) {
        if (text.find('\0') != std::string::npos) return wrong("its header has a name with a NUL");
        if (at_ == level::header) {
            if (!names_.insert(text).second)
                return wrong("its header names {} twice", printable(text));
            if (text == metadata_key) return go_to(level::metadata_name);
            entries.push_back({text, {}, {}, 0, 0});
            return go_to(level::name);
        }
        if (at_ == level::metadata) {
            if (!metadata_.insert(text).second)
                return wrong("its metadata name {} twice", printable(text));
            return go_to(level::metadata_text);
        }
        if (!seen_.insert(text).second) return wrong_tensor("has {} twice", printable(text));
        if (text == "dtype") return go_to(level::type);
        if (text == "shape") return go_to(level::shape);
        if (text == "data_offsets") return go_to(level::offsets);
        return wrong_tensor("has the unknown key {}", printable(text));
    }
    bool start_array(std::size_t) {
        offsets_ = 0;
        if (at_ == level::shape) return go_to(level::extent);
        return at_ == level::offsets ? go_to(level::offset) : unexpected();
    }
    bool end_array() {
        if (at_ == level::offset && offsets_ != 2)
            return wrong_tensor("has other data_offsets than two");
        return go_to(level::tensor);
    }
    bool string(string_t& text) {
        if (at_ == level::metadata_text) return go_to(level::metadata);
        if (at_ != level::type) return unexpected();
        entries.back().type = text;
        return go_to(level::tensor);
    }
    bool number_unsigned(number_unsigned_t value) {
        if (at_ != level::extent && at_ != level::offset) return unexpected();
        if (value > PTRDIFF_MAX) return wrong_tensor("has a number that is too large");
        if (at_ == level::extent) {
            if (entries.back().extents.size() == most_axes)
                return wrong_tensor("has more than {} axes", most_axes);
            entries.back().extents.push_back(value);
            return true;
        }
        if (offsets_ == 0) entries.back().begin = value;
        if (offsets_ == 1) entries.back().end = value;
        return ++offsets_ <= 2 || wrong_tensor("has other data_offsets than two");
    }
    bool number_integer(number_integer_t) {
        if (at_ != level::extent && at_ != level::offset) return unexpected();
        return wrong_tensor("has a number below 0");
    }
    bool number_float(number_float_t, const string_t&) {
        if (at_ != level::extent && at_ != level::offset) return unexpected();
        return wrong_tensor("has a number that is not whole or too large");
    }
    bool null() { return unexpected(); }
    bool boolean(bool) { return unexpected(); }
    bool binary(binary_t&) { return unexpected(); }
    bool parse_error(std::size_t position, const std::string&, const json::exception&) {
        return wrong("its header is no JSON at byte {}", position);
    }

private:
    // What has been read: which thing comes next, or may.
    enum class level {
        outside,
        header,
        name,
        tensor,
        type,
        shape,
        extent,
        offsets,
        offset,
        metadata_name,
        metadata,
        metadata_text
    };

    bool go_to(level next) {
        at_ = next;
        return true;
    }
    template <class... Values>
    bool wrong(fmt::format_string<Values...> words, Values&&... values) {
        problem = fmt::format(words, std::forward<Values>(values)...);
        return false;
    }
    // The same of the tensor that is being read.
    template <class... Values>
    bool wrong_tensor(fmt::format_string<Values...> words, Values&&... values) {
        return wrong("tensor {} of its header {}", printable(entries.back().name),
                     fmt::format(words, std::forward<Values>(values)...));
    }
    bool unexpected() {
        if (at_ == level::outside) return wrong("its header is no JSON object");
        if (at_ == level::metadata_name || at_ == level::metadata_text)
            return wrong("its metadata are not texts by name");
        // Nothing of a tensor is read before its name.
        if (entries.empty()) return wrong("its header is not said as tensors by name");
        return wrong_tensor(
            "is not said as {{\"dtype\": TEXT, \"shape\": [NUMBERS], "
            "\"data_offsets\": [NUMBER, NUMBER]}}");
    }

    level at_ = level::outside;
    int offsets_ = 0;
    std::unordered_set<std::string> names_, metadata_, seen_;
};

}  // namespace

std::vector<safetensors_entry> read_safetensors_header(const std::string& text,
                                                       const place& where) {
    if (text.empty() || text[0] != '{') fail(where, "its header does not begin with {{");
    // the reader of JSON takes a NUL for the end, and would not see what stands behind it
    if (const std::size_t at = text.find('\0'); at != std::string::npos)
        fail(where, "its header has a NUL at byte {}", at);
    header_events events;
    if (!json::sax_parse(text, &events)) fail_with(where, events.problem);
    return std::move(events.entries);
}

std::string safetensors_header(const std::vector<safetensors_entry>& entries, const place& where) {
    std::string text = "{";
    for (const safetensors_entry& entry : entries) {
        const place tensor = where.named(entry.name);
        if (entry.name == metadata_key)
            fail(tensor, "the .safetensors format has another use for this name");
        if (entry.name.find('\0') != std::string::npos)
            fail(tensor, "no .safetensors file has a name with a NUL in it");
        if (text.size() > 1) text += ',';
        std::string name;
        try {
            name = json(entry.name).dump();
        } catch (const json::exception&) {
            fail(tensor, "a .safetensors file has names in UTF-8, and this is not");
        }
        text += fmt::format("{}:{{\"dtype\":\"{}\",\"shape\":[{}],\"data_offsets\":[{},{}]}}", name,
                            entry.type, fmt::join(entry.extents, ","), entry.begin, entry.end);
    }
    text += '}';
    text.append((64 - (8 + text.size()) % 64) % 64, ' ');
    return text;
}

}  // namespace ricci::files
