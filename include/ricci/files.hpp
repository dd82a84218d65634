// Tensors in files: .npy and .npz, which numpy reads and writes, and .safetensors. The library is
// ricci-files, apart from ricci itself.
#pragma once

#include <concepts>
#include <initializer_list>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <ricci/array.hpp>
#include <ricci/detail/export.hpp>

namespace ricci {

namespace detail {

template <class T>
concept path_of_chars = requires(const T& path) {
    { path.native() } -> std::same_as<const std::string&>;
};

/// The name of a file as text or as a std::filesystem::path, known by what it is: including
/// <filesystem> would cost every user's file more than all of this one.
class file_path {
public:
    template <class T>
    requires(std::convertible_to<const T&, std::string_view> || path_of_chars<T>)
        file_path(const T& path)  // NOLINT: implicit, so that text is a path
        : text_(text_of(path)) {}
    std::string_view text() const { return text_; }

private:
    template <class T>
    static std::string_view text_of(const T& path) {
        if constexpr (path_of_chars<T>) return path.native();
        else return path;
    }
    std::string_view text_;
};

/// A tensor, a view or an array, and its name in a file.
struct saved_tensor {
    template <class Tensor>
    saved_tensor(std::string_view as, const Tensor& x)  // NOLINT: {"E", x} is one
        : name(as), value(seen(x)) {}

    std::string name;
    array value;

private:
    template <class Tensor>
    static array seen(const Tensor& x) {
        if constexpr (std::is_same_v<Tensor, array>) return x;
        else return array(x.view());
    }
};

}  // namespace detail

/// The tensor in a file that holds one: .npy, or a .npz or .safetensors of one tensor. The name's
/// ending says which format it is.
///
/// Element types are those of the file. int8, uint8, int16 and uint16 become element::i32; uint32,
/// uint64, strings, Python objects, records and floats of 8 or 128 bits are refused by name. An
/// array in Fortran's order has column-major strides. Files of a megabyte and more are not read but
/// mapped: what is written to the array does not reach the file, and the file must not be cut while
/// the array lives (save() and whoever else replaces it as a whole do no harm).
///
/// Throws ricci::error, in one sentence that names the file, where there is no such file, it is
/// broken or cannot be read, or holds another number of tensors.
RICCI_EXPORT array load(detail::file_path path);
/// The tensor of this name among those of a file; the others are not read. A .npy file has one, of
/// the name of the file without its ending. Throws ricci::error as load(path) does, and with the
/// names there are.
RICCI_EXPORT array load(detail::file_path path, std::string_view name);
/// All tensors of a file by name, in the file's order. Throws ricci::error as load(path) does.
RICCI_EXPORT arrays load_all(detail::file_path path);
/// Element type and extents of what load() would give, from the file's headers alone: a shape, to
/// plan and to explain with. Throws ricci::error as load() does.
RICCI_EXPORT array load_shape(detail::file_path path);
RICCI_EXPORT array load_shape(detail::file_path path, std::string_view name);
/// The shapes of all tensors of a file by name. Throws ricci::error as load(path) does; so it does
/// if the type of any of them is refused.
RICCI_EXPORT arrays load_shapes(detail::file_path path);

/// Writes a tensor to a file, row-major, whatever its strides are; the name's ending says in which
/// format: .npy, or .npz and .safetensors, where it gets the name of the file without its ending.
///
/// A file that is there is replaced when the new one is whole and on the disk, and keeps its
/// permissions; until then, and if anything fails, it stays as it was. Links are followed. Arrays
/// that were loaded from the file keep what they have.
///
/// Throws ricci::error, in one sentence that names the file, where it cannot be written, and for
/// what the format does not hold: bf16 in .npy and .npz, c128 in .safetensors.
RICCI_EXPORT void save(detail::file_path path, const array& tensor);
/// Writes tensors by name: to .npz (not compressed, as numpy.savez) or .safetensors; to .npy if
/// there is one. Throws ricci::error as the other save does.
RICCI_EXPORT void save(detail::file_path path, const arrays& tensors);
/// The same of tensors that have names, which are looked at, views and arrays:
/// save("x.npz", {{"E", e}, {"W", w.view()}}).
inline void save(detail::file_path path, std::initializer_list<detail::saved_tensor> tensors) {
    arrays all;
    for (const detail::saved_tensor& t : tensors) all.set(t.name, t.value);
    save(path, all);
}
/// Writes several files, each as save does; none is put into its place before all are whole, so
/// that a mistake in one of them leaves all as they were.
RICCI_EXPORT void save_together(const std::vector<std::pair<std::string, arrays>>& files);

}  // namespace ricci
