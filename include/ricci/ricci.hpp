// ricci: tensor equations in index notation, checked, differentiated, planned and run.
#pragma once

// First, so that a message that starts there is not preceded by a long chain of includes.
#include <ricci/detail/compile_error.hpp>

#include <ricci/derivatives.hpp>
#include <ricci/einsum.hpp>
#include <ricci/equations.hpp>
#include <ricci/error.hpp>
#include <ricci/parse.hpp>
#include <ricci/prepared.hpp>
#include <ricci/tensor.hpp>
#include <ricci/view.hpp>
