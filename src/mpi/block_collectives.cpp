// Messages between ranks that have blocks, and what is folded of them.
#include "src/mpi/block_collectives.hpp"

#include <optional>
#include <span>
#include <utility>

#include "src/mpi/asked_places.hpp"
#include "src/mpi/block_tree.hpp"
#include "src/mpi/folds.hpp"
#include "src/mpi/messages.hpp"

namespace ricci::mpi {
namespace {

std::size_t at(int k) { return static_cast<std::size_t>(k); }

/// Messages alone.
class block_messages final : public collective {
public:
    explicit block_messages(const exchange_settings& s) : list(s.comm, s.tag, s.longest_bytes) {}
    void start() override { list.start(); }
    void poll() override { list.poll(); }
    void finish() override { list.finish(); }
    std::int64_t sent() const override { return list.bytes_sent(); }

    messages list;
};

/// What each block does by itself.
class blocks_alone final : public collective {
public:
    void start() override {
        for (const auto& c : list) c->start();
    }
    std::int64_t sent() const override { return 0; }

    std::vector<std::unique_ptr<collective>> list;
};

/// All elements in one row.
array row_of(const array& a, std::size_t first, std::size_t count) {
    const std::size_t extents[] = {count};
    const std::int64_t strides[] = {1};
    char* const data = static_cast<char*>(const_cast<void*>(a.data())) + first * size_of(a.type());
    return array::over(std::make_shared<array>(a), a.type(), data, extents, strides);
}

/// Which elements of what is folded a rank folds, and where its parts of them go.
struct share {
    virtual ~share() = default;
    /// Those of an array that are rank r's.
    virtual array of(const array& whole, int r) const = 0;
};
struct share_of_elements final : share {
    explicit share_of_elements(const distribution& d) : elements(d) {}
    array of(const array& whole, int r) const override {
        return row_of(whole, static_cast<std::size_t>(elements.before(r)),
                      static_cast<std::size_t>(elements.of(r)));
    }
    distribution elements;
};
struct share_of_places final : share {
    share_of_places(std::size_t which, const distribution& d) : axis(which), places(d) {}
    array of(const array& whole, int r) const override {
        return part_of(whole, axis, places.before(r), places.of(r));
    }
    std::size_t axis;
    distribution places;
};

/// Each rank folds its share of all elements: it is sent what others have of it, by the nodes of
/// the tree that they can fold by themselves.
class share_fold {
public:
    share_fold(const exchange_settings& s, const block_owners& who, const std::vector<array>& from,
               const share& shares, const array& result, fold how)
        : messages_(s.comm, s.tag, s.longest_bytes), result_(result) {
        const int me = who.rank;
        std::vector<tree_fold::known> blocks, parts;
        for (int b = who.first(me); b < who.end(me); ++b)
            blocks.push_back({{b, b + 1}, from[at(b - who.first(me))]});
        for (const tree_node& n : nodes_within(who.blocks(), who.first(me), who.end(me))) {
            const array mine = node_of(n, blocks, how);
            for (int r = 0; r < who.ranks(); ++r)
                if (r != me) messages_.send(r, shares.of(mine, r));
            add_part(n, shares.of(mine, me), parts);
        }
        for (int r = 0; r < who.ranks(); ++r)
            for (const tree_node& n : nodes_within(who.blocks(), who.first(r), who.end(r))) {
                if (r == me) continue;
                const array there(result.type(), result.extents());
                messages_.receive(r, there);
                parts.push_back({n, there});
            }
        if (result.size() > 0) root_.emplace(tree_node{0, who.blocks()}, std::move(parts), how);
    }

    void start() {
        for (auto& [made, f] : nodes_) f.run(made);
        for (auto& [from, to] : copies_) copy_elements(from, to);
        messages_.start();
    }
    bool poll() { return messages_.poll(); }
    void finish() {
        messages_.finish();
        if (root_) root_->run(result_);
    }
    std::int64_t bytes_sent() const { return messages_.bytes_sent(); }

private:
    array node_of(const tree_node& n, const std::vector<tree_fold::known>& blocks, fold how) {
        std::vector<tree_fold::known> below;
        for (const tree_fold::known& b : blocks)
            if (n.first <= b.node.first && b.node.end <= n.end) below.push_back(b);
        if (n.is_leaf()) return below.front().values;
        const array& one = below.front().values;
        return nodes_.emplace_back(array(one.type(), one.extents()), tree_fold(n, below, how))
            .first;
    }
    // What does not lie row-major is copied there before it is folded.
    void add_part(const tree_node& n, const array& mine, std::vector<tree_fold::known>& parts) {
        parts.push_back({n, mine});
        if (mine.is_contiguous()) return;
        parts.back().values = array(mine.type(), mine.extents());
        copies_.emplace_back(mine, parts.back().values);
    }

    messages messages_;
    array result_;
    std::vector<std::pair<array, tree_fold>> nodes_;
    std::vector<std::pair<array, array>> copies_;
    std::optional<tree_fold> root_;
};

class whole_fold final : public collective {
public:
    whole_fold(const exchange_settings& s, const block_owners& who, const std::vector<array>& from,
               const array& to, const share_of_elements& shares, fold how)
        : fold_(s, who, from, shares, shares.of(to, who.rank), how),
          gathered_(s.comm, s.tag + 1, s.longest_bytes) {
        const array mine = shares.of(to, who.rank);
        for (int r = 0; r < who.ranks(); ++r) {
            if (r == who.rank) continue;
            gathered_.send(r, mine);
            gathered_.receive(r, shares.of(to, r));
        }
    }

