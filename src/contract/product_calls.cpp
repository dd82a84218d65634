// Calls of kernels in a list.
#include "src/contract/product_calls.hpp"

#include <cstddef>
#include <typeinfo>
#include <utility>

namespace ricci::contractions {

void call_list::add_step(std::vector<product_call> calls) {
    for (product_call& call : calls) {
        const product_shape& given = *call.shape;
        auto& shape = distinct_[{typeid(given), given.key()}];
        if (!shape) shape = std::move(call.shape);
        shapes_.push_back(shape.get());
        places_.emplace_back();
        offsets_.push_back({call.a, call.b, call.c, call.swapped});
    }
    ends_.push_back(shapes_.size());
}

void call_list::bind(std::size_t step, const void* a, const void* b, void* c) {
    for (std::size_t k = ends_[step]; k < ends_[step + 1]; ++k) {
        const offsets& from = offsets_[k];
        places_[k] = {static_cast<const std::byte*>(from.swapped ? b : a) + from.a,
                      static_cast<const std::byte*>(from.swapped ? a : b) + from.b,
                      static_cast<std::byte*>(c) + from.c};
    }
}

void call_list::run_calls(std::size_t first, std::size_t end) const {
    while (first < end) {
        const product_shape* const shape = shapes_[first];
        std::size_t next = first + 1;
        while (next < end && shapes_[next] == shape) ++next;
        shape->run(&places_[first], static_cast<std::int64_t>(next - first));
        first = next;
    }
}

}  // namespace ricci::contractions
