// Programs as std::string; kept out of the headers, where it would cost every user's file.
#include <string>

#include <ricci/ir/print.hpp>
#include <ricci/ir/print_plain.hpp>
#include <ricci/prepared.hpp>

namespace ricci {

std::string to_latex(const ir::program_view& program) {
    detail::text_builder out;
    ir::to_latex(program, out);
    return {out.view().begin(), out.view().end()};
}

std::string to_text(const ir::program_view& program) {
    detail::text_builder out;
    ir::to_text(program, out);
    return {out.view().begin(), out.view().end()};
}

}  // namespace ricci
