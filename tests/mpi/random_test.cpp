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

/// An index that is shared out, which tensors have it in which axis, and how their places lie.
struct shared_index {
    std::string letter;
    std::size_t ranks = 1, place = 0;  // of the grid's dimension
    std::map<std::string, int> axes = {};
    std::map<std::size_t, std::vector<std::size_t>> counts = {};  // by extent

    /// Finds the axes; false where a tensor has two, of which a rank could not have parts.
    bool find(const ir::program_view& p) {
        bool unique = true;
        const auto see = [&](ir::ref name, ir::range at) {
            for (std::int32_t k = 0; k < at.count; ++k) {
                const ir::position& q = p.at(at, k);
                if (q.kind == ir::position_kind::index && spelled(p.index(q.index)) == letter)
                    unique = set(spelled(p.name(name)), k) && unique;
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
            if (axes.count(its) > 0) unique = set(mine, axes[its]) && unique;
            else if (axes.count(mine) > 0) axes[its] = axes[mine];
        }
        return unique && !axes.empty();
    }
    bool set(const std::string& name, int axis) {
        return axes.emplace(name, axis).first->second == axis;
    }
    /// Of an axis that no operand has, places lie as evenly as they go.
    const std::vector<std::size_t>& counts_of_places(std::size_t extent) {
        return counts.emplace(extent, counts_of(extent, cut::even, ranks)).first->second;
    }
};

/// One program with indices of it shared out, on all ranks and on this one.
class random_sharing {
public:
    random_sharing(const random_program& p, program what, element type, std::size_t dimensions,
                   const mpi::run_options& together)
        : p_(p),
          program_(std::move(what)),
          type_(type),
          together_(together),
          random_(p.seed * 7919u + 5) {
        std::vector<int> extents(dimensions, 0);
        MPI_Dims_create(ranks_of_world(), static_cast<int>(dimensions), extents.data());
        std::size_t rank = static_cast<std::size_t>(rank_of_world());
        for (std::size_t k = dimensions; k-- > 0;) {
            const auto ranks = static_cast<std::size_t>(extents[k]);
            shared_.insert(shared_.begin(), shared_index{"", ranks, rank % ranks});
            rank /= ranks;
        }
        const std::vector<int> periods(dimensions, 0);
        MPI_Cart_create(MPI_COMM_WORLD, static_cast<int>(dimensions), extents.data(),
                        periods.data(), 0, &comm_);
    }
    ~random_sharing() { MPI_Comm_free(&comm_); }
    random_sharing(const random_sharing&) = delete;
    random_sharing& operator=(const random_sharing&) = delete;

