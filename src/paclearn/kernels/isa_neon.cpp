// 64-bit ARM: the bits of sixteen bytes are counted by one instruction.
#include <arm_neon.h>

#include "isa_common.hpp"

namespace paclearn {
namespace {

std::uint32_t shared_bits(const Word* a, const Word* b, std::size_t n) {
    uint64x2_t total = vdupq_n_u64(0);
    for (std::size_t w = 0; w < n; w += 2) {
        const uint8x16_t both = vreinterpretq_u8_u64(vandq_u64(vld1q_u64(a + w), vld1q_u64(b + w)));
        total = vpadalq_u32(total, vpaddlq_u16(vpaddlq_u8(vcntq_u8(both))));
    }
    return static_cast<std::uint32_t>(vgetq_lane_u64(total, 0) + vgetq_lane_u64(total, 1));
}

}  // namespace

const InstructionSet neon_set{"neon", false, count_pairs_with<PairTile<shared_bits>>, clear_unmarked, score_row, popcount_of_and, quality_row,
                               sum_pairs_with<PlainSums>, bound_row, widen_words, add_masked_with<PlainLanes>};

}  // namespace paclearn
