// Rows without a mark leave: the bits of each word that the mask marks are gathered and strung together.
#pragma once

#include <immintrin.h>

#include "isa.hpp"

namespace paclearn {
namespace {

// What depends on the mask alone is worked out once for `kPlanes` planes, and their chains of shifts overlap.
// No branch depends on the data: half of all words fill up another one, and no processor guesses which.
template <std::size_t kPlanes>
inline void squeeze_planes(const Word* planes, const Squeeze& task, Word* out) {
    Word open[kPlanes] = {};
    unsigned filled = 0;
    for (std::size_t w = 0; w < task.n_words; ++w) {
        const Word mask = task.mask[w];
        const unsigned now_filled = filled + static_cast<unsigned>(__builtin_popcountll(mask));
        const bool full = now_filled >= kWordBits;
#pragma GCC unroll 4
        for (std::size_t p = 0; p < kPlanes; ++p) {
            const Word marked = _pext_u64(planes[p * task.stride + w], mask);
            open[p] |= marked << filled;
            out[p * task.out_stride] = open[p];
            const Word rest = (marked >> 1) >> (63 - filled);
            open[p] = full ? rest : open[p];
        }
        out += full;
        filled = now_filled & 63;
    }
#pragma GCC unroll 4
    for (std::size_t p = 0; p < kPlanes; ++p) out[p * task.out_stride] = open[p];
}

void squeeze(const Squeeze& task) {
    constexpr std::size_t kTogether = 4;
    std::size_t p = 0;
    for (; p + kTogether <= task.n_planes; p += kTogether)
        squeeze_planes<kTogether>(task.planes + p * task.stride, task, task.out + p * task.out_stride);
    for (; p < task.n_planes; ++p) squeeze_planes<1>(task.planes + p * task.stride, task, task.out + p * task.out_stride);
}

}  // namespace
}  // namespace paclearn
