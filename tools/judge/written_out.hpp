// Proofs in which softmax and log-sum-exp stand for what they mean, and quotients are cleared.
#pragma once

#include <vector>

#include <ricci/ir/program.hpp>

namespace ricci::judge {

/// Whether a program implies all claims, with softmax_j(x_j) as exp(x_j) / \sum_k exp(x_k), what
/// the program defines written out, and both sides multiplied by what stands below a line.
bool proves_written_out(const ir::program_view& p, const ir::program_view& claims);

/// The same of two names of one program, whatever their equations are of. `places`: of every axis,
/// where they are all as long; 0 where nothing says so.
/// `positive`: names all of whose numbers are.
bool proves_alike(const ir::program_view& p, ir::ref claimed, ir::ref derived, int places = 0,
                  const std::vector<ir::ref>& positive = {});

}  // namespace ricci::judge
