// Codes of one column -> bit planes, rows in class order.
#include "strata.hpp"

#include <algorithm>
#include <cstring>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace paclearn {
namespace {

constexpr std::size_t kWordsTogether = 8;

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

// Words of as many stretches of rows, side by side.
typedef Word WordRow __attribute__((vector_size(kWordsTogether * sizeof(Word)), may_alias));

// Row r, bit c <-> row c, bit r, in every stretch: halves of all sizes change places.
void transpose(WordRow* rows) {
    Word mask = 0x00000000ffffffff;
    for (std::size_t half = kWordBits / 2; half != 0; half /= 2, mask ^= mask << half)
        for (std::size_t block = 0; block < kWordBits; block += 2 * half)
            for (std::size_t r = block; r < block + half; ++r) {
                const WordRow moved = ((rows[r] >> half) ^ rows[r + half]) & mask;
                rows[r] ^= moved << half;
                rows[r + half] ^= moved;
            }
}

// A matrix of codes that is stored row by row, and where its columns hold which code, as planes of n_words each.
class RowMatrix {
public:
    RowMatrix(const std::uint8_t* codes, std::size_t n_rows, const std::vector<std::int64_t>& sizes)
        : codes_(codes), n_rows_(n_rows), sizes_(sizes), n_words_(n_rows / kWordBits + 1),
          n_blocks_((sizes.size() + kWordBits - 1) / kWordBits), blocks_(n_blocks_ * kWordBits * kWordsTogether) {
        for (const std::int64_t size : sizes) first_plane_.push_back(first_plane_.back() + size - 1);
    }

    std::size_t n_planes() const { return static_cast<std::size_t>(first_plane_.back()); }

    // A few rows at a time, and those in the order of memory.
    void find_codes(Word* found) {
        const std::int64_t most = *std::max_element(sizes_.begin(), sizes_.end());
        for (std::size_t word = 0; word < n_words_; word += kWordsTogether)
            for (std::int64_t code = 1; code < most; ++code) {
                read_rows(word, static_cast<std::uint8_t>(code));
                for (std::size_t b = 0; b < n_blocks_; ++b) transpose(block(b));
                write_columns(word, code, found);
            }
    }

private:
    WordRow* block(std::size_t b) { return reinterpret_cast<WordRow*>(blocks_.data()) + b * kWordBits; }

    // One bit for each of 64 columns of a row: does it hold this code?
    void read_rows(std::size_t word, std::uint8_t code) {
        const std::size_t begin = word * kWordBits, end = std::min(n_rows_, begin + kWordsTogether * kWordBits);
        const std::size_t d = sizes_.size(), n_whole = d / kWordBits;
        std::uint8_t rest[kWordBits] = {};  // no plane is for code 0
        for (std::size_t r = begin; r < end; ++r) {
            const std::uint8_t* row = codes_ + r * d;
            for (std::size_t b = 0; b < n_whole; ++b)
                block(b)[r % kWordBits][(r - begin) / kWordBits] = which_are(row + b * kWordBits, code);
            if (n_whole == n_blocks_) continue;
            std::memcpy(rest, row + n_whole * kWordBits, d - n_whole * kWordBits);
            block(n_whole)[r % kWordBits][(r - begin) / kWordBits] = which_are(rest, code);
        }
        for (std::size_t r = end; r < begin + kWordsTogether * kWordBits; ++r)
            for (std::size_t b = 0; b < n_blocks_; ++b) block(b)[r % kWordBits][(r - begin) / kWordBits] = 0;
    }

    void write_columns(std::size_t word, std::int64_t code, Word* found) {
        const std::size_t n = std::min(kWordsTogether, n_words_ - word);
        for (std::size_t c = 0; c < sizes_.size(); ++c) {
            if (code >= sizes_[c]) continue;
            Word* out = found + static_cast<std::size_t>(first_plane_[c] + code - 1) * n_words_ + word;
            for (std::size_t w = 0; w < n; ++w) out[w] = block(0)[c][w];
        }
    }

