// Recorded programs: attention as it is written in many ways, and the chains of tests/unit/fused.
#include "tests/unit/fused/chains.hpp"
#include "tests/unit/plan/recorded/programs.hpp"

namespace ricci::testing {
namespace {

const std::string layer = R"(
    Q^{hia} = X^{ib} W_Q^{hba}
    K^{hja} = X^{jb} W_K^{hba}
    V^{hjc} = X^{jb} W_V^{hbc}
    S^{hij} = \frac{1}{\sqrt{d_k}} Q^{hia} K^{hja}
    A^{hij} = \frac{\exp(S^{hij})}{\sum_{j'} \exp(S^{hij'})}
    O^{hic} = A^{hij} V^{hjc}
    Y^{id}  = O^{hic} W_O^{hcd}
)";
const std::string of_layer =
    "X 512x256; W_Q 4x256x64; W_K 4x256x64; W_V 4x256x64; W_O 4x64x256; d_k = 64";
const std::string small_layer = "X 5x12; W_Q 2x12x5; W_K 2x12x5; W_V 2x12x6; W_O 2x6x12; d_k = 4";

const std::string in_one = R"(
    O^{hic} = \operatorname{softmax}_j(\frac{1}{\sqrt{d_k}} Q^{hia} K^{hja}) V^{hjc}
)";
const std::string in_three = R"(
    S^{hij} = \frac{1}{\sqrt{d_k}} Q^{hia} K^{hja}
    A^{hij} = \operatorname{softmax}_j(S^{hij})
    O^{hic} = A^{hij} V^{hjc}
)";
const std::string in_five = R"(
    S^{hij} = \frac{1}{\sqrt{d_k}} Q^{hia} K^{hja}
    E^{hij} = \exp(S^{hij})
    Z^{hi}  = \sum_j E^{hij}
    A^{hij} = \frac{E^{hij}}{Z^{hi}}
    O^{hic} = A^{hij} V^{hjc}
)";
const std::string with_maximum = R"(
    S^{hij} = \frac{1}{\sqrt{d_k}} Q^{hia} K^{hja}
    m^{hi}  = \max_j S^{hij}
    E^{hij} = \exp(S^{hij} - m^{hi})
    A^{hij} = \frac{E^{hij}}{\sum_{j'} E^{hij'}}
    O^{hic} = A^{hij} V^{hjc}
)";
const std::string divided_last = R"(
    S^{hij} = \frac{1}{\sqrt{d_k}} Q^{hia} K^{hja}
    E^{hij} = \exp(S^{hij})
    O^{hic} = \frac{E^{hij} V^{hjc}}{\sum_{j'} E^{hij'}}
)";
const std::string causal = R"(
    S^{bhij} = \frac{1}{\sqrt{d_k}} Q^{bhia} K^{bhja}
    M^{bhij} = \begin{cases} S^{bhij} & \text{if } j \le i \\ -\infty & \text{otherwise} \end{cases}
    A^{bhij} = \operatorname{softmax}_j(M^{bhij})
    O^{bhic} = A^{bhij} V^{bhjc}
)";
const std::string alibi = R"(
    S^{hij} = \frac{1}{\sqrt{d_k}} Q^{hia} K^{hja} - m^h |i - j|
    A^{hij} = \operatorname{softmax}_j(S^{hij})
    O^{hic} = A^{hij} V^{hjc}
)";
const std::string lengths = R"(
    S^{bhij} = \frac{1}{\sqrt{d_k}} Q^{bhia} K^{bhja}
    M^{bhij} = \begin{cases} S^{bhij} & \text{if } j < n^b \\ -\infty & \text{otherwise} \end{cases}
    A^{bhij} = \operatorname{softmax}_j(M^{bhij})
    O^{bhic} = A^{bhij} V^{bhjc}
)";
const std::string grouped = R"(
    S^{hgij} = \frac{1}{\sqrt{d_k}} Q^{hgia} K^{hja}
    M^{hgij} = \begin{cases} S^{hgij} & \text{if } j \le i \\ -\infty & \text{otherwise} \end{cases}
    A^{hgij} = \operatorname{softmax}_j(M^{hgij})
    O^{hgic} = A^{hgij} V^{hjc}
    Y^{id} = O^{hgic} W_O^{hgcd}
)";
const std::string cross = R"(
    Q^{hia} = X^{ib} W_Q^{hba}
    K^{hja} = C^{jb} W_K^{hba}
    V^{hjc} = C^{jb} W_V^{hbc}
    A^{hij} = \operatorname{softmax}_j(\frac{1}{\sqrt{d_k}} Q^{hia} K^{hja})
    Y^{id}  = A^{hij} V^{hjc} W_O^{hcd}
)";
const std::string one_query = R"(
    q^{ha} = x^b W_Q^{hba}
    s^{hj} = \frac{1}{\sqrt{d_k}} q^{ha} K^{hja}
    a^{hj} = \operatorname{softmax}_j(s^{hj})
    o^{hc} = a^{hj} V^{hjc}
    y^d = o^{hc} W_O^{hcd}
)";
const std::string difference = R"(
    A^{hij} = \operatorname{softmax}_j(\frac{1}{\sqrt{d_k}} Q^{hia} K^{hja})
    B^{hij} = \operatorname{softmax}_j(\frac{1}{\sqrt{d_k}} P^{hia} R^{hja})
    O^{hic} = (A^{hij} - \lambda B^{hij}) V^{hjc}
)";
const std::string block = R"(
    \mu^i = \operatorname{mean}_b X^{ib}
    v^i = \operatorname{mean}_b ((X^{ib} - \mu^i)^2)
    N^{ib} = \gamma^b \frac{X^{ib} - \mu^i}{\sqrt{v^i + 0.00001}} + \beta^b
    Q^{hia} = N^{ib} W_Q^{hba} + b_Q^{ha}
    K^{hja} = N^{jb} W_K^{hba} + b_K^{ha}
    V^{hjc} = N^{jb} W_V^{hbc} + b_V^{hc}
    S^{hij} = \frac{1}{8} Q^{hia} K^{hja}
    M^{hij} = \begin{cases} S^{hij} & \text{if } j \le i \\ -\infty & \text{otherwise} \end{cases}
    A^{hij} = \operatorname{softmax}_j(M^{hij})
    O^{hic} = A^{hij} V^{hjc}
    H^{ib} = X^{ib} + O^{hic} W_O^{hcb} + b_O^b
    G^{if} = \operatorname{gelu}(H^{ib} W_U^{bf} + b_U^f)
    Y^{ib} = H^{ib} + G^{if} W_D^{fb} + b_D^b
)";
const std::string linear = R"(
    \phi(x) = \operatorname{elu}(x) + 1
    q^{hia} = \phi(Q^{hia})
    k^{hja} = \phi(K^{hja})
    O^{hic} = \frac{q^{hia} k^{hja} V^{hjc}}{\sum_{j',b} q^{hib} k^{hj'b}}
)";
const std::string causal_linear = R"(
    S^{hij} = [j \le i] Q^{hia} K^{hja}
    O^{hic} = S^{hij} V^{hjc}
)";
const std::string causal_by_blocks = R"(
    O^{hic} = \sum_{j \le i} Q^{hia} K^{hja} V^{hjc}
)";

