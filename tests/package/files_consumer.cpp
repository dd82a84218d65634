// A program outside the project that writes tensors to files and reads them.
#include <cstdio>

#include <ricci/files.hpp>

int main() {
    ricci::array a(ricci::element::f64, {2, 2});
    a.as<double, 2>()(1, 1) = 415;
    double difference = 0;
    for (const char* name : {"tensor.npy", "tensor.npz", "tensor.safetensors"}) {
        ricci::save(name, a);
        difference += ricci::load(name).as<double, 2>()(1, 1) - 415;
        std::remove(name);
    }
    std::printf("%g %g\n", a.as<double, 2>()(1, 1), difference);
}
