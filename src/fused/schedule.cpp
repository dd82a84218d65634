// Which columns every tile of rows has to make.
#include "src/fused/schedule.hpp"

namespace ricci::fused {

void schedule::add(const tile_range& range, std::span<const knowledge> known,
                   std::span<const tile_step> steps) {
    pieces_.push_back({range.column, range.column_end, steps_.size(), steps.size()});
    operations_ = known.size();
    knowledge_.insert(knowledge_.end(), known.begin(), known.end());
    steps_.insert(steps_.end(), steps.begin(), steps.end());
}

bool schedule::has_ranges_of(const schedule& other) const {
    return columns_ == other.columns_ && starts_ == other.starts_ && pieces_ == other.pieces_ &&
           steps_ == other.steps_;
}

}  // namespace ricci::fused
