// The contractions that are both tested and timed: einsum strings with their extents, in groups.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ricci::bench {

/// What limits a case, and with it what its speed is compared with.
enum class bound { arithmetic, memory };

/// The element types a case is run with.
enum class types { real, every };

struct contraction_case {
    const char* group;
    const char* text;     // an einsum string
    const char* extents;  // of each label: "i=4 j=5"
    bound by = bound::arithmetic;
    bool large = false;  // left out of a quick run
    types with = types::real;
};

inline constexpr contraction_case contraction_cases[] = {
    {"square", "mk,kn->mn", "m=64 n=64 k=64"},
    {"square", "mk,kn->mn", "m=128 n=128 k=128"},
    {"square", "mk,kn->mn", "m=256 n=256 k=256"},
    {"square", "mk,kn->mn", "m=512 n=512 k=512"},
    {"square", "mk,kn->mn", "m=1024 n=1024 k=1024"},
    {"square", "mk,kn->mn", "m=2048 n=2048 k=2048", bound::arithmetic, true},

    // Multi-head attention: projections into heads and out of them, scores, values.
    {"attention", "ib,hba->hia", "i=1024 b=512 h=8 a=64"},
    {"attention", "hic,hcd->id", "i=1024 c=64 h=8 d=512"},
    {"attention", "ib,hba->hia", "i=4096 b=768 h=12 a=64", bound::arithmetic, true},
    {"attention", "hic,hcd->id", "i=4096 c=64 h=12 d=768", bound::arithmetic, true},
    {"attention", "bhid,bhjd->bhij", "b=1 h=8 i=1024 j=1024 d=64"},
    {"attention", "bhij,bhjd->bhid", "b=1 h=8 i=1024 j=1024 d=64"},
    {"attention", "bhid,bhjd->bhij", "b=4 h=4 i=512 j=512 d=128"},
    {"attention", "bhij,bhjd->bhid", "b=4 h=4 i=512 j=512 d=128"},
    {"attention", "bihd,bjhd->bhij", "b=2 h=8 i=512 j=512 d=64"},
    {"attention", "hij,hid->hjd", "h=8 i=1024 j=1024 d=64"},
    {"attention", "hij,hid->hjd", "h=8 i=1000 j=1000 d=64"},

    // From the TCCG benchmark set, github.com/springer13/tccg.
    {"tccg", "ca,bc->ba", "a=720 b=720 c=720"},
    {"tccg", "dac,bcd->ba", "a=312 b=312 c=72 d=72"},
    {"tccg", "dca,bd->cba", "a=96 b=240 c=84 d=240"},
    {"tccg", "cda,db->cba", "a=96 b=240 c=84 d=240"},
    {"tccg", "ceda,dbe->cba", "a=48 b=84 c=48 d=48 e=48"},
    {"tccg", "ae,dcbe->dcba", "a=72 b=48 c=48 d=48 e=72"},
    {"tccg", "ce,deba->dcba", "a=72 b=48 c=48 d=48 e=72"},
    {"tccg", "aebd,ce->dcba", "a=72 b=60 c=24 d=72 e=72"},
    {"tccg", "dfae,cebf->dcba", "a=48 b=24 c=20 d=20 e=24 f=24"},
    {"tccg", "dabfe,fc->edcba", "a=48 b=20 c=24 d=20 e=48 f=32"},
    {"tccg", "aged,cbfg->fedcba", "a=24 b=16 c=16 d=24 e=16 f=12 g=24"},
    {"tccg", "amji,cbkm->kjicba", "a=24 b=16 c=16 i=24 j=12 k=16 m=24"},

    // Other layouts, edges that are no multiple of a tile, powers of two, short and long sides.
    {"product", "km,kn->mn", "m=768 n=768 k=768"},
    {"product", "mk,nk->mn", "m=768 n=768 k=768"},
    {"product", "km,nk->nm", "m=768 n=768 k=768"},
    {"product", "mk,kn->mn", "m=777 n=779 k=773"},
    {"product", "mk,kn->mn", "m=100 n=100 k=100"},
    {"product", "mk,kn->mn", "m=31 n=37 k=41"},
    {"product", "mk,kn->mn", "m=20000 n=32 k=32"},
    {"product", "mk,kn->mn", "m=32 n=20000 k=32"},
    {"product", "mk,kn->mn", "m=32 n=32 k=40000"},
    {"product", "mk,kn->mn", "m=8 n=2048 k=2048"},
    {"product", "mk,kn->mn", "m=2048 n=16 k=2048"},
    {"product", "bmk,bkn->bmn", "b=512 m=32 n=32 k=32"},
    {"product", "bmk,bkn->bmn", "b=4096 m=16 n=16 k=16"},
    {"product", "bmk,bkn->bmn", "b=65536 m=4 n=4 k=4"},
    {"product", "mkb,knb->mnb", "b=64 m=64 n=64 k=64"},
    {"product", "mkb,knb->mnb", "b=1024 m=16 n=16 k=16"},
    {"product", "mkb,knb->mnb", "b=16 m=256 n=256 k=128"},
    {"product", "mkb,nbk->bmn", "b=64 m=64 n=64 k=64"},
    {"product", "bmk,nkb->mnb", "b=64 m=64 n=64 k=64"},
    {"product", "mbk,nbk->bmn", "b=16 m=256 n=256 k=128"},
    {"product", "abcd,cdef->abef", "a=32 b=32 c=32 d=32 e=32 f=32"},
    {"product", "acbd,ecfd->aebf", "a=32 b=32 c=32 d=32 e=32 f=32"},
    {"product", "abcd,ecfd->eafb", "a=32 b=32 c=32 d=32 e=32 f=32"},

    // Few results of long rows, which are summed as they lie.
    {"few", "mk,nk->mn", "m=2 n=2 k=1000"},
    {"few", "mk,nk->mn", "m=4 n=4 k=10000"},
    {"few", "bmk,bnk->bmn", "b=100 m=2 n=2 k=1000"},
    {"few", "mk,nk->mn", "m=2 n=100 k=10000"},

    // Every element type, beside float.
    {"types", "mk,kn->mn", "m=256 n=256 k=256", bound::arithmetic, false, types::every},
    {"types", "mk,kn->mn", "m=1024 n=1024 k=1024", bound::arithmetic, false, types::every},
    {"types", "mkb,knb->mnb", "b=64 m=64 n=64 k=64", bound::arithmetic, false, types::every},
    {"types", "mk,k->m", "m=4096 k=4096", bound::memory, false, types::every},
    {"types", "i,i->i", "i=4194304", bound::memory, false, types::every},

    // Of fixed tensors: extents in the types, compiled in the benchmark's file.
    {"small", "ij,jk->ik", "i=3 j=3 k=3"},
    {"small", "ij,jk->ik", "i=4 j=4 k=4"},
    {"small", "ij,jk->ik", "i=8 j=8 k=8"},
    {"small", "ij,jk->ik", "i=16 j=16 k=16"},
    {"small", "ij,jk->ik", "i=32 j=32 k=32"},
    {"small", "ij,jk,kl->il", "i=8 j=8 k=8 l=8"},
    {"small", "ijk,jl->ilk", "i=8 j=8 k=8 l=8"},

    {"permutation", "ij->ji", "i=4096 j=4096", bound::memory},
    {"permutation", "ij->ji", "i=4001 j=4003", bound::memory},
    {"permutation", "abc->cba", "a=256 b=256 c=256", bound::memory},
    {"permutation", "abc->bac", "a=256 b=256 c=256", bound::memory},
    {"permutation", "abc->acb", "a=256 b=256 c=256", bound::memory},
    {"permutation", "abcd->dbca", "a=64 b=64 c=64 d=64", bound::memory},
    {"permutation", "abcd->dcba", "a=64 b=64 c=64 d=64", bound::memory},
    {"permutation", "abcd->acbd", "a=16 b=512 c=32 d=64", bound::memory},
    {"permutation", "abcde->ecbda", "a=24 b=24 c=24 d=24 e=48", bound::memory},
    {"permutation", "ij->ji", "i=1000000 j=16", bound::memory},
    {"permutation", "ij->ji", "i=512 j=512", bound::memory},
    {"reduction", "ij->i", "i=4096 j=4096", bound::memory},
    {"reduction", "ij->j", "i=4096 j=4096", bound::memory},
    {"reduction", "ij->", "i=4096 j=4096", bound::memory},
    {"reduction", "ijk->j", "i=256 j=256 k=256", bound::memory},
    {"reduction", "ij->i", "i=1000000 j=16", bound::memory},
    {"reduction", "ijk->ik", "i=256 j=256 k=256", bound::memory},
    {"reduction", "ijk->ij", "i=2048 j=2048 k=4", bound::memory},
    {"reduction", "ijk->i", "i=256 j=256 k=256", bound::memory},
    {"reduction", "ijk->k", "i=256 j=256 k=256", bound::memory},
    {"reduction", "ij,ij->i", "i=4096 j=2048", bound::memory},
    {"stream", "ij,j->i", "i=4096 j=4096", bound::memory},
    {"stream", "ij,i->j", "i=4096 j=4096", bound::memory},
    {"stream", "bij,bj->bi", "b=64 i=512 j=512", bound::memory},
    {"stream", "bij,bi->bj", "b=64 i=512 j=512", bound::memory},
    {"stream", "ij,j->i", "i=256 j=256", bound::memory},
    {"stream", "ij,j->i", "i=50000 j=333", bound::memory},
    {"stream", "ij,j->i", "i=1000000 j=16", bound::memory},
    {"stream", "ij,i->j", "i=1000000 j=16", bound::memory},
    {"stream", "i,i->", "i=10000000", bound::memory},
    {"stream", "i,j->ij", "i=4096 j=4096", bound::memory},
    {"stream", "i,j->ji", "i=4096 j=4096", bound::memory},
    {"stream", "ij,ij->ij", "i=4096 j=2048", bound::memory},
    {"stream", "ij,j->ij", "i=4096 j=4096", bound::memory},
    {"stream", "ij,i->ij", "i=4096 j=4096", bound::memory},
    {"stream", "ij,ji->ij", "i=2048 j=2048", bound::memory},
    {"diagonal", "ii->i", "i=4096", bound::memory},
    {"diagonal", "iij->ij", "i=512 j=512", bound::memory},
    {"diagonal", "ii->", "i=4096", bound::memory},
};

