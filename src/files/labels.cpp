// Labels of indices in JSON.
#include "src/files/labels.hpp"

#include "src/files/word_reader.hpp"
#include "src/files/words.hpp"

namespace ricci::files {

std::int64_t only_character(std::string_view text) {
    if (text.empty()) return -1;
    const auto byte = [&](std::size_t k) { return static_cast<unsigned char>(text[k]); };
    const unsigned char lead = byte(0);
    const std::size_t size = lead < 0x80 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
    if (text.size() != size || (lead >= 0x80 && lead < 0xc0)) return -1;
    if (size == 1) return lead;
    std::int64_t code = lead & (0x7f >> size);
    for (std::size_t k = 1; k < size; ++k) {
        if ((byte(k) & 0xc0) != 0x80) return -1;
        code = code * 64 + (byte(k) & 0x3f);
    }
    return code;
}

std::int64_t label_list::place_of(const std::string& text) {
    const auto [at, fresh] = places_.emplace(text, static_cast<std::int64_t>(texts_.size()));
    if (fresh) {
        texts_.push_back(text);
        all_characters_ = all_characters_ && only_character(text) >= 0;
    }
    return at->second;
}

std::int64_t label_list::read(json_reader& r) {
    const bool is_text = r.next() == json_reader::kind::text;
    const kind found = is_text ? kind::texts : kind::numbers;
    if (kind_ != kind::unknown && kind_ != found) r.fail("labels are numbers or texts, not both");
    kind_ = found;
    return is_text ? place_of(r.text()) : r.integer();
}

bool label_list::find(const std::string& key, std::int64_t& label) const {
    if (kind_ == kind::numbers) return read_integer(key, label);
    const auto at = places_.find(key);
    if (at == places_.end()) return false;
    label = at->second;
    return true;
}

std::int64_t label_list::number(std::int64_t label) const {
    if (kind_ == kind::numbers || !all_characters_) return label;
    return only_character(texts_[static_cast<std::size_t>(label)]);
}

std::string label_list::words(std::int64_t label) const {
    if (kind_ == kind::numbers) return std::to_string(label);
    return printable(texts_[static_cast<std::size_t>(label)]);
}

}  // namespace ricci::files
