// Compiled with a RICCI_OWN_TARGET that this processor cannot have: ends before main, with a sentence.
#include <cstdio>

#include "src/kernels/own_target.hpp"

int main() { std::puts("main began"); }