/// The labels of each operand and, last, of the result.
inline std::vector<std::string> operand_labels(std::string_view text) {
    std::vector<std::string> lists(1);
    for (const char c : text) {
        if (c == ',' || c == '>') lists.emplace_back();
        else if (c != '-') lists.back() += c;
    }
    return lists;
}

/// A case with numbers for its extents.
struct sized_case {
    std::string text;
    std::vector<std::string> labels;  // of each operand and, last, of the result
    std::vector<std::pair<char, std::int64_t>> extents;

    explicit sized_case(const contraction_case& from)
        : text(from.text), labels(operand_labels(from.text)) {
        const std::string_view words = from.extents;
        for (std::size_t at = 0; at < words.size(); ++at) {
            if (words[at] != '=') continue;
            std::int64_t value = 0;
            for (std::size_t d = at + 1; d < words.size() && words[d] != ' '; ++d)
                value = 10 * value + (words[d] - '0');
            extents.emplace_back(words[at - 1], value);
        }
    }
    std::int64_t extent(char label) const {
        for (const auto& [name, value] : extents)
            if (name == label) return value;
        return 1;
    }
    std::vector<std::int64_t> shape(std::size_t operand) const {
        std::vector<std::int64_t> result;
        for (const char label : labels[operand]) result.push_back(extent(label));
        return result;
    }
    std::int64_t size(std::size_t operand) const {
        std::int64_t product = 1;
        for (const std::int64_t n : shape(operand)) product *= n;
        return product;
    }
    /// Multiplications of the loops over every label.
    std::int64_t iterations() const {
        std::int64_t product = 1;
        for (const auto& [name, value] : extents) product *= value;
        return product;
    }
    /// The same pattern with at most `most` iterations: the longest sides are cut, to odd numbers
    /// where they were long.
    sized_case shrunk(std::int64_t most) const {
        sized_case small = *this;
        while (small.iterations() > most) {
            auto& longest =
                *std::max_element(small.extents.begin(), small.extents.end(),
                                  [](const auto& x, const auto& y) { return x.second < y.second; });
            longest.second = std::max<std::int64_t>(2, (longest.second * 2 / 3) | 1);
            if (longest.second <= 3) longest.second = 2;
        }
        return small;
    }
};

}  // namespace ricci::bench