    const std::uint8_t* codes_;
    std::size_t n_rows_;
    const std::vector<std::int64_t>& sizes_;
    std::size_t n_words_, n_blocks_;
    LineBuffer<Word> blocks_;
    std::vector<std::int64_t> first_plane_{0};
};

// Draws the rows of each class together, for a few planes at a time: no row is touched by itself.
class ClassSqueezer {
public:
    ClassSqueezer(const Word* class_masks, const std::vector<ClassRange>& classes, std::size_t n_words)
        : masks_(class_masks), classes_(classes), n_words_(n_words), room_(n_words + 1), squeezed_(kTogether * room_) {}

    // From planes of `stride` words with the rows as they are to planes of `words_per_plane` words.
    void operator()(const Word* found, std::size_t stride, std::size_t n_planes, std::size_t words_per_plane,
                    Word* planes) {
        for (std::size_t p = 0; p < n_planes; p += kTogether)
            squeeze_some(found + p * stride, stride, std::min(kTogether, n_planes - p), words_per_plane,
                         planes + p * words_per_plane);
    }

private:
    static constexpr std::size_t kTogether = 4;

    void squeeze_some(const Word* found, std::size_t stride, std::size_t n_planes, std::size_t words_per_plane,
                      Word* planes) {
        const std::size_t n_words = std::min(n_words_, stride);  // the last word of a mask may have no rows
        for (std::size_t c = 0; c < classes_.size(); ++c) {
            instruction_set().squeeze({found, stride, n_planes, masks_ + c * n_words_, n_words, squeezed_.data(), room_});
            const std::size_t filled = (classes_[c].n_rows + kWordBits - 1) / kWordBits;
            for (std::size_t p = 0; p < n_planes; ++p)
                std::copy_n(&squeezed_[p * room_], filled, planes + p * words_per_plane + classes_[c].first_word);
        }
    }

    const Word* masks_;
    const std::vector<ClassRange>& classes_;
    std::size_t n_words_, room_;
    std::vector<Word> squeezed_;
};

}  // namespace

bool pack_by_squeezing(const std::uint8_t* codes, std::size_t n_rows, const Word* class_masks,
                       const std::vector<ClassRange>& classes, std::size_t n_planes, std::size_t words_per_plane,
                       Word* planes) {
    if (!instruction_set().compacts) return false;
    const std::size_t n_words = n_rows / kWordBits + 1;
    std::vector<Word> found(n_planes * n_words);
    for (std::size_t p = 0; p < n_planes; ++p)
        find_code(codes, n_rows, static_cast<std::uint8_t>(p + 1), &found[p * n_words]);
    ClassSqueezer(class_masks, classes, n_words)(found.data(), n_words, n_planes, words_per_plane, planes);
    return true;
}

bool pack_rows(const std::uint8_t* codes, std::size_t n_rows, const std::vector<std::int64_t>& sizes,
               const Word* class_masks, const std::vector<ClassRange>& classes, std::size_t words_per_plane,
               Word* planes) {
    if (!instruction_set().compacts) return false;
    const std::size_t n_words = n_rows / kWordBits + 1;
    RowMatrix matrix(codes, n_rows, sizes);
    LineBuffer<Word> found(matrix.n_planes() * n_words);
    matrix.find_codes(found.data());
    ClassSqueezer(class_masks, classes, n_words)(found.data(), n_words, matrix.n_planes(), words_per_plane,
                                                     planes);
    return true;
}

bool sort_planes(const Word* unsorted, std::size_t stride, std::size_t n_planes, std::size_t n_rows,
                 const Word* class_masks, const std::vector<ClassRange>& classes, std::size_t words_per_plane,
                 Word* planes) {
    if (!instruction_set().compacts) return false;
    ClassSqueezer(class_masks, classes, n_rows / kWordBits + 1)(unsorted, stride, n_planes, words_per_plane, planes);
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
