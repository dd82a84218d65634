// Plain loops beside programs that one letter could make slow: each does the least work that gives
// the result, a running sum where the equations have a sum up to a place. They know nothing of the
// library, and are compiled for the machine that builds them.
#pragma once

#include "bench/places_loops.hpp"

namespace ricci::bench::cliffs {

void prefix_bracket(const place_memory&);
void prefix_count(const place_memory&);
void prefix_even(const place_memory&);
void prefix_distance(const place_memory&);
void prefix_lookups_gradient(const place_memory&);
void scatter_pairs(const place_memory&);
void pairs_table_gradient(const place_memory&);
void scatter_maximum(const place_memory&);
void scatter_logsumexp(const place_memory&);
void scatter_masked(const place_memory&);
void scatter_squares(const place_memory&);
void product_gradient(const place_memory&);
void decay_power(const place_memory&);
void decay_power_gradients(const place_memory&);
void decay_exponential(const place_memory&);
void decay_exponential_gradients(const place_memory&);
void integral_image(const place_memory&);
void unfold_gradient(const place_memory&);
void pooling_gradient(const place_memory&);
void experts(const place_memory&);
void experts_gradients(const place_memory&);
void parts_gradient(const place_memory&);
void all_but_one(const place_memory&);
void up_to_lookup(const place_memory&);
void neighbours(const place_memory&);
void prefix_softmax_gradients(const place_memory&);
/// Gradients of s_i = log sum exp(x_j) over all j but i, |i - j| <= 4, 3 <= j <= i, j > i or j = 2.
void others_logsumexp_gradient(const place_memory&);
void window_logsumexp_gradient(const place_memory&);
void part_logsumexp_gradient(const place_memory&);
void either_logsumexp_gradient(const place_memory&);
/// Of the maximum of all x but x_i.
void others_maximum_gradient(const place_memory&);
/// Of s_ib, the sum of Q_ia K_ja V_jb over 3 <= j <= i, and over j <= 2i.
void part_state_gradients(const place_memory&);
void twice_state_gradients(const place_memory&);
/// exp(-|x_i - x_j|^2 / 2) + s 1 by Cholesky's factors, of Eigen where it is there.
void kernel_solve(const place_memory&);
void kernel_logdet(const place_memory&);

}  // namespace ricci::bench::cliffs