const std::string middle = "h=4 i=256 j=320 a=64 c=48";
const std::string batched = "b=2 h=3 i=192 j=192 a=64 c=64";

}  // namespace

std::vector<recorded_program> attention_programs() {
    const std::string d = "d_k = 64";
    std::vector<recorded_program> list = {
        {"a layer", layer, "", of_layer},
        {"a layer of the readme's sizes", layer, "",
         "X 1024x512; W_Q 8x512x64; W_K 8x512x64; W_V 8x512x64; W_O 8x64x512; d_k = 64"},
        {"a layer in double", layer, "", of_layer, "", "", "", "", element::f64},
        {"a small layer", layer, "", small_layer},
        {"a layer, one head", layer, "",
         "X 256x64; W_Q 1x64x64; W_K 1x64x64; W_V 1x64x64; W_O 1x64x64; d_k = 64"},
        {"a layer, one row", layer, "",
         "X 1x256; W_Q 4x256x64; W_K 4x256x64; W_V 4x256x64; W_O 4x64x256; d_k = 64"},
        {"a layer, A kept", layer, "", of_layer, "", "A"},
        {"a layer, S and O kept", layer, "", of_layer, "", "S O"},
        {"a layer, value and all gradients", layer, "", of_layer, "both Y X W_Q W_K W_V W_O"},
        {"a layer, gradients of two weights", layer, "", of_layer, "gradient Y W_Q W_O"},
        {"a layer, gradient of X", layer, "", of_layer, "gradient Y X"},
        {"a small layer, value and all gradients", layer, "", small_layer,
         "both Y X W_Q W_K W_V W_O"},
        {"a layer, tangent of W_Q", layer, "", of_layer, "tangent W_Q"},
        {"softmax in one equation", in_one, middle, d},
        {"softmax in one equation, gradients", in_one, middle, d, "both O Q K V"},
        {"softmax in three equations", in_three, middle, d},
        {"softmax in three equations, gradients", in_three, middle, d, "both O Q K V"},
        {"softmax in three equations, gradient by V", in_three, middle, d, "gradient O V"},
        {"softmax in three equations, gradient by Q", in_three, middle, d, "gradient O Q"},
        {"softmax in three equations, gradient by Q, A kept", in_three, middle, d, "both O Q", "A"},
        {"softmax in five equations", in_five, middle, d},
        {"softmax in five equations, gradients", in_five, middle, d, "both O Q K V"},
        {"softmax with its maximum", with_maximum, middle, d},
        {"softmax with its maximum, gradients", with_maximum, middle, d, "both O Q K V"},
        {"softmax divided last", divided_last, middle, d},
        {"softmax divided last, gradients", divided_last, middle, d, "both O Q K V"},
        {"attention, tangent of K", in_three, middle, d, "tangent K"},
        {"attention, second order", in_three, "h=2 i=64 j=80 a=16 c=16", d,
         "gradient O Q; gradient dL/dQ K"},
        {"attention, gradient along a tangent", in_three, "h=2 i=64 j=80 a=16 c=16", d,
         "gradient O Q; tangent Q"},
        {"attention with extents of 1", causal, "b=1 h=1 i=256 j=256 a=64 c=64", d},
        {"attention with extents of 1, gradients", causal, "b=1 h=1 i=256 j=256 a=64 c=64", d,
         "both O Q K V"},
        {"attention with one value", in_three, "h=2 i=128 j=128 a=32 c=1", d},
        {"attention over one key", in_three, "h=2 i=128 j=1 a=32 c=16", d},
        {"attention of one query", in_three, "h=2 i=1 j=512 a=64 c=64", d},
        {"attention without keys", in_three, "h=2 i=16 j=0 a=8 c=8", d},
        {"attention of keys wider than a block", in_three, "h=1 i=128 j=512 a=320 c=64", d},
        {"attention of values wider than a block", in_three, "h=1 i=128 j=1024 a=64 c=640", d},
        {"causal", causal, batched, d},
        {"causal, gradients", causal, batched, d, "both O Q K V"},
        {"ALiBi", alibi, middle, d + "; m 4"},
        {"ALiBi, gradients", alibi, middle, d + "; m 4", "both O Q K V"},
        {"lengths", lengths, batched, d + "; n i32 2 <193"},
        {"lengths, gradients", lengths, batched, d + "; n i32 2 <193", "both O Q K V"},
        {"groups of queries, a projection", grouped, "h=2 g=3 i=128 j=128 a=32 c=32 d=96", d},
        {"groups of queries, a projection, gradients", grouped,
         "h=2 g=3 i=128 j=128 a=32 c=32 d=96", d, "both Y Q K V W_O"},
        {"cross attention", cross, "h=4 i=192 j=320 a=32 c=32 b=128 d=128", d},
        {"cross attention, gradients", cross, "h=4 i=192 j=320 a=32 c=32 b=128 d=128", d,
         "both Y X C W_Q W_K W_V W_O"},
        {"decoding", one_query, "h=8 j=1024 a=64 c=64 b=512 d=512", d},
        {"decoding, gradients", one_query, "h=8 j=1024 a=64 c=64 b=512 d=512", d,
         "both y x K V W_Q"},
        {"a difference of two", difference, middle, d},
        {"a difference of two, gradients", difference, middle, d, "both O Q K P R V \\lambda"},
        {"a block of a transformer", block, "i=128 h=4 a=64 c=64 b=256 d=256 f=512", "X 128x256"},
        {"a block of a transformer, gradients", block, "i=128 h=4 a=64 c=64 b=256 d=256 f=512",
         "X 128x256", "both Y X W_Q W_K W_V W_O W_U W_D b_Q \\gamma"},
        {"linear attention", linear, "h=4 i=256 j=256 a=32 b=32 c=48"},
        {"linear attention, gradients", linear, "h=4 i=256 j=256 a=32 b=32 c=48", "",
         "both O Q K V"},
        {"causal linear attention", causal_linear, "h=4 i=256 j=256 a=32 b=32 c=48"},
        {"causal linear attention, gradients", causal_linear, "h=4 i=256 j=256 a=32 b=32 c=48", "",
         "both O Q K V"},
        {"causal linear attention by blocks", causal_by_blocks, "h=4 i=1000 j=1000 a=32 c=48"},
        {"causal linear attention by blocks, gradients", causal_by_blocks,
         "h=4 i=1000 j=1000 a=32 c=48", "", "both O Q K V"},
        {"attention added to an output", in_three, middle, d + "; O 4x256x48", "", "", "O", "",
         element::f32, 2, 1},
        {"attention in half precision", in_three, middle, d, "", "", "", "", element::bf16},
    };
    return list;
}

std::vector<recorded_program> chain_programs() {
    std::vector<recorded_program> list;
    const std::string letters = "h=2 g=3 i=128 j=192 a=32 c=48 b=3 d=3 k=3";
    for (const auto& c : chains()) {
        const std::string operands = "b 319; n i32 2 <193; t = 1.7";
        list.push_back({std::string("chain, ") + c.name, c.text, letters, operands});
        list.push_back({std::string("chain, ") + c.name + ", gradients", c.text, letters, operands,
                        "both O Q K V"});
    }
    return list;
}

std::vector<recorded_program> recorded_programs() {
    std::vector<recorded_program> all = attention_programs();
    for (auto* const more : {&chain_programs, &pair_programs, &other_programs, &corpus_programs})
        for (auto& program : (*more)()) all.push_back(std::move(program));
    return all;
}

}  // namespace ricci::testing
