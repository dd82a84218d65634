// The public functions: which format a file is of.
#include <ricci/network_files.hpp>

#include <string_view>
#include <utility>

#include "src/files/file_endings.hpp"
#include "src/files/input_file.hpp"
#include "src/files/network_formats.hpp"
#include "src/files/new_file.hpp"

namespace ricci {
namespace {

// The bytes of a file; mapped where they are many.
class file_text {
public:
    explicit file_text(detail::file_path path) : file_(path.text()), memory_(file_.contents()) {}
    std::string_view text() const {
        return {reinterpret_cast<const char*>(memory_.data), file_.size()};
    }
    files::place where() const { return file_.where(); }

private:
    files::input_file file_;
    files::file_memory memory_;
};

// A product of nothing is 1: a formula without variables, a model that is observed as a whole.
network with_a_factor(network n) {
    if (n.size() > 0) return n;
    array one(element::f64, {});
    *static_cast<double*>(one.data()) = 1;
    n.add(std::move(one), {});
    return n;
}

[[noreturn]] void refuse_ending(std::string_view path) {
    files::fail({path},
                "its name ends in none of .uai, .cnf and .json, which say what a network is in");
}

}  // namespace

network load_network(detail::file_path path) {
    const std::string_view name = path.text();
    const bool is_uai = files::ends_with(name, ".uai");
    if (!is_uai && !files::ends_with(name, ".cnf") && !files::ends_with(name, ".json"))
        refuse_ending(name);
    const file_text file(path);
    if (is_uai) return with_a_factor(files::read_uai(file.text(), file.where(), {}, {}));
    if (files::ends_with(name, ".cnf"))
        return with_a_factor(files::read_dimacs(file.text(), file.where()));
    return files::read_network_json(file.text(), file.where());
}

network load_network(detail::file_path path, detail::file_path evidence) {
    if (!files::ends_with(path.text(), ".uai"))
        files::fail({path.text()}, "evidence is of .uai models, and its name does not end so");
    const file_text file(path), observed(evidence);
    return with_a_factor(files::read_uai(file.text(), file.where(),
                                         files::read_evidence(observed.text(), observed.where()),
                                         observed.where()));
}

contraction_order load_order(detail::file_path path, const network& n) {
    const file_text file(path);
    return files::read_order_json(file.text(), file.where(), n);
}

void save_order(detail::file_path path, const contraction_order& order) {
    files::new_file file(path.text());
    file.write(order.json());
    file.complete();
    file.replace();
}

}  // namespace ricci
