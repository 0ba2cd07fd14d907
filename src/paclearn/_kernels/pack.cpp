// Codes of one column -> bit planes, rows in class order.
#include "isa.hpp"

#include <algorithm>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace paclearn {
namespace {

// One bit for each of 64 codes: is it this one?
Word which_are(const std::uint8_t* codes, std::uint8_t code) {
#if defined(__SSE2__)
    const __m128i wanted = _mm_set1_epi8(static_cast<char>(code));
    Word word = 0;
    for (int i = 0; i < 4; ++i) {
        const __m128i found = _mm_cmpeq_epi8(_mm_loadu_si128(reinterpret_cast<const __m128i*>(codes + 16 * i)), wanted);
        word |= static_cast<Word>(static_cast<unsigned>(_mm_movemask_epi8(found))) << (16 * i);
    }
    return word;
#else
    Word word = 0;
    for (std::size_t i = 0; i < kWordBits; ++i) word |= static_cast<Word>(codes[i] == code) << i;
    return word;
#endif
}

void find_code(const std::uint8_t* codes, std::size_t n_rows, std::uint8_t code, Word* found) {
    const std::size_t whole = n_rows / kWordBits;
    for (std::size_t w = 0; w < whole; ++w) found[w] = which_are(codes + w * kWordBits, code);
    Word rest = 0;
    for (std::size_t i = whole * kWordBits; i < n_rows; ++i)
        rest |= static_cast<Word>(codes[i] == code) << (i % kWordBits);
    found[whole] = rest;
}

}  // namespace

// Find a code in all rows, 64 at a time, then draw the rows of each class together: no row is touched by itself.
bool pack_by_squeezing(const std::uint8_t* codes, std::size_t n_rows, const Word* class_masks,
                       const std::vector<ClassRange>& classes, std::size_t n_planes, std::size_t words_per_plane,
                       Word* planes) {
    const InstructionSet& isa = instruction_set();
    if (!isa.compacts) return false;
    const std::size_t n_words = n_rows / kWordBits + 1, room = n_words + 1;
    std::vector<Word> found(n_planes * n_words), squeezed(n_planes * room);
    for (std::size_t p = 0; p < n_planes; ++p)
        find_code(codes, n_rows, static_cast<std::uint8_t>(p + 1), &found[p * n_words]);
    for (std::size_t c = 0; c < classes.size(); ++c) {
        isa.squeeze({found.data(), n_words, n_planes, class_masks + c * n_words, n_words, squeezed.data(), room});
        const std::size_t filled = (classes[c].n_rows + kWordBits - 1) / kWordBits;
        for (std::size_t p = 0; p < n_planes; ++p)
            std::copy_n(&squeezed[p * room], filled, planes + p * words_per_plane + classes[c].first_word);
    }
    return true;
}

template <class Code>
void pack_codes(const Code* codes, const std::int64_t* order, const std::vector<ClassRange>& classes,
                std::size_t n_planes, std::size_t words_per_plane, Word* planes) {
    for (const ClassRange& range : classes) {
        for (std::size_t r = 0; r < range.n_rows; ++r) {
            const std::size_t code = codes[order[r]];
            // one store a row however many codes there are; code 0 has no plane, and neither has an unseen one
            if (code == 0 || code > n_planes) continue;
            planes[(code - 1) * words_per_plane + range.first_word + r / kWordBits] |= Word{1} << (r % kWordBits);
        }
        order += range.n_rows;
    }
}

template void pack_codes<std::uint8_t>(const std::uint8_t*, const std::int64_t*, const std::vector<ClassRange>&,
                                       std::size_t, std::size_t, Word*);
template void pack_codes<std::uint16_t>(const std::uint16_t*, const std::int64_t*, const std::vector<ClassRange>&,
                                        std::size_t, std::size_t, Word*);

}  // namespace paclearn
