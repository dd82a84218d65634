// What a call gives: a Hana map from the names of the outputs to tensors.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include <boost/hana/at_key.hpp>
#include <boost/hana/bool.hpp>
#include <boost/hana/equal.hpp>
#include <boost/hana/for_each.hpp>
#include <boost/hana/hash.hpp>
#include <boost/hana/keys.hpp>
#include <boost/hana/map.hpp>
#include <boost/hana/pair.hpp>
#include <boost/hana/type.hpp>

#include <ricci/detail/bind/check.hpp>
#include <ricci/detail/bind/program_key.hpp>
#include <ricci/tensor.hpp>

namespace boost::hana {

template <>
struct equal_impl<ricci::detail::name_tag, ricci::detail::name_tag> {
    template <class X, class Y>
    static constexpr auto apply(const X&, const Y&) {
        return bool_c<X::hash == Y::hash>;
    }
};
template <>
struct hash_impl<ricci::detail::name_tag> {
    template <class X>
    static constexpr auto apply(const X&) {
        return type_c<X>;
    }
};

}  // namespace boost::hana

namespace ricci::detail {

/// Says that a result was asked for by a name that is none.
template <std::uint64_t Program, std::uint64_t Name>
struct no_such_result {
    static constexpr bool wrong = !is_mistaken<Program> && [] {
        const auto p = program_of<Program>.view();
        const ir::ref n = p.find(spelling<Name>());
        return n == ir::none || !is_output(p, n);
    }();
    static constexpr auto sentence = [] {
        struct {
            char characters[600] = {};
            std::int32_t size = 0;
        } out;
        if constexpr (wrong) {
            const auto p = program_of<Program>.view();
            text_builder s;
            s << "there is no output " << spelling<Name>() << "; the outputs are ";
            bool first = true;
            for (ir::ref n = 0; n < p.names.size(); ++n)
                if (is_output(p, n)) {
                    s << (first ? "" : ", ") << p.name(n);
                    first = false;
                }
            const ir::ref n = p.find(spelling<Name>());
            if (n != ir::none && p.definition(n) != ir::none)
                s << " (keep(\"" << spelling<Name>() << "\"_t) makes it one)";
            for (char c : s.view())
                if (out.size < 600) out.characters[out.size++] = c;
        }
        return out;
    }();
    static constexpr text_view text() { return {sentence.characters, sentence.size}; }
};

/// The names of a program's outputs, in the order of its equations.
template <std::uint64_t Program>
struct program_outputs {
    static constexpr auto view = program_of<Program>.view();
    static constexpr std::int32_t equation_count = view.equations.size();
    struct list {
        ir::ref names[equation_count + 1];
        std::int32_t count;
    };
    /// Found in one pass: what is kept, or no equation reads.
    static constexpr list all = [] {
        buffer<bool> used;
        used.resize(view.names.size(), false);
        for (const ir::equation& e : view.equations)
            if (!e.claim) mark_read(view, e.body, used);
        list out{};
        for (const ir::equation& e : view.equations) {
            const ir::name_symbol& s = view.names[e.name];
            if (!e.claim && !s.shape_only && (s.kept || !used[e.name]))
                out.names[out.count++] = e.name;
        }
        return out;
    }();
    static constexpr std::int32_t count = all.count;
    static constexpr ir::ref at(std::size_t k) { return all.names[k]; }
    /// The same as a constant, so that no search is left for run time.
    template <std::size_t K>
    static constexpr ir::ref name_of = at(K);
    template <std::size_t K>
    using key = name<hash_of(view.name(at(K)))>;
    template <std::size_t K>
    static constexpr int rank = rank_of(view, at(K));
    /// What its elements are in a call whose tensors hold T.
    template <std::size_t K, class T>
    using element = std::conditional_t<ir::is_of_places(view, at(K)), std::int32_t, T>;
};

/// The names of a program's outputs, each with an empty tensor, in the order of its equations.
template <std::uint64_t Program, class T, class Numbers>
struct output_list;
template <std::uint64_t Program, class T, std::size_t... K>
struct output_list<Program, T, std::index_sequence<K...>> {
    using outputs = program_outputs<Program>;
    template <std::size_t N>
    using pair = boost::hana::pair<
        typename outputs::template key<N>,
        tensor<typename outputs::template element<N, T>, outputs::template rank<N>>>;
    using pairs = boost::hana::basic_tuple<pair<K>...>;
    using map = typename boost::hana::detail::make_map_type<pair<K>...>::type;
};
template <std::uint64_t Program>
using output_numbers =
    std::make_index_sequence<static_cast<std::size_t>(program_outputs<Program>::count)>;

}  // namespace ricci::detail

namespace ricci {

/// What a call gives: a map from names to tensors, with what Hana's functions ask of a map. It is a
/// class of its own because the name of hana::map spells every key and value in each symbol.
template <std::uint64_t Program, class T>
class results {
    using list = detail::output_list<Program, T, detail::output_numbers<Program>>;
    template <std::uint64_t Name>
    using missing = detail::mistake_of<detail::no_such_result<Program, Name>>;

public:
    using hana_tag = boost::hana::map_tag;
    using hash_table_type = typename list::map::hash_table_type;
    using storage_type = typename list::pairs;

    // Flattened, each a function of its own, so that nothing of the storage, whose name is as long
    // as a map's, is left as a symbol.
    [[gnu::flatten, gnu::noinline]] results() : storage() {}
    results(results&&) = default;
    results& operator=(results&&) = default;
    [[gnu::flatten, gnu::noinline]] ~results() {}

    /// The output of this name; one that there is not stops the compilation.
    template <std::uint64_t Name, class Mistake = missing<Name>>
    auto& operator[](name<Name>) & {
        return output<Name>(*this);
    }
    template <std::uint64_t Name, class Mistake = missing<Name>>
    const auto& operator[](name<Name>) const& {
        return output<Name>(*this);
    }
    template <std::uint64_t Name, class Mistake = missing<Name>>
    auto operator[](name<Name> key) && {
        return std::move((*this)[key]);
    }
    template <std::uint64_t Name, class Mistake = missing<Name>>
    requires detail::is_a_mistake<Mistake>
    const Mistake& operator[](name<Name>) & = delete;
    template <std::uint64_t Name, class Mistake = missing<Name>>
    requires detail::is_a_mistake<Mistake>
    const Mistake& operator[](name<Name>) const& = delete;
    template <std::uint64_t Name, class Mistake = missing<Name>>
    requires detail::is_a_mistake<Mistake>
    const Mistake& operator[](name<Name>) && = delete;

    storage_type storage;

private:
    template <std::uint64_t Name, class Self>
    static auto& output(Self& self) {
        constexpr std::size_t k = number<Name>();
        if constexpr (k < static_cast<std::size_t>(detail::program_outputs<Program>::count))
            return boost::hana::second(boost::hana::at_c<k>(self.storage));
        else return self;  // stands for what is wrong, of which enough has been said
    }
    /// Where among the outputs a name is.
    template <std::uint64_t Name>
    static consteval std::size_t number() {
        std::int32_t k = 0;
        const auto all = detail::program_outputs<Program>::all;
        while (k < all.count &&
               detail::program_of<Program>.view().name(all.names[k]) != detail::spelling<Name>())
            ++k;
        return static_cast<std::size_t>(k);
    }
};

}  // namespace ricci
