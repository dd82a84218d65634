// Reads the parts of a document in order.
#include "check/check_paper.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "check/check_claims.hpp"
#include "check/check_definitions.hpp"
#include "check/check_numbers.hpp"
#include "check/paper_reader.hpp"
#include "check/paper_symbols.hpp"
#include "papers/conjunctions.hpp"
#include "papers/document_parts.hpp"
#include "papers/paper_statements.hpp"

namespace ricci::papers {

const char* word_of(verdict v) {
    static constexpr const char* words[verdict_count] = {"defines",  "proved",  "conditional",
                                                         "refuted",  "suspect", "unproved",
                                                         "declares", "prose",   "unreadable"};
    return words[static_cast<int>(v)];
}

namespace {

constexpr std::size_t most_statements = 20000;  // of one document

class walk {
public:
    explicit walk(const document& d)
        : document_(d),
          all_(parts_of(d)),
          parts_(all_.list),
          names_(symbols_of(d, parts_)),
          reader_(d, all_.prose, names_) {}

    paper_report run(const std::function<void(std::size_t, std::size_t)>& tell) {
        // what the text says of a name in passing holds wherever it stands
        reader_.note_dimensions(all_.prose);
        int section = 0;
        std::size_t before = 0;  // where the part before ends
        for (const part& p : parts_) {
            section += p.kind == part_kind::heading;
            const std::string_view said =
                std::string_view(all_.prose)
                    .substr(before, p.begin > before ? p.begin - before : 0);
            before = p.end;
            if (p.kind == part_kind::inline_math && p.problem.empty())
                reader_.note_passing(p, section);
            if (p.kind != part_kind::heading && p.problem.empty())
                for (const statement& s : statements_of(p.content, p.environment))
                    reader_.note_unread(s, section, explains(said));
        }
        for (std::size_t k = 0; k < parts_.size(); ++k) {
            if (tell) tell(k, parts_.size());
            const part& p = parts_[k];
            if (p.kind == part_kind::heading) {
                reader_.begin_section(document_.text().substr(p.begin, p.end - p.begin));
                end_ = p.end;
            } else if (p.kind == part_kind::display) {
                reader_.begin_display(
                    std::string_view(all_.prose).substr(end_, p.begin > end_ ? p.begin - end_ : 0));
                display(p);
                end_ = p.end;
            } else if (p.problem.empty() && !p.aside) {
                reader_.take_passing(p);
            }
            if (reader_.count() > most_statements) break;
        }
        return reader_.finish();
    }

private:
    void display(const part& p) {
        if (!p.problem.empty()) {
            std::string begin(
                document_.text().substr(p.begin, std::min<std::size_t>(60, p.end - p.begin)));
            reader_.add(p.begin, std::move(begin), verdict::unreadable, p.problem);
            return;
        }
        const auto list = statements_of(p.content, p.environment);
        if (list.empty() && !p.content.empty())
            reader_.add(p.content.front().at, spelled(p.content), verdict::prose, "no equation");
        for (const statement& s : list) reader_.take(s);
    }

    const document& document_;
    document_parts all_;
    const std::vector<part>& parts_;
    symbols names_;
    paper_reader reader_;
    std::size_t end_ = 0;  // of the display or heading before
};

}  // namespace

paper_report check_paper(const document& text,
                         const std::function<void(std::size_t, std::size_t)>& tell) {
    return walk(text).run(tell);
}

}  // namespace ricci::papers
