// Reads texts with shapes and values from standard input and answers with what the library makes of
// them, so that one process serves thousands of texts. It says what happened and judges nothing:
// run.py compares.
//
// A request, its fields separated by tabs:
//   text   NUMBER OF LINES, then the lines
//   input  NAME f|i RANK EXTENTS... VALUES...
//   extent LETTER NUMBER
//   run
// An answer:
//   refused KIND SENTENCE     (-1: a claim)
//   error   SENTENCE          (of the run)
//   asked   SENTENCE          (it ran with the extents)
//   output  NAME RANK EXTENTS... VALUES...
//   done
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <exception>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

#include <ricci/error.hpp>
#include <ricci/ir/extrema.hpp>
#include <ricci/parse.hpp>
#include <ricci/engine/executable.hpp>

namespace {

using namespace ricci;

using fields = std::vector<std::string>;

fields split(const std::string& line) {
    fields out;
    std::istringstream in(line);
    std::string field;
    while (std::getline(in, field, '\t')) out.push_back(field);
    return out;
}

std::string spelled(detail::text_view t) { return {t.begin(), t.end()}; }

/// A name without what may be written around it: `\text{head}`, head and {head} are the same.
std::string bare(std::string s) {
    for (const char* around : {"\\text", "{", "}", " "})
        for (auto at = s.find(around); at != std::string::npos; at = s.find(around))
            s.erase(at, std::string(around).size());
    return s;
}

struct input {
    std::string name;
    bool whole = false;  // positions or conditions
    std::vector<std::int64_t> extents, strides;
    std::vector<double> values;
    std::vector<std::int32_t> numbers;
};

struct output {
    ir::ref name = ir::none;
    std::vector<std::int64_t> extents;
    std::vector<double> values;
    bool whole = false;  // places, in the memory of the values
    double at(std::size_t k) const {
        return whole ? reinterpret_cast<const std::int32_t*>(values.data())[k] : values[k];
    }
};

std::vector<std::int64_t> row_major(const std::vector<std::int64_t>& extents) {
    std::vector<std::int64_t> strides(extents.size());
    std::int64_t size = 1;
    for (std::size_t k = extents.size(); k-- > 0;) {
        strides[k] = size;
        size *= extents[k] > 0 ? extents[k] : 1;
    }
    return strides;
}

class request {
public:
    void take(const fields& f) {
        if (f[0] == "extent") {
            extents_.push_back({f[1], std::strtoll(f[2].c_str(), nullptr, 10)});
            return;
        }
        input in;
        in.name = f[1];
        in.whole = f[2] == "i";
        const auto rank = static_cast<std::size_t>(std::strtoul(f[3].c_str(), nullptr, 10));
        for (std::size_t k = 0; k < rank; ++k)
            in.extents.push_back(std::strtoll(f[4 + k].c_str(), nullptr, 10));
        for (std::size_t k = 4 + rank; k < f.size(); ++k) {
            in.values.push_back(std::strtod(f[k].c_str(), nullptr));
            in.numbers.push_back(static_cast<std::int32_t>(in.values.back()));
        }
        in.strides = row_major(in.extents);
        inputs_.push_back(std::move(in));
    }

    void answer(const std::string& text) {
        auto parsed = parse(text);
        if (!parsed) {
            const mistake& m = parsed.error();
            const int kind = m.kind == ir::mistake_kind::claim ? -1 : static_cast<int>(m.kind);
            std::printf("refused\t%d\t%s\n", kind, one_line(m.message).c_str());
            return;
        }
        program_ = ir::program(parsed->view());
        try {
            run(false);
        } catch (const std::exception& e) {
            const std::string words = one_line(e.what());
            if (words.find("extent") == std::string::npos || extents_.empty()) {
                std::printf("error\t%s\n", words.c_str());
                return;
            }
            std::printf("asked\t%s\n", words.c_str());
            try {
                run(true);
            } catch (const std::exception& second) {
                std::printf("error\t%s\n", one_line(second.what()).c_str());
            }
        }
    }

private:
    static std::string one_line(std::string s) {
        for (char& c : s)
            if (c == '\n' || c == '\t') c = ' ';
        return s;
    }
    ir::ref find(const std::string& name) const {
        for (ir::ref n = 0; n < program_.names.size(); ++n)
            if (bare(spelled(program_.name(n))) == bare(name)) return n;
        return ir::none;
    }
    void run(bool with_extents) {
        outputs_.clear();
        std::vector<engine::operand> operands;
        for (input& in : inputs_) {
            engine::operand o;
            o.name = find(in.name);
            if (o.name == ir::none) {
                std::printf("unused\t%s\n", in.name.c_str());
                continue;
            }
            o.rank = static_cast<std::int32_t>(in.extents.size());
            static double nothing = 0;
            o.data = in.whole            ? static_cast<void*>(in.numbers.data())
                     : in.values.empty() ? static_cast<void*>(&nothing)
                                         : static_cast<void*>(in.values.data());
            o.extents = in.extents.data();
            o.strides = in.strides.data();
            o.is_positions = in.whole;
            operands.push_back(o);
        }
        std::vector<engine::index_extent> given;
        if (with_extents)
            for (const auto& [letter, n] : extents_) {
                const ir::ref index =
                    program_.find_index({letter.data(), static_cast<std::int32_t>(letter.size())});
                if (index != ir::none) given.push_back({index, n});
            }
        engine::request r;
        r.program = program_.view();
        r.type = element::f64;
        r.inputs = operands.data();
        r.input_count = static_cast<std::int32_t>(operands.size());
        r.index_extents = given.data();
        r.index_extent_count = static_cast<std::int32_t>(given.size());
        r.context = this;
        r.allocate = [](void* self, ir::ref name, std::int32_t rank,
                        const std::int64_t* extents) -> void* {
            output& o = static_cast<request*>(self)->outputs_.emplace_back();
            o.name = name;
            o.whole = ir::is_of_places(static_cast<request*>(self)->program_, name);
            o.extents.assign(extents, extents + rank);
            std::int64_t size = 1;
            for (const auto n : o.extents) size *= n;
            o.values.assign(static_cast<std::size_t>(size) + 1, 0);
            return o.values.data();
        };
        engine::executable step(r);
        step.run();
        for (const output& o : outputs_) {
            std::printf("output\t%s\t%zu", spelled(program_.name(o.name)).c_str(),
                        o.extents.size());
            for (const auto n : o.extents) std::printf("\t%lld", static_cast<long long>(n));
            for (std::size_t k = 0; k + 1 < o.values.size(); ++k) std::printf("\t%.17g", o.at(k));
            std::printf("\n");
        }
    }

    ir::program program_;
    std::vector<input> inputs_;
    std::vector<std::pair<std::string, std::int64_t>> extents_;
    std::deque<output> outputs_;
};

}  // namespace

int main() {
    std::string line, text;
    request now;
    while (std::getline(std::cin, line)) {
        const fields f = split(line);
        if (f.empty()) continue;
        if (f[0] == "text") {
            now = request();
            text.clear();
            for (long left = std::strtol(f[1].c_str(), nullptr, 10); left > 0; --left) {
                std::getline(std::cin, line);
                text += line + "\n";
            }
            if (!text.empty()) text.pop_back();
        } else if (f[0] == "run") {
            now.answer(text);
            std::printf("done\n");
            std::fflush(stdout);
        } else {
            now.take(f);
        }
    }
}
