// Numbers counted from a rank's first place of the axis that they say places of.
#include <limits>

#include "src/mpi/asked_places.hpp"
#include "src/mpi/place_numbers.hpp"

namespace ricci::mpi {
namespace {

class own_numbers final : public collective {
public:
    own_numbers(int rank, const array& from, const array& to, const distribution& parts)
        : from_(from),
          packed_(from.type(), from.extents()),
          to_(to),
          least_(from.type() == element::i32
                     ? static_cast<std::int64_t>(std::numeric_limits<std::int32_t>::min())
                     : std::numeric_limits<std::int64_t>::min()),
          before_(parts.before(rank)),
          own_(parts.of(rank)),
          all_(parts.total()) {}

    void start() override {
        copy_elements(from_, packed_);
        with_numbers(packed_.type(), packed_.data(), [&](auto* numbers) {
            for (std::size_t k = 0; k < packed_.size(); ++k)
                write_number(to_, k, counted(static_cast<std::int64_t>(numbers[k])));
        });
    }

private:
    std::int64_t counted(std::int64_t number) const {
        if (number < 0) return number == least_ ? number : number - 1;
        if (number >= all_) return number;
        return number < before_ || number >= before_ + own_ ? -1 : number - before_;
    }

    array from_, packed_, to_;
    std::int64_t least_, before_, own_, all_;
};

}  // namespace

std::unique_ptr<collective> own_places(int rank, const array& from, const array& to,
                                       const distribution& parts) {
    return std::make_unique<own_numbers>(rank, from, to, parts);
}

}  // namespace ricci::mpi
