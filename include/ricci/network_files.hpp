// Networks of tensors, and orders for them, in the files of the field. The library is ricci-files,
// apart from ricci itself.
#pragma once

#include <ricci/detail/export.hpp>
#include <ricci/files.hpp>
#include <ricci/network.hpp>

namespace ricci {

/// The network in a file; the name's ending says which format it is.
///
/// .uai: a graphical model (MARKOV or BAYES) of the UAI competitions, element::f64. Variable k is
/// index k, each factor a tensor; the network is the sum over all variables, the partition
/// function. A variable that no factor has counts by its values.
///
/// .cnf: a formula in DIMACS, element::f64. Variable v is index v, its place 1 true. The network is
/// the number of assignments that make it true, or the sum of their weights with lines
/// "c p weight LITERAL W 0"; where one literal of a variable has a weight w and the other none,
/// that is 1 - w. A clause is a tensor of ones with one zero; a long one is several with indices of
/// their own, whose numbers come after those of the variables.
///
/// .json: a network of shapes, element::f64 where the file names no other type: of OMEinsum's
/// benchmark ({"einsum": {"ixs": [[1, 2], ...], "iy": []}, "size": {"1": 2, ...}}), of cotengra
/// ({"inputs": [["a", "b"], ...], "output": [], "size_dict": {"a": 2, ...}}), or of the einsum
/// benchmark ({"format_string": "ab,bc->ac", "shapes": [[2, 3], ...], "dtype": "float64"}). Labels
/// that are numbers are the indices; of labels that are all one character it is the code point;
/// others are numbered from 0 as they come.
///
/// Throws ricci::error, in one sentence that names the file and the line, where there is no such
/// file or it is not what its name says.
RICCI_EXPORT network load_network(detail::file_path path);
/// A .uai model with the variables observed that a file of evidence gives: "2 0 1 7 0" observes
/// variable 0 in place 1 and 7 in 0, with or without the number of samples, 1, before. They are no
/// indices of the network. Throws ricci::error as load_network(path) does.
RICCI_EXPORT network load_network(detail::file_path path, detail::file_path evidence);

/// An order for a network from a JSON file: of contraction_order::json(); of OMEinsum ({"tree":
/// ..., "slices": [...]}); a path of the einsum benchmark ({"paths": {"opt_flops": {"path": [[0,
/// 1], ...]}}}), {"path": ...} or {"ssa_path": ...} alone, or a list of pairs, which is a path.
/// Steps of one operand or of more than two are taken for what they mean. Throws ricci::error, in
/// one sentence that names the file, where it is none of these, or no order of this network.
RICCI_EXPORT contraction_order load_order(detail::file_path path, const network& n);
/// Writes contraction_order::json(). Throws ricci::error as save() does.
RICCI_EXPORT void save_order(detail::file_path path, const contraction_order& order);

}  // namespace ricci