    void start() override {
        fold_.start();
        is_folded_ = false;
    }
    void poll() override {
        if (is_folded_) gathered_.poll();
        else if (fold_.poll()) gather();
    }
    void finish() override {
        if (!is_folded_) gather();
        gathered_.finish();
    }
    std::int64_t sent() const override { return fold_.bytes_sent() + gathered_.bytes_sent(); }

private:
    void gather() {
        fold_.finish();
        gathered_.start();
        is_folded_ = true;
    }

    share_fold fold_;
    messages gathered_;
    bool is_folded_ = false;
};

class parted_fold final : public collective {
public:
    parted_fold(const exchange_settings& s, const block_owners& who, const std::vector<array>& from,
                const std::vector<array>& to, const share_of_places& shares, const array& mine,
                fold how, const distribution& places)
        : fold_(s, who, from, shares, mine, how) {
        std::int64_t before = 0;
        for (std::size_t k = 0; k < to.size(); ++k) {
            const std::int64_t count = places.of(who.first(who.rank) + static_cast<int>(k));
            if (to[k].size() > 0)
                parts_.emplace_back(mpi::part_of(mine, shares.axis, before, count), to[k]);
            before += count;
        }
    }

    void start() override { fold_.start(); }
    void poll() override { fold_.poll(); }
    void finish() override {
        fold_.finish();
        for (auto& [mine, block] : parts_) copy_elements(mine, block);
    }
    std::int64_t sent() const override { return fold_.bytes_sent(); }

private:
    share_fold fold_;
    std::vector<std::pair<array, array>> parts_;
};

/// Of the places of blocks, those of ranks.
distribution joined_places(const block_owners& who, const distribution& places) {
    distribution d;
    for (int r = 0; r < who.ranks(); ++r)
        d.counts.push_back(places.before(who.end(r)) - places.before(who.first(r)));
    return d;
}

}  // namespace

std::unique_ptr<collective> fold_blocks(const exchange_settings& s, const block_owners& who,
                                        const std::vector<array>& from, const array& to, fold how) {
    const share_of_elements shares(balanced(static_cast<std::int64_t>(to.size()), who.ranks()));
    return std::make_unique<whole_fold>(s, who, from, to, shares, how);
}

std::unique_ptr<collective> fold_and_part_blocks(const exchange_settings& s,
                                                 const block_owners& who,
                                                 const std::vector<array>& from,
                                                 const std::vector<array>& to, std::size_t axis,
                                                 fold how, const distribution& places) {
    const share_of_places shares(axis, joined_places(who, places));
    std::vector<std::size_t> extents;
    element type = element::f64;
    if (!from.empty()) {
        extents.assign(from.front().extents().begin(), from.front().extents().end());
        type = from.front().type();
    } else {
        extents.assign(axis + 1, 0);
    }
    extents[axis] = static_cast<std::size_t>(shares.places.of(who.rank));
    return std::make_unique<parted_fold>(s, who, from, to, shares, array(type, extents), how,
                                         places);
}

std::unique_ptr<collective> gather_blocks(const exchange_settings& s, const block_owners& who,
                                          const std::vector<array>& from, const array& to,
                                          std::size_t axis, const distribution& places) {
    auto made = std::make_unique<block_messages>(s);
    for (int b = 0; b < who.blocks(); ++b) {
        const array there = part_of(to, axis, places.before(b), places.of(b));
        const int owner = who.owner(b);
        if (owner != who.rank) {
            made->list.receive(owner, there);
            continue;
        }
        const array& mine = from[at(b - who.first(owner))];
        made->list.copy(mine, there);
        for (int r = 0; r < who.ranks(); ++r)
            if (r != owner) made->list.send(r, mine);
    }
    return made;
}

std::unique_ptr<collective> own_places_of_blocks(const block_owners& who,
                                                 const std::vector<array>& from,
                                                 const std::vector<array>& to,
                                                 const distribution& places) {
    auto made = std::make_unique<blocks_alone>();
    for (std::size_t k = 0; k < from.size(); ++k)
        made->list.push_back(
            own_places(who.first(who.rank) + static_cast<int>(k), from[k], to[k], places));
    return made;
}

std::unique_ptr<collective> neighbours_of_blocks(const exchange_settings& s,
                                                 const block_owners& who,
                                                 const std::vector<array>& from,
                                                 const std::vector<array>& to, std::size_t axis,
                                                 const distribution& places,
                                                 const std::vector<window>& windows) {
    auto made = std::make_unique<block_messages>(s);
    const int first = who.first(who.rank);
    for (int b = 0; b < who.blocks(); ++b) {
        const int reader = who.owner(b);
        for (const window_part& p : window_parts(windows[at(b)], places)) {
            const int owner = who.owner(p.owner);
            if (reader != who.rank && owner != who.rank) continue;
            const auto here = [&] { return part_of(to[at(b - first)], axis, p.at, p.count); };
            if (owner != who.rank) {
                made->list.receive(owner, here());
                continue;
            }
            const array mine =
                part_of(from[at(p.owner - first)], axis, p.place - places.before(p.owner), p.count);
            if (reader == who.rank) made->list.copy(mine, here());
            else made->list.send(reader, mine);
        }
    }
    return made;
}

}  // namespace ricci::mpi
