// The stages of one shared-out index.
#include "src/placement/placed_program.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include <ricci/ir/extrema.hpp>

#include "src/placement/stray_words.hpp"
#include "src/base/texts.hpp"
#include "src/placement/words.hpp"

namespace ricci::mpi {
namespace {

std::size_t number(ir::ref n) { return static_cast<std::size_t>(n); }

}  // namespace

placed_program::placed_program(sharing_request request) : request_(std::move(request)) {
    place();
    find_inner_axes();
}

// Where everything is, and what is done: the same on all ranks.
void placed_program::place() {
    bench_.text = std::move(request_.text);
    bench_.sharing = letter().sharing;
    bench_.whole_apart = letter().whole_apart;
    bench_.overlap = request_.overlap;
    bench_.may_wait = request_.may_wait;
    bench_.element_size = static_cast<double>(size_of(request_.type));
    for (const auto& [name, type] : request_.types)
        if (is_whole(type)) bench_.whole_numbers.insert(name);
    bench_.inner.resize(number(bench_.text.program.names.size()));
    for (std::size_t k = request_.next + 1; k < request_.shared->size(); ++k)
        for (std::size_t n = 0; n < request_.axes[k].size(); ++n)
            if (request_.axes[k][n] >= 0) bench_.inner[n].push_back(request_.axes[k][n]);
    chosen_placement chosen =
        choose_placement(bench_, request_.axes[request_.next], request_.inputs, request_.outputs,
                         request_.letters[request_.next]);
    outputs_ = std::move(chosen.outputs);
    work_ = chosen.work;
    all_ = staged(bench_, chosen.operations, outputs_);
    (*request_.shared)[request_.next].sharing = bench_.sharing;
}

// Of what has been made on the way, the axes of letters that are yet to be shared out.
void placed_program::find_inner_axes() {
    inner_axes_ = request_.axes;
    for (std::size_t k = request_.next + 1; k < request_.shared->size(); ++k) {
        inner_axes_[k].resize(bench_.names.size(), -1);
        for (const auto& [name, x] : bench_.extracts)
            for (std::size_t axis = 0; axis < x.letters.size(); ++axis)
                if (is_shared(k, x.letters[axis]))
                    inner_axes_[k][number(name)] = static_cast<std::int32_t>(axis);
    }
}

bool placed_program::is_shared(std::size_t k, ir::ref letter) const {
    const ir::ref origin = bench_.text.origin[number(letter)];
    const std::vector<ir::ref>& named = request_.letters[k];
    return std::find(named.begin(), named.end(), origin) != named.end();
}

const excerpt* placed_program::view_of(ir::ref name) const {
    const auto found = all_.excerpts.find(name);
    return found == all_.excerpts.end() ? nullptr : &found->second;
}

element placed_program::type_of(ir::ref name) const {
    const ir::ref tensor = tensor_of(name);
    const auto input = request_.types.find(tensor);
    if (input != request_.types.end()) return input->second;
    return ir::is_of_places(bench_.text.program, tensor) ? element::i32 : request_.type;
}

// An output that the caller may fold later, and that nobody reads but who makes it.
bool placed_program::may_wait(ir::ref name) const {
    bool found = false;
    for (std::size_t k = 0; k < outputs_.size(); ++k)
        found = found || (outputs_[k] == name && request_.may_wait.count(request_.outputs[k]) > 0);
    for (const stage& s : all_.stages) {
        for (const stage::tensor& t : s.reads) found = found && t.of != name;
        for (const operation& o : s.exchanges)
            found = found && o.exchange.from != name && o.exchange.places != name;
    }
    for (const auto& [to, e] : all_.excerpts) found = found && e.from != name;
    return found;
}

std::vector<std::size_t> placed_program::extents_of(ir::ref name) const {
    std::vector<std::int64_t> list = own_shape(bench_, name);
    for (std::size_t k = request_.next + 1; k < request_.shared->size(); ++k) {
        const std::int32_t axis = inner_axes_[k][number(tensor_of(name))];
        if (axis < 0) continue;
        sharing& s = (*request_.shared)[k].sharing;
        std::int64_t& extent = list[static_cast<std::size_t>(axis)];
        extent = s.of(extent).of(s.rank);
    }
    return {list.begin(), list.end()};
}

const distribution& placed_program::parts_of(const exchange& e) const {
    if (e.extent > 0) return bench_.sharing.by_extent.at(e.extent);
    const std::vector<std::int64_t>& whole = bench_.text.shapes[number(tensor_of(e.from))];
    return bench_.sharing.by_extent.at(whole[static_cast<std::size_t>(e.axis)]);
}

// What the next letter has to know of a stage.
sharing_request placed_program::request_of(const stage& s) const {
    sharing_request q;
    q.shared = request_.shared;
    q.next = request_.next + 1;
    q.type = request_.type;
    q.exact_distances = request_.exact_distances;
    q.overlap = request_.overlap;
    q.program = request_.program;
    for (const stage::tensor& t : s.reads) {
        q.inputs.push_back(t.name);
        q.types[t.name] = type_of(t.of);
    }
    for (const stage::tensor& t : s.writes) {
        q.outputs.push_back(t.name);
        if (may_wait(t.of)) q.may_wait.insert(t.name);
    }
    if (q.next == request_.shared->size()) return q;
    std::vector<std::vector<std::int64_t>> shapes;
    q.axes.resize(request_.shared->size());
    q.letters.resize(request_.shared->size());
    for (const ir::ref of : s.names) {
        shapes.push_back(own_shape(bench_, of));
        q.defined.push_back(defined_of(tensor_of(of)));
        for (std::size_t k = q.next; k < request_.shared->size(); ++k)
            q.axes[k].push_back(inner_axes_[k][number(tensor_of(of))]);
    }
    for (std::size_t i = 0; i < s.letters.size(); ++i)
        for (std::size_t k = q.next; k < request_.shared->size(); ++k)
            if (is_shared(k, s.letters[i])) q.letters[k].push_back(static_cast<ir::ref>(i));
    std::vector<std::int64_t> extents;
    for (const engine::index_extent& i : s.extents) extents.push_back(i.extent);
    q.text = lettered_program(s.program.view(), std::move(extents), std::move(shapes));
    return q;
}

// Which tensor of the caller's program a tensor of the text is, or is made for.
ir::ref placed_program::defined_of(ir::ref tensor) const {
    const auto x = bench_.extracts.find(tensor);
    if (x != bench_.extracts.end()) tensor = x->second.made_for;
    return number(tensor) < request_.defined.size() ? request_.defined[number(tensor)] : ir::none;
}

// What lies at one place of the axis along which parts lie.
std::int64_t placed_program::bytes_at_a_place(const exchange& e) const {
    std::size_t bytes = size_of(type_of(e.from));
    const std::vector<std::size_t> extents = extents_of(e.from);
    for (std::size_t k = 0; k < extents.size(); ++k)
        if (k != static_cast<std::size_t>(e.axis)) bytes *= extents[k];
    return static_cast<std::int64_t>(bytes);
}

// Of windows and of what is asked for: how many places this rank sends others, at most.
std::int64_t placed_program::places_sent(const exchange& e) const {
    const int me = bench_.sharing.rank;
    const distribution& parts = parts_of(e);
    std::int64_t places = 0;
    const auto owner = [&](int r) { return e.kind == exchange_kind::neighbours ? me : r; };
    const auto reader = [&](int r) { return e.kind == exchange_kind::neighbours ? r : me; };
    for (int r = 0; r < bench_.sharing.ranks; ++r) {
        if (r == me) continue;
        if (e.windows == nullptr) {
            if (e.kind == exchange_kind::rows)
                places += std::min(e.most[static_cast<std::size_t>(r)], parts.of(me));
            continue;
        }
        for (const window_part& p :
             window_parts((*e.windows)[static_cast<std::size_t>(reader(r))], parts))
            if (p.owner == owner(r)) places += p.count;
    }
    if (e.kind == exchange_kind::row_sums || e.kind == exchange_kind::asked_places)
        places = std::min(e.most[static_cast<std::size_t>(me)], parts.total() - parts.of(me));
    return places;
}

std::int64_t placed_program::bytes_of(const exchange& e) const {
    const auto places_of_ranks =
        static_cast<std::int64_t>(static_cast<std::size_t>(bench_.sharing.ranks) * sizeof(int));
    switch (e.kind) {
        case exchange_kind::own_places:
            return 0;
        case exchange_kind::asked_places:  // and how many each is asked for
            return places_of_ranks +
                   places_sent(e) * static_cast<std::int64_t>(sizeof(std::int64_t));
        case exchange_kind::neighbours:
        case exchange_kind::neighbour_sums:
        case exchange_kind::rows:
        case exchange_kind::row_sums:
            return bytes_at_a_place(e) * places_sent(e);
        default:
            break;
    }
    auto bytes = static_cast<std::int64_t>(size_of(type_of(e.from)));
    if (e.places != ir::none) bytes += bytes_of_found_place;
    for (const std::size_t extent : extents_of(e.from)) bytes *= static_cast<std::int64_t>(extent);
    return bytes;
}

double placed_program::most_bytes_of(const exchange& e) const {
    const distribution& parts = parts_of(e);
    if (e.windows != nullptr)
        return static_cast<double>(bytes_at_a_place(e)) *
               static_cast<double>(most_from_others(*e.windows, parts));
    const double one = e.kind == exchange_kind::asked_places
                           ? sizeof(std::int64_t)
                           : static_cast<double>(bytes_at_a_place(e));
    return e.kind == exchange_kind::own_places
               ? 0
               : one * static_cast<double>(most_asked(e.most, parts));
}

std::string placed_program::in_words_of_the_whole(const std::string& words) const {
    return stray_words(bench_, all_, words);
}

std::string placed_program::words_of(const stage& s) const {
    std::vector<std::string> names;
    for (const ir::ref e : s.equations) {
        const ir::ref n = defined_of(bench_.text.program.equations[e].name);
        const std::string name =
            n == ir::none ? std::string() : detail::string_of(request_.program.name(n));
        if (!name.empty() && std::find(names.begin(), names.end(), name) == names.end())
            names.push_back(name);
    }
    return fmt::format("{}", fmt::join(names, ", "));
}

std::string placed_program::words_of_meanwhile(const exchange_place& e) const {
    stage between;
    for (std::size_t k = e.stage + 1; k < all_.waited_in(e); ++k)
        between.equations.insert(between.equations.end(), all_.stages[k].equations.begin(),
                                 all_.stages[k].equations.end());
    return words_of(between);
}

std::string placed_program::words_of(const operation& o) const {
    const ir::ref defined = defined_of(bench_.text.program.equations[o.equation].name);
    return mpi::words_of(bench_, o.exchange, letter().letter,
                         words_of_equation(request_.program, defined));
}

}  // namespace ricci::mpi
