// Programs differentiated and batched at run time, by the passes that the compiler runs.
#include <ricci/bind/batched_program.hpp>
#include <ricci/derive/gradient.hpp>
#include <ricci/derive/jacobian.hpp>
#include <ricci/derive/tangent.hpp>
#include <ricci/program.hpp>

#include "src/front/call_operands.hpp"

namespace ricci {
namespace {

using detail::text_view;

text_view view_of(std::string_view text) {
    return {text.data(), static_cast<std::int32_t>(text.size())};
}

// The canonical spellings of names, and views of them for a derivation.
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

program made_of(derive::derived&& made) {
    if (made.mistake) detail::refuse(made.mistake.words);
    return program(std::move(made.program));
}

program reverse(const program& p, std::string_view of, const std::vector<std::string>& by,
                bool with_value) {
    const std::string spelled = canonical_name(of);
    const spelled_names names(by);
    derive::gradient_request request;
    request.of = view_of(spelled);
    request.wrt = names.data();
    request.wrt_count = names.size();
    request.with_value = with_value;
    return made_of(derive::gradient(p.view(), request));
}

}  // namespace

program gradient(const program& p, std::string_view of, const std::vector<std::string>& by) {
    return reverse(p, of, by, false);
}

program value_and_gradient(const program& p, std::string_view of,
                           const std::vector<std::string>& by) {
    return reverse(p, of, by, true);
}

program tangent(const program& p, const std::vector<std::string>& by) {
    const spelled_names names(by);
    return made_of(derive::tangent(p.view(), names.data(), names.size()));
}

program jacobian(const program& p, std::string_view of, const std::vector<std::string>& by) {
    const std::string spelled = canonical_name(of);
    const spelled_names names(by);
    return made_of(derive::jacobian(p.view(), view_of(spelled), names.data(), names.size()));
}

program batch(const program& p, const batch_options& options) {
    const spelled_names names(options.of);
    return made_of(batched_program(p.view(), names.data(), names.size(), view_of(options.index)));
}

}  // namespace ricci
