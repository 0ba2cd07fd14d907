// Codes -> bits: which of them are this one, 32 at a time. Compiled anew for every processor that squeezes rows; all of them
// have AVX2.
#pragma once

#include <immintrin.h>

#include "isa.hpp"

namespace paclearn {
namespace {

constexpr std::size_t kCodes = 32;
using Codes = __m256i;
PACLEARN_INLINE Codes load_codes(const std::uint8_t* codes) {
    return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(codes));
}
PACLEARN_INLINE Codes larger(Codes x, Codes y) { return _mm256_max_epu8(x, y); }
PACLEARN_INLINE Word which_are(Codes codes, std::uint8_t code) {
    const __m256i found = _mm256_cmpeq_epi8(codes, _mm256_set1_epi8(static_cast<char>(code)));
    return static_cast<unsigned>(_mm256_movemask_epi8(found));
}

// One bit for each of 64 codes: is it this one?
PACLEARN_INLINE Word which_of_word(const std::uint8_t* codes, std::uint8_t code) {
    Word word = 0;
#pragma GCC unroll 2
    for (std::size_t i = 0; i < kWordBits; i += kCodes) word |= which_are(load_codes(codes + i), code) << i;
    return word;
}

// The largest code is known on the way: a register more, and no second look at the codes.
std::uint8_t find_words(const std::uint8_t* codes, std::size_t n_words, std::uint8_t code, Word* found) {
    Codes most{};
    for (std::size_t w = 0; w < n_words; ++w, codes += kWordBits) {
        found[w] = which_of_word(codes, code);
#pragma GCC unroll 2
        for (std::size_t i = 0; i < kWordBits; i += kCodes) most = larger(most, load_codes(codes + i));
    }
    alignas(Codes) std::uint8_t parts[kCodes];
    __builtin_memcpy(parts, &most, kCodes);
    std::uint8_t largest = 0;
    for (const std::uint8_t part : parts) largest = part > largest ? part : largest;
    return largest;
}

// No branch in the loop: a few instructions for many codes.
bool any_beyond(const std::uint8_t* codes, const std::uint8_t* last, std::size_t n) {
    std::uint8_t beyond = 0;
    for (std::size_t i = 0; i < n; ++i)
        beyond |= static_cast<std::uint8_t>((codes[i] > last[i] ? codes[i] : last[i]) ^ last[i]);
    return beyond != 0;
}

typedef Word WordRow __attribute__((vector_size(kLineBytes), may_alias));

// Row r, bit c <-> row c, bit r, in every stretch: halves of all sizes change places.
PACLEARN_INLINE void transpose(WordRow* rows) {
    Word mask = 0x00000000ffffffff;
    for (std::size_t half = kWordBits / 2; half != 0; half /= 2, mask ^= mask << half)
        for (std::size_t block = 0; block < kWordBits; block += 2 * half)
            for (std::size_t r = block; r < block + half; ++r) {
                const WordRow moved = ((rows[r] >> half) ^ rows[r + half]) & mask;
                rows[r] ^= moved << half;
                rows[r + half] ^= moved;
            }
}

// Codes from here on, as far as the table goes: what lies behind a row does no harm, what lies behind the table may.
PACLEARN_INLINE Word which_before(const std::uint8_t* codes, const std::uint8_t* end, std::uint8_t code) {
    if (codes + kWordBits <= end) return which_of_word(codes, code);
    std::uint8_t rest[kWordBits] = {};  // no plane is for code 0
    __builtin_memcpy(rest, codes, static_cast<std::size_t>(end - codes));
    return which_of_word(rest, code);
}

void find_in_rows(const CodeRows& rows) {
    for (std::size_t r = 0; r < rows.n_rows; ++r)
        for (std::size_t b = 0; b < rows.n_blocks; ++b)
            rows.found[(b * kWordBits + r % kWordBits) * kLineWords + r / kWordBits] =
                which_before(rows.codes + r * rows.n_columns + b * kWordBits, rows.end, rows.code);
    for (std::size_t r = rows.n_rows; r < kWordBits * kLineWords; ++r)
        for (std::size_t b = 0; b < rows.n_blocks; ++b)
            rows.found[(b * kWordBits + r % kWordBits) * kLineWords + r / kWordBits] = 0;
    for (std::size_t b = 0; b < rows.n_blocks; ++b) transpose(reinterpret_cast<WordRow*>(rows.found) + b * kWordBits);
}

}  // namespace
}  // namespace paclearn
