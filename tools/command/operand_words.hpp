// The operands of a command line: X=x.npy, W=model.safetensors:layers.0.wq, X=1024x512, d_k=64,
// h:8.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <ricci/array.hpp>
#include <ricci/program.hpp>

namespace ricci::command {

enum class operand_kind {
    file,    // X=x.npy, or the tensor `member` of a file
    shape,   // X=1024x512, X=1024x512:bf16
    number,  // d_k=64, z=1+2i
    index,   // h:8
};

/// One operand as it was written.
struct operand_word {
    operand_kind kind = operand_kind::number;
    std::string name;
    std::string path, member;
    std::vector<std::size_t> extents;
    std::optional<element> type;  // of a shape, where it says one
    std::string digits;           // of a number, or the extent of an index
};

/// Reads one word. Throws ricci::error, in one sentence, for what is none of them. A single number
/// is the extent of a tensor of rank 1: `p` says which rank the name has.
operand_word read_operand(const std::string& word, const program& p);
/// All of them. Throws ricci::error for an input of the program that none of them binds, too.
std::vector<operand_word> read_operands(const std::vector<std::string>& words, const program& p);

/// What names a tensor in a file alone, without a name before it: model.safetensors:layers.0.wq.
operand_word file_operand(const std::string& text);

/// Element types by the names of both worlds: float or f32, double or f64, half or f16, bfloat16 or
/// bf16, c64 or complex64, c128 or complex128, i32 or int32, i64 or int64, bool. Throws
/// ricci::error for others.
element element_named(const std::string& name);
/// The short name: f32.
std::string short_name(element type);

/// The extents of the tensor that an operand names in a file, whose header alone is read. Throws
/// ricci::error where the file has several tensors and none is named.
array shape_in_file(const operand_word& o);

/// Whether the program takes the tensor for places or conditions: its whole numbers stay what they
/// are.
bool stays_whole(const program& p, const std::string& name);

/// Reads the operands of a run: files loaded, numbers as they are. Tensors of several types get the
/// widest of them, or `wanted`, and `said` holds a line for each that was converted. Shapes are
/// refused. Numbers alone get `wanted`, or complex numbers where one of them is.
std::vector<named> load_operands(const program& p, const std::vector<operand_word>& words,
                                 std::optional<element> wanted, std::vector<std::string>& said);
/// The same as shapes: of files the headers are read. Shapes without a type have `wanted`, or that
/// of the others, or float.
std::vector<named> shapes_of_operands(const program& p, const std::vector<operand_word>& words,
                                      std::optional<element> wanted);

}  // namespace ricci::command
