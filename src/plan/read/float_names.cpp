#include "src/plan/read/float_names.hpp"

#include <cstddef>
#include <cstdint>

#include <ricci/ir/shapes.hpp>

namespace ricci::plan {
namespace {

using name_set = std::vector<bool>;

bool jumps(const ir::node& x) {
    if (x.kind == ir::op::compare)
        return !ir::is_truth(x) &&
               x.detail < static_cast<std::uint8_t>(ir::comparison::logical_and);
    if (x.kind != ir::op::apply) return false;
    const auto f = static_cast<ir::function>(x.detail);
    return f == ir::function::sign || f == ir::function::floor || f == ir::function::ceil ||
           f == ir::function::modulo;
}

bool is_tensor(const ir::node& x, ir::ref name) {
    return x.kind == ir::op::tensor && x.name == name && x.children.count == 0;
}

/// [S^{ij} = m^i] where m is the largest or the smallest S: m stands there as it was before it was
/// rounded (pinned.hpp).
bool asks_for_extremum(const ir::program_view& p, const ir::node& x) {
    if (x.kind != ir::op::compare || x.detail != static_cast<std::uint8_t>(ir::comparison::equal))
        return false;
    const auto is_extremum_of = [&](const ir::node& m, const ir::node& s) {
        const ir::ref e = m.kind == ir::op::tensor ? p.definition(m.name) : ir::none;
        if (e == ir::none || s.kind != ir::op::tensor) return false;
        const auto& body = p.nodes[p.equations[e].body];
        return body.kind == ir::op::reduce &&
               (body.detail == static_cast<std::uint8_t>(ir::reduction::maximum) ||
                body.detail == static_cast<std::uint8_t>(ir::reduction::minimum)) &&
               is_tensor(p.nodes[p.child(body, 0)], s.name) && is_tensor(s, s.name);
    };
    const auto &a = p.nodes[p.child(x, 0)], &b = p.nodes[p.child(x, 1)];
    return is_extremum_of(a, b) || is_extremum_of(b, a);
}

void add_names(const ir::program_view& p, ir::ref n, name_set& to) {
    const auto& x = p.nodes[n];
    if (x.kind == ir::op::tensor) to[static_cast<std::size_t>(x.name)] = true;
    for (std::int32_t k = 0; k < x.children.count; ++k) add_names(p, p.child(x, k), to);
}

/// What every name is made of, itself included.
std::vector<name_set> sources_of(const ir::program_view& p) {
    const auto count = static_cast<std::size_t>(p.names.size());
    std::vector<name_set> all(count, name_set(count));
    for (std::size_t n = 0; n < count; ++n) all[n][n] = true;
    for (const auto& e : p.equations) {
        if (!ir::computes(p, e)) continue;
        name_set read(count);
        add_names(p, e.body, read);
        auto& mine = all[static_cast<std::size_t>(e.name)];
        for (std::size_t n = 0; n < count; ++n)
            for (std::size_t m = 0; read[n] && m < count; ++m) mine[m] = mine[m] || all[n][m];
    }
    return all;
}

class jump_search {
public:
    jump_search(const ir::program_view& p, name_set& floats) : p_(p), floats_(floats) {}

    void run() {
        for (const auto& e : p_.equations)
            if (ir::computes(p_, e)) look(e.body);
    }

private:
    void look(ir::ref n) {
        const auto& x = p_.nodes[n];
        if (jumps(x) && !asks_for_extremum(p_, x)) keep_rounded(n);
        for (std::int32_t k = 0; k < x.children.count; ++k) look(p_.child(x, k));
    }
    void keep_rounded(ir::ref jump) {
        if (sources_.empty()) sources_ = sources_of(p_);
        name_set read(floats_.size()), below(floats_.size());
        add_names(p_, jump, read);
        for (std::size_t n = 0; n < read.size(); ++n)
            for (std::size_t m = 0; read[n] && m < read.size(); ++m)
                below[m] = below[m] || sources_[n][m];
        for (std::size_t n = 0; n < below.size(); ++n)
            for (std::size_t m = 0; below[n] && !floats_[n] && m < below.size(); ++m)
                if (m != n && sources_[n][m]) floats_[m] = false;
    }

    const ir::program_view& p_;
    name_set& floats_;
    std::vector<name_set> sources_;
};

}  // namespace

std::vector<bool> intermediates_of(const std::vector<slot>& slots) {
    name_set found(slots.size());
    for (std::size_t n = 0; n < slots.size(); ++n)
        found[n] = slots[n].kind == storage::workspace && !slots[n].is_foreign &&
                   slots[n].extents.size() > 1;
    return found;
}

void keep_compared_rounded(const ir::program_view& program, std::vector<bool>& floats) {
    jump_search(program, floats).run();
}

}  // namespace ricci::plan
