// Which definitions an equation rests on, and their text.
#include "check/check_definitions.hpp"

#include <algorithm>

namespace ricci::papers {

void definition_list::add(definition d) {
    std::string name = d.name;
    if (list_.count(name)) several_.insert(name);
    list_[std::move(name)] = std::move(d);
}

const definition* definition_list::find(const std::string& name) const {
    const auto found = list_.find(name);
    return found == list_.end() ? nullptr : &found->second;
}

/// False where the name rests on `except`, and nothing is added.
bool definition_list::collect(const used_name& u, const std::string& except, int section,
                              std::set<std::string>& seen, program_text& out) const {
    if (u.name == except || plain_name(u.name) == plain_name(except)) return false;
    if (!seen.insert(u.name).second) return true;
    const definition* d = find(u.name);
    if (!d || d->function) return true;
    if (d->rank != u.rank) {
        out.doubtful = out.doubtful || d->section == section;
        return true;
    }
    program_text below = out;
    std::set<std::string> seen_below = seen;
    for (const used_name& next : d->uses) {
        if (next.derivative) {  // \sigma = dW/d\varepsilon, of a W that is defined
            collect_derivative(next, except, section, seen_below, below);
            continue;
        }
        if (!collect(next, except, section, seen_below, below))
            return true;  // without this definition
    }
    if (below.text.size() > 12000 || below.used.size() > 60) {
        out.doubtful = true;
        return true;
    }
    out = std::move(below);
    seen = std::move(seen_below);
    out.text += d->text + "\n";
    out.used.push_back(d);
    return true;
}

void definition_list::collect_derivative(const used_name& u, const std::string& except, int section,
                                         std::set<std::string>& seen, program_text& out) const {
    const definition* above = find(u.numerator);
    for (const std::string& part : {u.of, u.of_inner, u.numerator}) {
        const definition* d = find(part);
        if (!d || part == except) continue;
        // what the axes of the derivative leave for the name below
        const bool below = u.of_inner.empty() && part == u.of && part != u.numerator;
        const int rank = below ? u.rank - (above ? above->rank : 0) : d->rank;
        collect({part, rank, true, false, {}, {}}, except, section, seen, out);
    }
}

program_text definition_list::below(const std::vector<used_name>& names, const std::string& except,
                                    int section) const {
    program_text out;
    std::set<std::string> seen;
    for (const used_name& u : names)
        if (u.derivative) collect_derivative(u, except, section, seen, out);
        else collect(u, except, section, seen, out);
    return out;
}

void definition_list::repeat(const std::string& name, int section) {
    if (const auto found = list_.find(name); found != list_.end()) found->second.section = section;
}

bool definition_list::rests_on(const std::string& name, const std::string& other) const {
    std::set<std::string> seen;
    std::vector<std::string> open = {name};
    while (!open.empty()) {
        const definition* d = find(open.back());
        open.pop_back();
        if (!d) continue;
        for (const used_name& u : d->uses) {
            const std::string& used = u.derivative ? u.of : u.name;
            if (plain_name(used) == plain_name(other)) return true;
            if (seen.insert(used).second) open.push_back(used);
        }
    }
    return false;
}

std::string definition_list::functions_in(const std::string& text,
                                          const std::string& except) const {
    std::string out;
    for (const auto& [name, d] : list_) {
        if (!d.function || out.size() > 4000 || name == except) continue;
        for (std::size_t k = text.find(name); k != std::string::npos; k = text.find(name, k + 1)) {
            std::size_t behind = k + name.size();
            while (behind < text.size() && (text[behind] == ' ' || text[behind] == '}')) ++behind;
            if (behind < text.size() && text[behind] == '(') {
                out += d.text + "\n";
                break;
            }
        }
    }
    return out;
}

}  // namespace ricci::papers
