// Random programs, and their gradients, with an index of theirs shared out: the same as on one rank.
#include <map>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "tests/mpi/ranks.hpp"
#include "tests/property/derived.hpp"
#include "tests/property/random_programs.hpp"
#include "tests/property/settings.hpp"

using namespace ricci;
using namespace ricci::testing;

namespace {

/// What the first rank says that has something to say, on every rank, so that all go on alike.
std::string said_by_any(const std::string& mine) {
    const int rank = rank_of_world(), ranks = ranks_of_world();
    int speaker = mine.empty() ? ranks : rank, first = ranks;
    MPI_Allreduce(&speaker, &first, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    if (first == ranks) return {};
    int size = static_cast<int>(mine.size());
    MPI_Bcast(&size, 1, MPI_INT, first, MPI_COMM_WORLD);
    std::string words = mine;
    words.resize(static_cast<std::size_t>(size));
    MPI_Bcast(words.data(), size, MPI_CHAR, first, MPI_COMM_WORLD);
    return words;
}

array array_of(const dense& values, element type) {
    array a(type, std::vector<std::size_t>(values.extents.begin(), values.extents.end()));
    with_element_type(type, [&]<class T>(T) {
        for (std::size_t k = 0; k < values.values.size(); ++k)
            static_cast<T*>(a.data())[k] =
                engine::number(static_cast<double>(values.values[k])).as<T>();
    });
    return a;
}

/// One program with one index of it, on all ranks and on this one.
class random_sharing {
public:
    random_sharing(const random_program& p, program what, element type)
        : p_(p), program_(std::move(what)), type_(type), random_(p.seed * 7919u + 5) {}

    std::string run(const std::map<std::string, dense>& more) {
        bind(more);
        arrays expected;
        if (const std::string wrong = refusal([&] { expected = ricci::run(program_, whole_); });
            !wrong.empty())
            return {};  // which is the other tests' matter
        if (!choose_letter()) return {};
        share_out();
        return said_by_any(compare(expected));
    }

private:
    template <class Function>
    static std::string refusal(const Function& f) {
        try {
            f();
        } catch (const std::exception& e) {
            return e.what();
        }
        return {};
    }
    void bind(const std::map<std::string, dense>& more) {
        const auto add = [&](const std::string& name, const dense& values, element type) {
            for (const tensor_info& t : program_.inputs())
                if (t.name == name) whole_.push_back({name, array_of(values, type)});
        };
        for (std::size_t t = 0; t < p_.tensors.size(); ++t)
            if (const declaration& d = p_.tensors[t]; !d.defined)
                add(d.name, input_values(p_).of(t, type_), d.places > 0 ? element::i32 : type_);
        for (const auto& [name, values] : more) add(name, values, type_);
        for (const auto& i : indices_to_give(p_))
            whole_.push_back({plain_letter(i), extent(p_.extent(i))});
    }
    // A letter under which no tensor that is bound or given has two axes.
    bool choose_letter() {
        const ir::program_view p = program_.view();
        std::vector<std::string> all;
        for (ir::ref i = 0; i < p.indices.size(); ++i)
            if (std::find(all.begin(), all.end(), spelled(p.index(i))) == all.end())
                all.push_back(spelled(p.index(i)));
        std::shuffle(all.begin(), all.end(), random_);
        for (const std::string& letter : all) {
            letter_ = letter;
            axes_.clear();
            if (find_axes(p) && !axes_.empty()) return true;
        }
        return false;
    }
    bool find_axes(const ir::program_view& p) {
        bool unique = true;
        const auto see = [&](ir::ref name, ir::range at) {
            for (std::int32_t k = 0; k < at.count; ++k) {
                const ir::position& q = p.at(at, k);
                if (q.kind != ir::position_kind::index || spelled(p.index(q.index)) != letter_)
                    continue;
                const auto [known, fresh] = axes_.emplace(spelled(p.name(name)), k);
                unique = unique && (fresh || known->second == k);
            }
        };
        for (const ir::equation& e : p.equations) {
            see(e.name, e.positions);
            ir::for_each_node(p, e.body, [&](ir::ref n) {
                if (p.nodes[n].kind == ir::op::tensor) see(p.nodes[n].name, p.nodes[n].positions);
            });
        }
        // a derivative lies as what it is of
        for (ir::ref n = 0; n < p.names.size(); ++n) {
            const ir::name_symbol& s = p.names[n];
            if (s.kind == ir::name_kind::plain || s.of == ir::none) continue;
            const std::string mine = spelled(p.name(n)), its = spelled(p.name(s.of));
            if (s.numerator_rank > 0) return false;
            if (axes_.count(its) > 0) {
                const auto [known, fresh] = axes_.emplace(mine, axes_[its]);
                unique = unique && (fresh || known->second == axes_[its]);
            } else if (axes_.count(mine) > 0) {
                axes_[its] = axes_[mine];
            }
        }
        return unique;
    }
    // Places of an axis of that extent, rank by rank.
    const std::vector<std::size_t>& counts(std::size_t extent) {
        const auto known = counts_.find(extent);
        return known != counts_.end() ? known->second
                                      : counts_.emplace(extent, counts_of(extent, cut::even))
                                            .first->second;
    }
    void share_out() {
        for (named& o : whole_) {
            mine_.push_back(o);
            const auto axis = axes_.find(o.name);
            if (o.value.kind() != detail::operand_kind::tensor || axis == axes_.end()) continue;
            const array& all = o.value.value();
            const auto k = static_cast<std::size_t>(axis->second);
            const std::size_t extent = all.extent(k);
            if (counts_.count(extent) == 0) {
                std::vector<std::size_t> drawn_counts(static_cast<std::size_t>(ranks_of_world()));
                for (std::size_t place = 0; place < extent; ++place)
                    ++drawn_counts[random_() % drawn_counts.size()];
                counts_[extent] = random_() % 2 == 0 ? counts_of(extent, cut::even) : drawn_counts;
            }
            mine_.back().value = bindable(own_part(all, k, counts_[extent]));
        }
    }
    std::string compare(const arrays& expected) {
        std::optional<mpi::runner> step;
        std::string wrong = refusal(
            [&] { step.emplace(mpi::prepare(MPI_COMM_WORLD, program_, {letter_}, mine_)); });
        if (!wrong.empty()) return "refused with " + letter_ + " shared out: " + wrong;
        take_counted_bytes();
        wrong = refusal([&] { (*step)(); });
        if (!wrong.empty()) return "fails with " + letter_ + " shared out: " + wrong;
        if (take_counted_bytes() != step->bytes_sent())
            return "other bytes than it says: " + step->explain();
        const double tolerance = type_ == element::f32 ? 3e-3 : 1e-9;
        for (const auto& [name, value] : expected) {
            array wanted = value;
            if (const auto axis = axes_.find(name); axis != axes_.end()) {
                const auto k = static_cast<std::size_t>(axis->second);
                wanted = own_part(value, k, counts(value.extent(k)));
            }
            if (const std::string apart = difference_of((*step)[name], wanted, tolerance);
                !apart.empty())
                return "differs with " + letter_ + " shared out: " + name + " on rank " +
                       std::to_string(rank_of_world()) + ": " + apart + "\n" + step->explain();
        }
        return {};
    }
    static std::string difference_of(const array& a, const array& b, double tolerance) {
        if (std::vector<std::size_t>(a.extents().begin(), a.extents().end()) !=
            std::vector<std::size_t>(b.extents().begin(), b.extents().end()))
            return "another shape";
        const double apart = largest_difference(a, b);
        return apart <= tolerance ? "" : "by " + std::to_string(apart);
    }

    const random_program& p_;
    const program program_;
    const element type_;
    std::mt19937 random_;
    std::vector<named> whole_, mine_;
    std::string letter_;
    std::map<std::string, int> axes_;
    std::map<std::size_t, std::vector<std::size_t>> counts_;
};

program with_all_kept(const random_program& p) {
    program what = parse(text_of(p)).value();
    if (p.keep_all)
        for (const auto& e : p.equations) what = what.keep({p.tensors[e.tensor].name});
    return what;
}

std::string check_shared(const random_program& p) {
    if (holds_extremes_of_nothing(p, interpret(p, element::f64))) return {};
    const program what = with_all_kept(p);
    static constexpr element types[] = {element::f64, element::f64, element::f32, element::c128,
                                        element::i64};
    const element type = types[p.seed % 5];
    if (!can_compute(ir::program(what.view()), type)) return {};
    return random_sharing(p, what, type).run({});
}

std::string check_shared_gradient(const random_program& p) {
    if (holds_extremes_of_nothing(p, interpret(p, element::f64))) return {};
    const std::string of = result_of(p).name;
    std::vector<std::string> by;
    for (std::size_t t = 0; t < p.tensors.size(); ++t)
        if (!p.tensors[t].defined && p.tensors[t].places == 0 && reaches(p, t))
            by.push_back(p.tensors[t].name);
    std::optional<program> back;
    try {
        back = value_and_gradient(parse(text_of(p)).value(), of, by);
    } catch (const error&) {
        return {};  // what has cancelled while it was read depends on nothing
    }
    return random_sharing(p, *back, element::f64).run({{"dL/d" + of, weights_of(p)}});
}

}  // namespace

TEST_CASE("random programs with an index shared out") {
    on_random_programs(program_count(60), {}, check_shared);
}

TEST_CASE("gradients of random programs with an index shared out") {
    on_random_programs(program_count(40), smooth, check_shared_gradient);
}
