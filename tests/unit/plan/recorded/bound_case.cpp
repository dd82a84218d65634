// How the words of a recorded program become shapes, operands and numbers.
#include "tests/unit/plan/recorded/bound_case.hpp"

#include <algorithm>
#include <complex>
#include <cstring>
#include <random>
#include <sstream>
#include <stdexcept>
#include <utility>

#include "src/plan/make_plan.hpp"
#include "tests/front.hpp"

namespace ricci::testing {
namespace {

std::vector<std::string> split(const std::string& text, char at) {
    std::vector<std::string> parts;
    std::istringstream in(text);
    for (std::string part; std::getline(in, part, at);) {
        const auto first = part.find_first_not_of(' ');
        if (first == std::string::npos) continue;
        parts.push_back(part.substr(first, part.find_last_not_of(' ') - first + 1));
    }
    return parts;
}

element element_named(const std::string& word) {
    if (word == "i32") return element::i32;
    if (word == "i64") return element::i64;
    return element::boolean;
}

std::vector<std::int64_t> row_major(const std::vector<std::int64_t>& extents) {
    std::vector<std::int64_t> strides(extents.size());
    std::int64_t stride = 1;
    for (std::size_t axis = extents.size(); axis-- > 0; stride *= extents[axis])
        strides[axis] = stride;
    return strides;
}

std::size_t count_of(const std::vector<std::int64_t>& extents) {
    std::int64_t count = 1;
    for (const auto e : extents) count *= e;
    return static_cast<std::size_t>(count);
}

/// The tensor that a derivative is one of, or nothing: Q of dL/dQ.
std::string origin_of(const std::string& name) {
    for (const std::string start : {"dL/d", "d/dt "})
        if (name.compare(0, start.size(), start) == 0) return name.substr(start.size());
    return {};
}

template <class T>
void store(std::byte* to, T value) {
    std::memcpy(to, &value, sizeof value);
}

void store(std::byte* to, element type, double value) {
    switch (type) {
        case element::f32:
            return store(to, static_cast<float>(value));
        case element::f64:
            return store(to, value);
        case element::i32:
            return store(to, static_cast<std::int32_t>(value));
        case element::i64:
            return store(to, static_cast<std::int64_t>(value));
        case element::bf16:
            return store(to, engine::number(value).as<bf16>());
        case element::f16:
            return store(to, engine::number(value).as<f16>());
        case element::c64:
            return store(to, std::complex<float>(static_cast<float>(value), 0.5f));
        case element::c128:
            return store(to, std::complex<double>(value, 0.5));
        case element::boolean:
            return store(to, value != 0);
    }
}

}  // namespace

bound_case::bound_case(const recorded_program& which, unsigned seed) : which_(which), seed_(seed) {
    read(which);
    find_shapes();
    for (const auto& how : split(which.derived, ';')) {
        add_shapes_of_plan();
        derive(how);
        find_shapes();
    }
    for (const auto& word : split(which.kept, ' ')) program_.names[find(word)].kept = true;
}

std::string bound_case::name(ir::ref n) const {
    const auto text = program_.view().name(n);
    return {text.begin(), text.end()};
}

ir::ref bound_case::find(const std::string& name) const {
    const ir::ref n = program_.view().find({name.data(), static_cast<std::int32_t>(name.size())});
    if (n == ir::none) throw std::logic_error(which_.name + ": nothing is called " + name);
    return n;
}

void bound_case::read(const recorded_program& which) {
    try {
        program_ = program_of(read_equations(which.text));
    } catch (const std::logic_error& e) {
        throw std::logic_error(which.name + ": " + e.what());
    }
    for (const auto& word : split(which.letters, ' ')) {
        const auto equal = word.find('=');
        letters_[word.substr(0, equal)] = std::stoll(word.substr(equal + 1));
    }
    for (const auto& item : split(which.operands, ';')) {
        const auto words = split(item, ' ');
        if (words.size() == 3 && words[1] == "=") {
            numbers_[words[0]] = std::stod(words[2]);
            continue;
        }
        tensor& x = tensors_.try_emplace(words[0], tensor{{}, {}, which.type}).first->second;
        for (std::size_t k = 1; k < words.size(); ++k) {
            const char first = words[k][0];
            if (first == '<') {
                x.below = std::stoll(words[k].substr(1));
            } else if (first >= '0' && first <= '9') {
                for (const auto& extent : split(words[k], 'x'))
                    x.extents.push_back(std::stoll(extent));
            } else {
                x.type = element_named(words[k]);
                x.whole = true;
            }
        }
    }
}

void bound_case::derive(const std::string& how) {
    auto words = split(how, ' ');
    const std::string what = words.front();
    words.erase(words.begin());
    const std::string of = words.front();
    try {
        if (what == "tangent") {
            program_ = program_of(tangent_of(program_, of));
        } else {
            words.erase(words.begin());
            program_ = program_of(gradient_of(program_, of, words, what == "both"));
        }
    } catch (const std::logic_error& e) {
        throw std::logic_error(which_.name + ": " + e.what());
    }
}

/// What the program defines so far, with every intermediate stored, so that derivatives by it have
/// shapes.
void bound_case::add_shapes_of_plan() {
    const auto plan = plan::make_plan(request(false));
    for (const auto& s : plan.slots)
        if (s.name != ir::none && s.kind != plan::storage::unused) known_[name(s.name)] = s.extents;
}

/// False where a position is no index whose extent is known.
bool bound_case::shape_of_use(const ir::node& use, shape& extents) const {
    const ir::program_view p = program_.view();
    extents.clear();
    for (std::int32_t k = 0; k < use.positions.count; ++k) {
        const ir::position& at = p.at(use.positions, k);
        if (at.kind != ir::position_kind::index) return false;
        auto letter = p.index(at.index);
        while (letter[letter.size - 1] == '\'') --letter.size;
        const auto found = letters_.find({letter.begin(), letter.end()});
        if (found == letters_.end()) return false;
        extents.push_back(found->second);
    }
    return true;
}

/// Shapes of all inputs that were not given one.
void bound_case::find_shapes() {
    const ir::program_view p = program_.view();
    for (const ir::node& use : p.nodes) {
        if (use.kind != ir::op::tensor || p.definition(use.name) != ir::none) continue;
        const std::string spelled = name(use.name);
        if (numbers_.count(spelled) > 0) continue;
        const auto given = tensors_.find(spelled);
        if (given != tensors_.end() && !given->second.extents.empty()) continue;
        const auto derived = known_.find(origin_of(spelled));
        shape extents;
        if (derived != known_.end()) extents = derived->second;
        else if (!shape_of_use(use, extents)) continue;
        if (extents.empty() && given == tensors_.end() && derived == known_.end()) {
            numbers_[spelled] = 1.7;
            continue;
        }
        tensors_.try_emplace(spelled, tensor{{}, {}, which_.type}).first->second.extents = extents;
    }
    for (auto& [spelled, x] : tensors_) x.strides = row_major(x.extents);
    // What says places is a tensor of whole numbers, below the extent of the axis.
    for (const ir::node& use : p.nodes)
        for (std::int32_t k = 0; use.kind == ir::op::tensor && k < use.positions.count; ++k) {
            const ir::position& at = p.at(use.positions, k);
            if (at.kind != ir::position_kind::gathered) continue;
            const auto places = tensors_.find(name(p.nodes[p.child(use, at.offset)].name));
            const auto axes = tensors_.find(name(use.name));
            if (places == tensors_.end() || axes == tensors_.end()) continue;
            if (!places->second.whole) places->second.type = element::i32;
            places->second.whole = true;
            if (places->second.below == 0)
                places->second.below = axes->second.extents[static_cast<std::size_t>(k)];
        }
}

engine::operand bound_case::operand_of(ir::ref n, const tensor& x, bool with_memory) const {
    engine::operand o;
    o.name = n;
    o.rank = static_cast<std::int32_t>(x.extents.size());
    o.extents = x.extents.data();
    o.strides = x.strides.data();
    o.is_positions = x.whole && x.type != which_.type;
    o.positions = x.type;
    o.shape_only = !with_memory;
    if (with_memory) o.data = const_cast<std::byte*>(x.memory.data());
    return o;
}

/// Numbers that depend on the name and the seed alone, so that they are the same in every run.
void bound_case::allocate(tensor& x, const std::string& name) {
    if (!x.memory.empty()) return;
    const std::size_t count = count_of(x.extents), size = size_of(x.type);
    x.memory.resize(std::max<std::size_t>(count, 1) * size);
    unsigned seed = seed_;
    for (const char c : name) seed = 31 * seed + static_cast<unsigned char>(c);
    std::mt19937 random(seed);
    for (std::size_t k = 0; k < count; ++k) {
        const unsigned drawn = static_cast<unsigned>(random());
        double value = 0.2 + 0.7 * (drawn >> 8) / (1 << 24);  // where logarithms and roots are
        if (x.type == element::boolean) value = drawn % 2;
        else if (x.below > 0) value = drawn % static_cast<unsigned>(x.below);
        else if (x.whole || is_integer(x.type)) value = drawn % 7;
        store(x.memory.data() + k * size, x.type, value);
    }
}

/// Outputs, each with the tensor in whose memory it is.
std::map<std::string, std::string> bound_case::bound_outputs() const {
    std::map<std::string, std::string> all;
    for (const auto& word : split(which_.bound, ' ')) {
        const auto at = word.find('@');
        const std::string output = word.substr(0, at);
        all[output] = at == std::string::npos ? output : word.substr(at + 1);
    }
    return all;
}

std::map<std::string, std::vector<std::byte>> bound_case::results() const {
    auto all = made_;
    for (const auto& [output, tensor_name] : bound_outputs())
        all[output] = tensors_.at(tensor_name).memory;
    return all;
}

engine::request bound_case::request(bool fuse) { return made(fuse, false); }
engine::request bound_case::request_with_memory() { return made(true, true); }

engine::request bound_case::made(bool fuse, bool with_memory) {
    with_memory = with_memory || !which_.bound.empty();
    inputs_.clear();
    outputs_.clear();
    given_.clear();
    made_.clear();
    const ir::program_view p = program_.view();
    for (ir::ref n = 0; n < p.names.size(); ++n) {
        if (p.definition(n) != ir::none) continue;
        const std::string spelled = name(n);
        if (const auto x = tensors_.find(spelled); x != tensors_.end()) {
            if (with_memory) allocate(x->second, spelled);
            inputs_.push_back(operand_of(n, x->second, with_memory));
        } else if (const auto number = numbers_.find(spelled); number != numbers_.end()) {
            engine::operand o;
            o.name = n;
            o.value = number->second;
            inputs_.push_back(o);
        }
    }
    for (const auto& [output, tensor_name] : bound_outputs()) {
        tensor& x = tensors_.at(tensor_name);
        allocate(x, output);
        outputs_.push_back(operand_of(find(output), x, true));
    }
    for (const auto& word : split(which_.given, ' ')) {
        const auto equal = word.find('=');
        const std::string letter = word.substr(0, equal);
        given_.push_back(
            {program_.intern_index({letter.data(), static_cast<std::int32_t>(letter.size())}),
             std::stoll(word.substr(equal + 1))});
    }
    engine::request r;
    r.program = program_.view();
    r.type = which_.type;
    r.inputs = inputs_.data();
    r.input_count = static_cast<std::int32_t>(inputs_.size());
    r.outputs = outputs_.data();
    r.output_count = static_cast<std::int32_t>(outputs_.size());
    r.index_extents = given_.data();
    r.index_extent_count = static_cast<std::int32_t>(given_.size());
    r.alpha = which_.alpha;
    r.beta = which_.beta;
    r.fuse = fuse;
    r.context = this;
    r.allocate = [](void* self, ir::ref n, std::int32_t rank,
                    const std::int64_t* extents) -> void* {
        auto& me = *static_cast<bound_case*>(self);
        const shape made(extents, extents + rank);
        auto& memory = me.made_[me.name(n)];
        memory.resize(std::max<std::size_t>(count_of(made), 1) * size_of(me.which_.type));
        return memory.data();
    };
    return r;
}

}  // namespace ricci::testing
