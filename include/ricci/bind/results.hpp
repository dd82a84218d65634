// What makes a name a key of a Hana map, and what is said when a result has no such key.
#pragma once

#include <cstdint>

#include <boost/hana/at_key.hpp>
#include <boost/hana/bool.hpp>
#include <boost/hana/equal.hpp>
#include <boost/hana/for_each.hpp>
#include <boost/hana/hash.hpp>
#include <boost/hana/keys.hpp>
#include <boost/hana/map.hpp>
#include <boost/hana/pair.hpp>
#include <boost/hana/type.hpp>

#include <ricci/bind/check.hpp>
#include <ricci/bind/program_key.hpp>

namespace boost::hana {

template <>
struct equal_impl<ricci::name_tag, ricci::name_tag> {
    template <class X, class Y>
    static constexpr auto apply(const X&, const Y&) {
        return bool_c<X::hash == Y::hash>;
    }
};
template <>
struct hash_impl<ricci::name_tag> {
    template <class X>
    static constexpr auto apply(const X&) {
        return type_c<X>;
    }
};

}  // namespace boost::hana

namespace ricci {

/// Says that a result was asked for by a name that is none.
template <std::uint64_t Program, std::uint64_t Name>
struct no_such_result {
    static constexpr bool wrong = [] {
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
            detail::text_builder s;
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
    static constexpr detail::text_view text() { return {sentence.characters, sentence.size}; }
};

}  // namespace ricci
