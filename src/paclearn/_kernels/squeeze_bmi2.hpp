// Rows without a mark leave: the bits of each word that the mask marks are gathered and strung together.
#pragma once

#include <immintrin.h>

#include "kernels.hpp"

namespace paclearn {
namespace {

// No branch depends on the data: half of all words fill up another one, and no processor guesses which.
void squeeze(const Word* words, const Word* mask, std::size_t n_words, Word* out) {
    Word open = 0;
    unsigned filled = 0;
    for (std::size_t w = 0; w < n_words; ++w) {
        const Word marked = _pext_u64(words[w], mask[w]);
        const unsigned count = static_cast<unsigned>(__builtin_popcountll(mask[w]));
        open |= marked << filled;
        *out = open;
        const Word rest = (marked >> 1) >> (63 - filled);
        filled += count;
        const bool full = filled >= kWordBits;
        out += full;
        open = full ? rest : open;
        filled &= 63;
    }
    *out = open;
}

}  // namespace
}  // namespace paclearn