    std::string run(const std::map<std::string, dense>& more) {
        bind(more);
        arrays expected;
        if (const std::string wrong = refusal([&] { expected = ricci::run(program_, whole_); });
            !wrong.empty())
            return {};  // which is the other tests' matter
        if (!choose_letters()) return {};
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
    bool choose_letters() {
        const ir::program_view p = program_.view();
        std::vector<std::string> all;
        for (ir::ref i = 0; i < p.indices.size(); ++i)
            if (std::find(all.begin(), all.end(), spelled(p.index(i))) == all.end())
                all.push_back(spelled(p.index(i)));
        std::shuffle(all.begin(), all.end(), random_);
        std::size_t found = 0;
        for (std::size_t k = 0; k < all.size() && found < shared_.size(); ++k) {
            shared_index& s = shared_[found];
            s.letter = all[k];
            s.axes.clear();
            if (s.find(p) && (found == 0 || !meet(shared_[0], s))) ++found;
        }
        return found == shared_.size();
    }
    static bool meet(const shared_index& a, const shared_index& b) {
        return std::any_of(a.axes.begin(), a.axes.end(), [&](const auto& one) {
            const auto other = b.axes.find(one.first);
            return other != b.axes.end() && other->second == one.second;
        });
    }
    void share_out() {
        for (const named& o : whole_) {
            mine_.push_back(o);
            if (o.value.kind() != detail::operand_kind::tensor) continue;
            array part = o.value.value();
            for (shared_index& s : shared_) {
                const auto axis = s.axes.find(o.name);
                if (axis == s.axes.end()) continue;
                const auto k = static_cast<std::size_t>(axis->second);
                const std::size_t extent = part.extent(k);
                if (together_.reproducible) {
                    s.counts[extent] =
                        mpi::parts_of(extent, static_cast<int>(s.ranks), together_.blocks);
                } else if (s.counts.count(extent) == 0 && random_() % 2 == 0) {
                    std::vector<std::size_t> counts(s.ranks);
                    for (std::size_t place = 0; place < extent; ++place)
                        ++counts[random_() % s.ranks];
                    s.counts[extent] = counts;
                }
                part = part_of_rank(part, k, s.counts_of_places(extent), s.place);
            }
            mine_.back().value = bindable(std::move(part));
        }
    }
    std::string compare(const arrays& expected) {
        std::vector<std::string> letters;
        std::string how = " with";
        for (const shared_index& s : shared_) letters.push_back(s.letter), how += " " + s.letter;
        how += " shared out: ";
        std::optional<mpi::runner> step;
        std::string wrong = refusal(
            [&] { step.emplace(mpi::prepare(comm_, program_, letters, mine_, {}, together_)); });
        if (together_.reproducible && wrong.find("other steps than the first") != std::string::npos)
            return {};
        if (!wrong.empty()) return "refused" + how + wrong;
        take_counted_bytes();
        wrong = refusal([&] { (*step)(); });
        if (!wrong.empty()) return "fails" + how + wrong;
        if (take_counted_bytes() != step->bytes_sent())
            return "other bytes than it says: " + step->explain();
        if (together_.reproducible) return compare_bits(letters, *step);
        const double tolerance = type_ == element::f32 ? 3e-3 : 1e-9;
        for (const auto& [name, value] : expected) {
            array wanted = value;
            for (shared_index& s : shared_)
                if (const auto axis = s.axes.find(name); axis != s.axes.end()) {
                    const auto k = static_cast<std::size_t>(axis->second);
                    wanted = part_of_rank(wanted, k, s.counts_of_places(wanted.extent(k)), s.place);
                }
            if (const std::string apart = difference_of((*step)[name], wanted, tolerance);
                !apart.empty())
                return "differs" + how + name + " on rank " + std::to_string(rank_of_world()) +
                       ": " + apart + "\n" + step->explain();
        }
        return {};
    }
    // As on one rank alone, bit for bit; that is as without blocks, but for rounding.
    std::string compare_bits(const std::vector<std::string>& letters, const mpi::runner& step) {
        const std::vector<int> ones(shared_.size(), 1), periods(shared_.size(), 0);
        MPI_Comm alone = MPI_COMM_NULL;
        MPI_Cart_create(MPI_COMM_SELF, static_cast<int>(ones.size()), ones.data(), periods.data(),
                        0, &alone);
        std::string wrong;
        {
            auto one = mpi::prepare(alone, program_, letters, whole_, {}, together_);
            one();
            const arrays expected = ricci::run(program_, whole_);
            for (const auto& [name, value] : expected) {
                array wanted = one[name];
                if (largest_difference(wanted, value) > (type_ == element::f32 ? 3e-3 : 1e-9))
                    wrong = "differs in blocks: " + name + "\n" + one.explain();
                for (shared_index& s : shared_)
                    if (const auto axis = s.axes.find(name); axis != s.axes.end()) {
                        const auto k = static_cast<std::size_t>(axis->second);
                        const std::size_t extent = wanted.extent(k);
                        wanted = part_of_rank(
                            wanted, k,
                            mpi::parts_of(extent, static_cast<int>(s.ranks), together_.blocks),
                            s.place);
                    }
                if (!are_same_bits(step[name], wanted))
                    wrong = "other bits of " + name + " than on one rank\n" + step.explain();
            }
        }
        MPI_Comm_free(&alone);
        return wrong;
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
    const mpi::run_options together_;
    std::mt19937 random_;
    MPI_Comm comm_ = MPI_COMM_NULL;
    std::vector<named> whole_, mine_;
    std::vector<shared_index> shared_;
};

program with_all_kept(const random_program& p) {
    program what = parse(text_of(p)).value();
    if (p.keep_all)
        for (const auto& e : p.equations) what = what.keep({p.tensors[e.tensor].name});
    return what;
}

// With messages in parts, and exchanges beside what is computed or not.
mpi::run_options options_of(const random_program& p, bool reproducible) {
    mpi::run_options o;
    o.reproducible = reproducible;
    o.blocks = 2 + static_cast<int>(p.seed % 6);
    o.overlap = p.seed % 3 != 0;
    if (p.seed % 2 == 0) o.longest_message = 24;
    return o;
}

template <std::size_t Dimensions, bool Reproducible = false>
std::string check_shared(const random_program& p) {
    if (holds_extremes_of_nothing(p, interpret(p, element::f64))) return {};
    const program what = with_all_kept(p);
    static constexpr element types[] = {element::f64, element::f64, element::f32, element::c128,
                                        element::i64};
    const element type = types[p.seed % 5];
    if (!can_compute(ir::program(what.view()), type)) return {};
    return random_sharing(p, what, type, Dimensions, options_of(p, Reproducible)).run({});
}

template <std::size_t Dimensions, bool Reproducible = false>
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
    return random_sharing(p, *back, element::f64, Dimensions, options_of(p, Reproducible))
        .run({{"dL/d" + of, weights_of(p)}});
}

// Ranks that share a core wait for each other longer than they compute.
unsigned count_for_ranks(unsigned usual) {
    return program_count(ranks_of_world() > 3 ? usual / 4 : usual);
}

}  // namespace

TEST_CASE("random programs with an index shared out") {
    on_random_programs(count_for_ranks(60), {}, check_shared<1>);
}

TEST_CASE("random programs with two indices shared out over a grid") {
    if (ranks_of_world() < 4) return;  // one of the two would be whole
    on_random_programs(count_for_ranks(60), {}, check_shared<2>);
}

TEST_CASE("gradients of random programs with an index shared out") {
    on_random_programs(count_for_ranks(40), smooth, check_shared_gradient<1>);
}

TEST_CASE("gradients of random programs with two indices shared out over a grid") {
    if (ranks_of_world() < 4) return;
    on_random_programs(count_for_ranks(40), smooth, check_shared_gradient<2>);
}

TEST_CASE("random programs are the same bits on any number of ranks where that is asked for") {
    on_random_programs(count_for_ranks(40), {}, check_shared<1, true>);
    if (ranks_of_world() > 3) on_random_programs(count_for_ranks(40), {}, check_shared<2, true>);
}

TEST_CASE("so are gradients of random programs") {
    on_random_programs(count_for_ranks(30), smooth, check_shared_gradient<1, true>);
    if (ranks_of_world() > 3)
        on_random_programs(count_for_ranks(30), smooth, check_shared_gradient<2, true>);
}
