// `ricci show`: tensors of files as heat maps, in a page of their own.
#include <algorithm>
#include <charconv>
#include <memory>
#include <optional>

#include <fmt/core.h>

#include <ricci/files.hpp>

#include "command/command.hpp"
#include "command/command_line.hpp"
#include "command/number_words.hpp"
#include "command/operand_words.hpp"
#include "command/progress.hpp"
#include "command/run_options.hpp"
#include "command/sentences.hpp"
#include "command/show_options.hpp"

namespace ricci::command {
namespace {

struct show_arguments {
    std::vector<std::string> files;
    std::string output, part;
    show_options how;
};

std::size_t place_of(const std::string& digits, const std::string& part) {
    std::size_t place = 0;
    const char* const end = digits.data() + digits.size();
    const auto [at, wrong] = std::from_chars(digits.data(), end, place);
    if (wrong != std::errc() || at != end)
        refuse("--part: '{}' is no part of an axis; write 0:100, a place, or : for all.", part);
    return place;
}

// One part an axis, as 0:4,:,17; axes that are not said are whole.
std::vector<show::slice> slices_of(const std::string& words, const std::string& name,
                                   const array& shape) {
    std::vector<show::slice> all;
    for (std::size_t first = 0; !words.empty() && first <= words.size();) {
        const std::size_t end = std::min(words.find(',', first), words.size());
        const std::string part = words.substr(first, end - first);
        first = end + 1;
        if (all.size() == shape.rank())
            refuse("--part: {} has {} axes, and more parts are given.", name, shape.rank());
        const std::size_t extent = shape.extent(all.size()), colon = part.find(':');
        show::slice s{0, extent};
        if (colon == std::string::npos) {
            s.first = place_of(part, part), s.end = s.first + 1;
        } else {
            if (colon > 0) s.first = place_of(part.substr(0, colon), part);
            if (colon + 1 < part.size()) s.end = place_of(part.substr(colon + 1), part);
        }
        if (s.first >= s.end || s.end > extent)
            refuse("--part: {} is no part of axis {} of {}, which has {} place{}.", part,
                   all.size(), name, with_commas(extent), extent == 1 ? "" : "s");
        all.push_back(s);
    }
    while (all.size() < shape.rank()) all.push_back({0, shape.extent(all.size())});
    return all;
}

// A part of an array that would fit: of every leading axis one place, and a thousand each way.
std::string small_part(const array& shape) {
    std::string words;
    for (std::size_t axis = 0; axis < shape.rank(); ++axis) {
        if (axis > 0) words += ',';
        words += '0';
        if (axis + 2 >= shape.rank())
            words += fmt::format(":{}", std::min<std::size_t>(shape.extent(axis), 1000));
    }
    return words;
}

struct shown_file {
    operand_word at;
    std::string name;
    array shape;
    std::vector<show::slice> slices;
    std::vector<std::size_t> order;

    // So many axes from the last.
    std::optional<shown_part> from_end(std::size_t count) const {
        if (order.size() < count) return std::nullopt;
        const std::size_t axis = order[order.size() - count];
        return shown_part{slices[axis], shape.extent(axis)};
    }
};

// Headers alone are read: what is too large is refused before it is in memory.
std::vector<shown_file> planned(const show_arguments& o) {
    std::vector<shown_file> all;
    double characters = show::characters_beside;
    for (const std::string& word : o.files) {
        shown_file f;
        f.at = file_operand(word);
        f.name = word.substr(word.rfind('/') + 1);
        f.shape = shape_in_file(f.at);
        const array& shape = f.shape;
        if (shape.size() == 0)
            refuse("{} has no elements: it is {}.", word, words_of_extents(shape));
        f.slices = slices_of(o.part, word, shape);
        f.order = order_of_axes(o.how, word, shape.rank(), {});
        std::vector<std::size_t> extents;
        for (const show::slice& s : f.slices) extents.push_back(s.end - s.first);
        characters += show::least_characters(ricci::shape(shape.type(), extents));
        if (characters > static_cast<double>(bytes_of_page(o.how)))
            refuse(
                "{} has {} elements, {}, which are too many for a page of {}: show a part, as "
                "--part {}, or allow a larger page with --page-size.",
                word, with_commas(shape.size()), words_of_extents(shape), o.how.page_size,
                small_part(shape));
        all.push_back(std::move(f));
    }
    return all;
}

void carry_out(const show_arguments& o) {
    if (o.output.empty()) refuse("say where the page goes, with -o page.html.");
    check_page_name(o.output);
    const auto files = planned(o);
    const progress doing("reading and writing");
    show::page p;
    p.most_bytes = bytes_of_page(o.how);
    p.compare = files.size() == 2;
    std::string said;
    for (const shown_file& f : files) {
        p.title += (p.title.empty() ? "" : ", ") + f.name;
        const array whole = f.at.member.empty() ? load(f.at.path) : load(f.at.path, f.at.member);
        show::view v;
        v.label = v.name = f.name;
        v.values = show::permuted(show::part_of(whole, f.slices), f.order);
        for (const std::size_t axis : f.order) v.offsets.push_back(f.slices[axis].first);
        said += fmt::format("{}, {} {}: {}\n", f.name, short_name(whole.type()),
                            words_of_extents(v.values), o.output);
        p.views.push_back(std::move(v));
    }
    const auto rows = files.front().from_end(2), columns = files.front().from_end(1);
    add_labels(p, o.how, rows ? &*rows : nullptr, columns ? &*columns : nullptr);
    write_page(p, o.output);
    fmt::print("{}", said);
}

}  // namespace

void add_show(CLI::App& app, int& code) {
    auto o = std::make_shared<show_arguments>();
    command_line show(app, "show", "tensors as heat maps, in a page for the browser");
    show.footer(
        "The last two axes are rows and columns, and the one before them has a panel for each "
        "place. Two\n"
        "tensors stand beside each other, with their difference.\n\n"
        "  ricci show A.npy -o page.html --labels tokens.txt\n"
        "  ricci show model.safetensors:layers.0.wq -o page.html --part 0:1000");
    show.words(o->files, "FILE", "FILE or FILE:NAME: tensors in .npy, .npz and .safetensors files",
               true);
    show.option("-o,--output", o->output, "PAGE", "page.html, one file that needs no other");
    show.option("--part", o->part, "PART,...",
                "a part of each axis, as 0:4,:,17; axes that are not said are whole");
    o->how.add_to(show);
    show.call([o, &code] {
        carry_out(*o);
        code = done;
    });
}

}  // namespace ricci::command
