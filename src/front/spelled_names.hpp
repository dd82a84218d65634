// Names as a derivation takes them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <ricci/detail/text.hpp>
#include <ricci/program.hpp>

#include "src/base/texts.hpp"

namespace ricci::detail {

/// The canonical spellings of names, and views of them for a derivation.
class spelled_names {
public:
    explicit spelled_names(const std::vector<std::string>& names) {
        for (const std::string& name : names) spelled_.push_back(canonical_name(name));
        for (const std::string& name : spelled_) views_.push_back(view_of(name));
    }
    const text_view* data() const { return views_.data(); }
    std::int32_t size() const { return static_cast<std::int32_t>(views_.size()); }

private:
    std::vector<std::string> spelled_;
    std::vector<text_view> views_;
};

}  // namespace ricci::detail
