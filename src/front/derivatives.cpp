// Programs differentiated and batched at run time, by the passes that the compiler runs.
#include <ricci/detail/bind/batched_program.hpp>
#include <ricci/derive/gradient.hpp>
#include <ricci/derive/jacobian.hpp>
#include <ricci/derive/tangent.hpp>
#include <ricci/program.hpp>

#include "src/front/call_operands.hpp"
#include "src/front/program_layers.hpp"
#include "src/front/spelled_names.hpp"
#include "src/text/program_body.hpp"

namespace ricci {
namespace {

using detail::spelled_names;
using detail::view_of;

program made_of(derive::derived&& made) {
    if (made.mistake) detail::refuse(made.mistake.words);
    return program(std::move(made.program));
}

program reverse(const program& p, std::string_view of, const std::vector<std::string>& by,
                bool with_value) {
    if (const auto* const layers = detail::body_of(p).layers())
        return detail::gradient_of_layers(*layers, of, by, with_value);
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
    if (const auto* const layers = detail::body_of(p).layers())
        return detail::tangent_of_layers(*layers, by);
    const spelled_names names(by);
    return made_of(derive::tangent(p.view(), names.data(), names.size()));
}

program jacobian(const program& p, std::string_view of, const std::vector<std::string>& by) {
    detail::refuse_layers(p, "the Jacobian of layers is not derived; gradient and tangent are");
    const std::string spelled = canonical_name(of);
    const spelled_names names(by);
    return made_of(derive::jacobian(p.view(), view_of(spelled), names.data(), names.size()));
}

program batch(const program& p, const batch_options& options) {
    detail::refuse_layers(p, "layers are batched before they are repeated: batch one of them");
    const spelled_names names(options.of);
    return made_of(
        detail::batched_program(p.view(), names.data(), names.size(), view_of(options.index)));
}

}  // namespace ricci
