// Graphical models of the UAI competitions: variables with so many places each, and tables.
#include <algorithm>
#include <limits>
#include <memory>
#include <string>

#include "src/files/network_formats.hpp"
#include "src/files/stored.hpp"
#include "src/files/word_reader.hpp"

namespace ricci::files {
namespace {

constexpr std::int64_t most_variables = std::int64_t{1} << 30;

struct uai_model {
    std::vector<std::int64_t> places;               // of each variable
    std::vector<std::vector<std::int64_t>> scopes;  // of each factor, in the order of its table
    std::vector<array> tables;
};

void read_variables(word_reader& words, uai_model& model) {
    std::string kind(words.word("MARKOV or BAYES"));
    for (char& c : kind) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
    if (kind != "MARKOV" && kind != "BAYES")
        words.fail("a model begins with MARKOV or BAYES, not {}", printable(kind));
    // A number and a space for each: a count that the file cannot hold allocates nothing.
    const std::int64_t variables = words.integer("the number of variables", 0, most_variables);
    for (std::int64_t v = 0; v < variables; ++v)
        model.places.push_back(words.integer("a variable's number of places", 1,
                                             std::numeric_limits<std::int32_t>::max()));
}

void read_scopes(word_reader& words, uai_model& model) {
    const std::int64_t factors = words.integer("the number of factors", 0, most_variables);
    const auto last = static_cast<std::int64_t>(model.places.size()) - 1;
    for (std::int64_t f = 0; f < factors; ++f) {
        const std::int64_t rank = words.integer("a factor's number of variables", 0,
                                                static_cast<std::int64_t>(most_axes));
        std::vector<std::int64_t> scope;
        for (std::int64_t k = 0; k < rank; ++k) {
            scope.push_back(words.integer("a variable of a factor", 0, last));
            if (std::find(scope.begin(), scope.end() - 1, scope.back()) != scope.end() - 1)
                words.fail("factor {} has variable {} twice", f, scope.back());
        }
        model.scopes.push_back(std::move(scope));
    }
}

// What is still in the file bounds what is allocated: a number and a space take two bytes.
array read_table(word_reader& words, const uai_model& model, std::size_t factor) {
    std::vector<std::size_t> extents;
    double entries = 1;
    for (const std::int64_t v : model.scopes[factor]) {
        extents.push_back(static_cast<std::size_t>(model.places[static_cast<std::size_t>(v)]));
        entries *= static_cast<double>(extents.back());
    }
    const std::int64_t stated =
        words.integer("a table's number of entries", 0, std::numeric_limits<std::int64_t>::max());
    if (static_cast<double>(stated) != entries)
        words.fail("the table of factor {} has {} entries, and its variables' places make {:.0f}",
                   factor, stated, entries);
    if (entries > static_cast<double>(words.left() / 2 + 1))
        words.fail("the table of factor {} has {} entries, and the file ends before them", factor,
                   stated);
    array table(element::f64, extents);
    auto* values = static_cast<double*>(table.data());
    for (std::int64_t k = 0; k < stated; ++k) values[k] = words.number("an entry of a table");
    return table;
}

// Where each variable has been seen; -1 where it has not.
std::vector<std::int64_t> seen_places(const uai_model& model,
                                      const std::vector<observation>& evidence,
                                      const place& evidence_file) {
    std::vector<std::int64_t> seen(model.places.size(), -1);
    for (const observation& o : evidence) {
        if (o.variable >= static_cast<std::int64_t>(seen.size()))
            fail(evidence_file, "it observes variable {}, and the model has {}", o.variable,
                 count(seen.size(), "variable"));
        const auto v = static_cast<std::size_t>(o.variable);
        if (o.place >= model.places[v])
            fail(evidence_file, "it observes variable {} in place {}, and it has {}", o.variable,
                 o.place, count(static_cast<std::size_t>(model.places[v]), "place"));
        if (seen[v] >= 0 && seen[v] != o.place)
            fail(evidence_file, "it observes variable {} in places {} and {}", o.variable, seen[v],
                 o.place);
        seen[v] = o.place;
    }
    return seen;
}

// The part of a table where observed variables are as they have been seen: a view, nothing is
// copied.
void add_factor(network& n, const array& table, const std::vector<std::int64_t>& scope,
                const std::vector<std::int64_t>& seen) {
    std::vector<std::int64_t> indices, strides;
    std::vector<std::size_t> extents;
    std::int64_t offset = 0;
    for (std::size_t axis = 0; axis < scope.size(); ++axis) {
        const std::int64_t at = seen[static_cast<std::size_t>(scope[axis])];
        if (at >= 0) {
            offset += at * table.strides()[axis];
            continue;
        }
        indices.push_back(scope[axis]);
        extents.push_back(table.extent(axis));
        strides.push_back(table.strides()[axis]);
    }
    if (indices.size() == scope.size()) return n.add(table, indices);
    auto owner = std::make_shared<array>(table);
    auto* first = static_cast<double*>(owner->data()) + offset;
    n.add(array::over(owner, element::f64, first, extents, strides), indices);
}

}  // namespace

// Two forms are about: the number of observations and they themselves, and the same with the number
// of samples before; of two numbers for each observation the parity of all says which.
std::vector<observation> read_evidence(std::string_view text, const place& where) {
    word_reader words(text, where);
    std::vector<std::int64_t> all;
    while (!words.done())
        all.push_back(words.integer("a number", 0, std::numeric_limits<std::int32_t>::max()));
    std::size_t begin = 0;
    if (all.size() % 2 == 0 && !all.empty()) {
        if (all[0] != 1)
            fail(where, "it has {}, and a network is of one",
                 count(static_cast<std::size_t>(all[0]), "sample"));
        begin = 1;
    }
    std::vector<observation> evidence;
    if (all.empty()) return evidence;
    if (all.size() - begin - 1 != 2 * static_cast<std::size_t>(all[begin]))
        fail(where, "it says that it has {}, and {} follow, not two for each",
             count(static_cast<std::size_t>(all[begin]), "observation"),
             count(all.size() - begin - 1, "number"));
    for (std::size_t k = begin + 1; k < all.size(); k += 2)
        evidence.push_back({all[k], all[k + 1]});
    return evidence;
}

network read_uai(std::string_view text, const place& where,
                 const std::vector<observation>& evidence, const place& evidence_file) {
    word_reader words(text, where);
    uai_model model;
    read_variables(words, model);
    read_scopes(words, model);
    const std::vector<std::int64_t> seen = seen_places(model, evidence, evidence_file);
    network n;
    std::vector<bool> has_factor(model.places.size(), false);
    for (std::size_t f = 0; f < model.scopes.size(); ++f) {
        add_factor(n, read_table(words, model, f), model.scopes[f], seen);
        for (const std::int64_t v : model.scopes[f]) has_factor[static_cast<std::size_t>(v)] = true;
    }
    if (!words.done()) {
        const std::string_view more = words.word("nothing");
        words.fail("{} stands after the last table", printable(more));
    }
    const auto one = std::make_shared<double>(1);
    for (std::size_t v = 0; v < has_factor.size(); ++v) {
        if (has_factor[v] || seen[v] >= 0) continue;
        // The same number at all places, whose count the size of the file does not bound.
        const std::size_t places[] = {static_cast<std::size_t>(model.places[v])};
        const std::int64_t stays[] = {0};
        n.add(array::over(one, element::f64, one.get(), places, stays), {v});
    }
    return n;
}

}  // namespace ricci::files
