// Spells names in one way.
#include "judge/printed_names.hpp"

#include <vector>

namespace ricci::judge {

std::string name_at(const printed_token*& end, const printed_token* last) {
    if (end == last) return {};
    std::string key;
    if (end->kind == printed_kind::letter) {
        key = (end++)->text;
    } else if (end->kind == printed_kind::command && end + 1 != last && end[1].is("{") &&
               !end->is("frac") && !end->is("sqrt")) {
        key = "\\" + (end++)->text + "{";
        if (!spell_script(end, last, key)) return {};
        key += '}';
    } else if (end->kind == printed_kind::command) {
        key = "\\" + (end++)->text;
    } else {
        return {};
    }
    while (end != last && end->is("'")) key += (end++)->text;
    return key;
}

bool spell_script(const printed_token*& end, const printed_token* last, std::string& key) {
    const auto add = [&](const printed_token& t) {
        if (t.kind == printed_kind::command) key += '\\';
        key += t.text;
    };
    if (end == last) return false;
    if (!end->is("{")) {
        add(*end++);
        return true;
    }
    int depth = 0;
    for (;; ++end) {
        if (end == last) return false;
        if (end->is("{") && depth++ == 0) continue;
        if (end->is("}") && --depth == 0) {
            ++end;
            return true;
        }
        add(*end);
    }
}

std::string printed_key(std::string_view name) {
    std::vector<printed_token> list;
    split_printed(name, false, list);
    std::string out;
    for (std::size_t k = 0; k < list.size(); ++k) {
        if (list[k].kind == printed_kind::command) out += '\\';
        out += list[k].text;
        const bool script = list[k].is("_") || list[k].is("^");
        if (!script || k + 1 == list.size() || list[k + 1].is("{")) continue;
        ++k;
        out += '{';
        if (list[k].kind == printed_kind::command) out += '\\';
        out += list[k].text;
        out += '}';
    }
    return out;
}

}  // namespace ricci::judge
