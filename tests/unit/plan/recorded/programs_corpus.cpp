// Recorded programs: those of tests/corpus, with small shapes that their texts give.
#include <algorithm>
#include <string>

#include "tests/front.hpp"
#include "tests/property/corpus.hpp"
#include "tests/property/corpus_shapes.hpp"
#include "tests/unit/plan/recorded/programs.hpp"

namespace ricci::testing {
namespace {

std::string spelled(detail::text_view text) { return {text.begin(), text.end()}; }

/// `3x4`, or `= 0.7` of a number.
std::string words_of_shape(const std::vector<std::int64_t>& extents) {
    std::string words;
    for (const auto e : extents) words += (words.empty() ? "" : "x") + std::to_string(e);
    return words.empty() ? "= 0.7" : words;
}

std::string inputs_of(const ir::program_view& p, const corpus_shapes& shapes) {
    std::string words;
    for (ir::ref n = 0; n < p.names.size(); ++n) {
        if (p.definition(n) != ir::none) continue;
        words += spelled(p.name(n)) + " " + words_of_shape(shapes.shape(n));
        if (shapes.places(n) > 0) words += " i32 <" + std::to_string(shapes.places(n));
        words += ";";
    }
    return words;
}

std::string extents_of(const ir::program_view& p, const corpus_shapes& shapes) {
    std::string words;
    for (ir::ref i = 0; i < p.indices.size(); ++i)
        words += spelled(p.index(i)) + "=" + std::to_string(shapes.extent(i)) + " ";
    return words;
}

/// The first line of a text, and the last one of several.
std::string title_of(const std::string& text) {
    const auto first = text.find('\n'), last = text.rfind('\n', text.size() - 2);
    const std::string title = text.substr(0, first);
    if (last == std::string::npos) return title;
    return title + " ... " + text.substr(last + 1, text.size() - last - 2);
}

}  // namespace

std::vector<recorded_program> corpus_programs() {
    auto texts = corpus();
    std::sort(texts.begin(), texts.end());
    texts.erase(std::unique(texts.begin(), texts.end()), texts.end());
    std::vector<recorded_program> list;
    for (const auto& text : texts) {
        const auto program = program_of(read_equations(text));
        const corpus_shapes shapes(program.view(), 5);
        list.push_back({"corpus, " + title_of(text), text, "", inputs_of(program.view(), shapes),
                        "", "", "", extents_of(program.view(), shapes), element::f64});
    }
    return list;
}

}  // namespace ricci::testing
