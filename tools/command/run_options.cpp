// Running a program from the command line: operands in, outputs to files or to the terminal.
#include "command/run_options.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <complex>
#include <cstdint>
#include <map>
#include <span>
#include <string_view>

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include <ricci/detail/letters.hpp>
#include <ricci/files.hpp>
#include <ricci/prepared.hpp>
#include <ricci/print.hpp>

#include "command/command_line.hpp"
#include "command/number_words.hpp"
#include "command/operand_words.hpp"
#include "command/progress.hpp"
#include "command/sentences.hpp"

namespace ricci::command {
namespace {

std::size_t bytes_of_array(const array& a) { return a.size() * size_of(a.type()); }

void check_memory(const program& p, const std::vector<named>& shapes, double most) {
    const memory_needed needed = memory_of(p, shapes);
    std::size_t inputs = 0;
    for (const named& o : shapes)
        if (o.value.kind() == detail::operand_kind::tensor)
            inputs += bytes_of_array(o.value.value());
    const double all = static_cast<double>(inputs) + static_cast<double>(needed.outputs) +
                       static_cast<double>(needed.workspace);
    if (all <= most) return;
    refuse("this needs {} of memory (inputs {}, outputs {}, workspace {}), and --memory allows {}.",
           words_of_bytes(all), words_of_bytes(static_cast<double>(inputs)),
           words_of_bytes(static_cast<double>(needed.outputs)),
           words_of_bytes(static_cast<double>(needed.workspace)), words_of_bytes(most));
}

void print_outputs(const arrays& results) {
    for (const auto& [name, value] : results) {
        const std::string text = to_text(value);
        const bool lines = text.find('\n') != std::string::npos;
        fmt::print("{} ={}{}\n", name, lines ? "\n" : " ", text);
    }
}

// JSON has no infinity, and no number that is none.
nlohmann::json json_of(double x) {
    if (std::isnan(x)) return "nan";
    if (std::isinf(x)) return x > 0 ? "inf" : "-inf";
    return x;
}
nlohmann::json json_of(std::complex<double> x) {
    return nlohmann::json::array({json_of(x.real()), json_of(x.imag())});
}
nlohmann::json json_of(std::int64_t x) { return x; }

// A list of lists for each axis; `at` runs over the elements as they lie, the last axis fastest.
template <class T>
nlohmann::json nested(const T*& at, std::span<const std::size_t> extents) {
    if (extents.empty()) return json_of(*at++);
    auto list = nlohmann::json::array();
    for (std::size_t k = 0; k < extents[0]; ++k) list.push_back(nested(at, extents.subspan(1)));
    return list;
}
template <class T>
nlohmann::json nested(const array& a, element type) {
    const array all = a.converted(type).clone();  // in order
    const T* at = static_cast<const T*>(all.data());
    return nested(at, all.extents());
}
nlohmann::json values_of(const array& a) {
    if (is_complex(a.type())) return nested<std::complex<double>>(a, element::c128);
    if (a.type() == element::i64 || a.type() == element::i32 || a.type() == element::boolean)
        return nested<std::int64_t>(a, element::i64);
    return nested<double>(a, element::f64);
}

void print_json(const arrays& results, const std::vector<output_file>& files,
                const std::vector<std::string>& said) {
    auto list = nlohmann::json::array();
    for (const auto& [name, value] : results) {
        nlohmann::json entry{{"name", name}, {"type", short_name(value.type())}};
        entry["extents"] = std::vector<std::size_t>(value.extents().begin(), value.extents().end());
        for (const output_file& f : files)
            if (f.name.empty() || f.name == name) entry["file"] = f.path;
        if (value.rank() == 0 || !entry.contains("file")) entry["value"] = values_of(value);
        list.push_back(std::move(entry));
    }
    const nlohmann::json all{{"outputs", list}, {"notes", said}};
    fmt::print("{}\n", all.dump(2, ' ', false, nlohmann::json::error_handler_t::replace));
}

// The power of 1024 that G, GB, Gi or GiB says; nothing where it is no unit.
std::optional<int> power_of_unit(std::string_view unit) {
    if (unit.empty() || unit == "B" || unit == "b") return 0;
    static constexpr std::string_view small = "kmgt", large = "KMGT";
    const std::size_t power = std::min(small.find(unit[0]), large.find(unit[0]));
    if (power == std::string_view::npos) return std::nullopt;
    for (const std::string_view end : {"", "b", "B", "i", "I", "ib", "iB", "IB"})
        if (unit.substr(1) == end) return static_cast<int>(power) + 1;
    return std::nullopt;
}

}  // namespace

void run_options::add_to(command_line& line) {
    line.option("-o,--output", outputs, "[NAME=]FILE",
                "Y=y.npy saves the output Y, a tensor computed on the way too; all.npz or "
                "all.safetensors saves all outputs. Without it they are printed.");
    line.option("--type", type, "TYPE",
                "the element type to compute in: float, double, f16, bf16, c64, c128, i32, i64; "
                "otherwise the widest of the operands");
    line.option("--memory", memory, "BYTES",
                "refuse, before anything is computed, what needs more: 8G, 512M");
    line.option("--threads", threads, 4096, "N",
                "how many threads run; as many as there are processors");
    line.flag("--json", json,
              "say as JSON what was computed and saved, with the values of what is saved nowhere");
}

double bytes_of(const std::string& words) {
    const char* const end = words.data() + words.size();
    double value = -1;
    const bool number = !words.empty() && (words[0] == '.' || detail::is_digit(words[0]));
    const char* const unit = number ? std::from_chars(words.data(), end, value).ptr : end;
    const auto power = power_of_unit({unit, static_cast<std::size_t>(end - unit)});
    const double bytes = power ? std::floor(value * std::pow(1024.0, *power)) : -1;
    if (!(bytes >= 0) || std::isinf(bytes))
        refuse("'{}' is no amount of memory; write 8G, 512M or a number of bytes.", words);
    return bytes;
}

std::string words_of_extents(const array& a) {
    return a.rank() == 0 ? "a number" : fmt::format("{}", fmt::join(a.extents(), "x"));
}

std::vector<output_file> read_outputs(const std::vector<std::string>& words) {
    std::vector<output_file> all;
    for (const std::string& word : words) {
        const std::size_t equals = word.find('=');
        output_file f;
        if (equals != std::string::npos) f.name = canonical_name(word.substr(0, equals));
        f.path = equals == std::string::npos ? word : word.substr(equals + 1);
        if (f.path.empty() || equals == 0) refuse("'{}' names no file: -o Y=y.npy.", word);
        // what cannot be saved in the end is not computed first
        if (!f.path.ends_with(".npy") && !f.path.ends_with(".npz") &&
            !f.path.ends_with(".safetensors"))
            refuse("'{}' is no file that tensors are saved in: .npy, .npz or .safetensors.",
                   f.path);
        for (const output_file& other : all)
            if (other.name == f.name && !f.name.empty())
                refuse("{} is saved twice: in {} and in {}.", f.name, other.path, f.path);
        all.push_back(std::move(f));
    }
    return all;
}

program with_outputs(const program& p, const std::vector<output_file>& files) {
    program more = p;
    for (const output_file& f : files)
        if (!f.name.empty()) more = more.keep({f.name});
    return more;
}

// Everything is written when everything is computed, and put into its place when everything is
// written.
void save_outputs(const arrays& results, const std::vector<output_file>& files) {
    std::vector<std::pair<std::string, arrays>> contents;  // in the order of the command line
    for (const output_file& f : files) {
        auto at = std::find_if(contents.begin(), contents.end(),
                               [&](const auto& c) { return c.first == f.path; });
        if (at == contents.end()) at = contents.insert(contents.end(), {f.path, arrays{}});
        for (const auto& [name, value] : results)
            if (f.name.empty() || f.name == name) at->second.set(name, value);
    }
    save_together(contents);
}

computed compute(const program& asked, const std::vector<std::string>& operands,
                 const run_options& options, const std::vector<std::string>& before) {
    const auto words = read_operands(operands, asked);
    const auto wanted =
        options.type.empty() ? std::nullopt : std::optional(element_named(options.type));
    threads(options.threads);
    if (!options.memory.empty()) {
        const double most = bytes_of(options.memory);
        check_memory(asked, shapes_of_operands(asked, words, wanted), most);
    }
    progress doing("reading");
    computed all;
    all.operands = load_operands(asked, words, wanted, all.said);
    for (const std::string& line : all.said)
        if (!options.json && std::find(before.begin(), before.end(), line) == before.end())
            remark_aside("ricci: {}\n", line);
    doing.now("computing");
    all.results =
        run(asked, all.operands,
            {.type = wanted ? detail::wanted_element(*wanted) : detail::wanted_element()});
    return all;
}

void say_outputs(const arrays& results, const std::vector<output_file>& files,
                 const std::vector<std::string>& said, bool json) {
    if (json) print_json(results, files, said);
    else if (files.empty()) print_outputs(results);
    else
        for (const output_file& f : files)
            for (const auto& [name, value] : results)
                if (f.name.empty() || f.name == name)
                    fmt::print("{}, {} {}: {}\n", name, short_name(value.type()),
                               words_of_extents(value), f.path);
}

void run_and_save(const program& p, const std::vector<std::string>& operands,
                  const run_options& options) {
    const auto files = read_outputs(options.outputs);
    const computed all = compute(with_outputs(p, files), operands, options);
    {
        const progress doing("writing");
        save_outputs(all.results, files);
    }
    say_outputs(all.results, files, all.said, options.json);
}

}  // namespace ricci::command
