// The public functions: which format a file is of, and how many tensors it should have.
#include <ricci/files.hpp>

#include <list>
#include <string>
#include <utility>
#include <vector>

#include "src/files/file_endings.hpp"
#include "src/files/formats.hpp"
#include "src/files/words.hpp"

namespace ricci {
namespace {

using namespace files;

constexpr format formats[] = {
    {".npy", read_npy, write_npy},
    {".npz", read_npz, write_npz},
    {".safetensors", read_safetensors, write_safetensors},
};

const format& format_of(std::string_view path) {
    for (const format& f : formats)
        if (ends_with(path, f.ending)) return f;
    fail({path},
         "its name ends in none of .npy, .npz and .safetensors, which say what a file holds");
}

// The file's name without folders and ending.
std::string_view stem_of(std::string_view path, const format& f) {
    path.remove_suffix(f.ending.size());
    const std::size_t slash = path.rfind('/');
    return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

arrays read(std::string_view path, const wanted& what) {
    const format& f = format_of(path);
    return f.read(input_file(path), stem_of(path, f), what);
}

// The tensor of a file that has to have one.
arrays::value_type only(std::string_view path, const arrays& all) {
    if (all.size() == 1) return *all.begin();
    if (all.empty()) fail({path}, "it holds no tensor");
    std::vector<std::string_view> names;
    for (const auto& [name, tensor] : all) names.emplace_back(name);
    fail({path}, "it holds {} tensors, and one has to be named: {}", all.size(), some_of(names));
}

void write(new_file& file, std::string_view path, const format& f, const arrays& tensors) {
    for (const auto& [name, tensor] : tensors) check_savable(tensor, place{path}.named(name));
    f.write(file, tensors);
}

void write(std::string_view path, const format& f, const arrays& tensors) {
    new_file file(path);
    write(file, path, f, tensors);
    file.complete();
    file.replace();
}

}  // namespace

array load(detail::file_path path) {
    // What there is first: a file of a thousand tensors is not read to say that it has more than
    // one.
    return load(path, only(path.text(), load_shapes(path)).first);
}

array load(detail::file_path path, std::string_view name) {
    return read(path.text(), {.one = true, .name = name})[name];
}

array load_shape(detail::file_path path) { return only(path.text(), load_shapes(path)).second; }

array load_shape(detail::file_path path, std::string_view name) {
    return read(path.text(), {.shapes = true, .one = true, .name = name})[name];
}

arrays load_all(detail::file_path path) { return read(path.text(), {}); }

arrays load_shapes(detail::file_path path) { return read(path.text(), {.shapes = true}); }

void save(detail::file_path path, const array& tensor) {
    const format& f = format_of(path.text());
    write(path.text(), f, {{std::string(stem_of(path.text(), f)), tensor}});
}

void save(detail::file_path path, const arrays& tensors) {
    write(path.text(), format_of(path.text()), tensors);
}

void save_together(const std::vector<std::pair<std::string, arrays>>& contents) {
    std::list<new_file> files;
    for (const auto& [path, tensors] : contents)
        write(files.emplace_back(path), path, format_of(path), tensors);
    for (new_file& file : files) file.complete();
    for (new_file& file : files) file.replace();
}

}  // namespace ricci
