#include "code_planes.hpp"

#include <algorithm>
#include <cstring>
#include <stdexcept>
#include <string>

#include "interrupt.hpp"
#include "strata.hpp"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace paclearn {
namespace {

constexpr std::size_t kWordsTogether = 8;
constexpr std::size_t kCodesTogether = 4096;

// One bit for each of 64 codes: is it this one?
Word which_are(const std::uint8_t* codes, std::uint8_t code) {
    Word word = 0;
#if defined(__SSE2__)
    const __m128i wanted = _mm_set1_epi8(static_cast<char>(code));
    for (int i = 0; i < 4; ++i) {
        const __m128i found = _mm_cmpeq_epi8(_mm_loadu_si128(reinterpret_cast<const __m128i*>(codes + 16 * i)), wanted);
        word |= static_cast<Word>(static_cast<unsigned>(_mm_movemask_epi8(found))) << (16 * i);
    }
#else
    for (std::size_t i = 0; i < kWordBits; ++i) word |= static_cast<Word>(codes[i] == code) << i;
#endif
    return word;
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

class RowMatrix {
public:
    RowMatrix(const std::uint8_t* codes, std::size_t n_rows, const std::vector<std::size_t>& sizes)
        : codes_(codes), n_rows_(n_rows), sizes_(sizes), n_words_(found_words(n_rows)),
          n_blocks_((sizes.size() + kWordBits - 1) / kWordBits), blocks_(n_blocks_ * kWordBits * kWordsTogether) {
        for (const std::size_t size : sizes) first_plane_.push_back(first_plane_.back() + size - 1);
        last_.resize(std::max<std::size_t>(kCodesTogether / sizes.size(), 1) * sizes.size());
        for (std::size_t i = 0; i < last_.size(); ++i)
            last_[i] = static_cast<std::uint8_t>(std::min<std::size_t>(sizes[i % sizes.size()], 256) - 1);
    }

    // A few rows at a time, and those in the order of memory.
    void find_codes(Word* found) {
        const std::size_t most = *std::max_element(sizes_.begin(), sizes_.end());
        Interrupt interrupt;
        for (std::size_t word = 0; word < n_words_; word += kWordsTogether) {
            interrupt.check();
            for (std::size_t code = 1; code < most; ++code) {
                read_rows(word, static_cast<std::uint8_t>(code));
                for (std::size_t b = 0; b < n_blocks_; ++b) transpose(block(b));
                write_columns(word, code, found);
            }
            // behind the others, who read from afar and compute meanwhile: now the codes are at hand
            expect_known(word * kWordBits, std::min(n_rows_, (word + kWordsTogether) * kWordBits));
        }
    }

private:
    WordRow* block(std::size_t b) { return reinterpret_cast<WordRow*>(blocks_.data()) + b * kWordBits; }

    // Rows whose codes their columns have. No branch in the inner loop.
    void expect_known(std::size_t begin, std::size_t end) const {
        const std::size_t d = sizes_.size();
        for (std::size_t i = begin * d; i < end * d; i += last_.size()) {
            const std::size_t n = std::min(last_.size(), end * d - i);
            std::uint8_t beyond = 0;
            for (std::size_t j = 0; j < n; ++j)
                beyond |= static_cast<std::uint8_t>(std::max(codes_[i + j], last_[j]) ^ last_[j]);
            for (std::size_t j = 0; beyond != 0 && j < n; ++j)
                if (codes_[i + j] > last_[j]) refuse_code(codes_[i + j], sizes_[j % d]);
        }
    }

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

    void write_columns(std::size_t word, std::size_t code, Word* found) {
        const std::size_t n = std::min(kWordsTogether, n_words_ - word);
        for (std::size_t c = 0; c < sizes_.size(); ++c) {
            if (code >= sizes_[c]) continue;
            Word* out = found + (first_plane_[c] + code - 1) * n_words_ + word;
            for (std::size_t w = 0; w < n; ++w) out[w] = block(0)[c][w];
        }
    }

    const std::uint8_t* codes_;
    std::size_t n_rows_;
    const std::vector<std::size_t>& sizes_;
    std::size_t n_words_, n_blocks_;
    LineBuffer<Word> blocks_;
    std::vector<std::size_t> first_plane_{0};
    std::vector<std::uint8_t> last_;  // codes of some rows
};

}  // namespace

void refuse_code(std::size_t code, std::size_t n_codes) {
    throw std::invalid_argument("codes must be at least 0 and less than " + std::to_string(n_codes) + "; found " +
                                std::to_string(code));
}

void expect_codes(const std::uint8_t* codes, std::size_t n_rows, std::size_t n_codes) {
    std::uint8_t largest = 0;
    for (std::size_t i = 0; i < n_rows; ++i) largest = std::max(largest, codes[i]);
    if (n_rows > 0 && largest >= n_codes) refuse_code(largest, n_codes);
}

void find_code(const std::uint8_t* codes, std::size_t n_rows, std::uint8_t code, Word* found) {
    const std::size_t whole = n_rows / kWordBits;
    for (std::size_t w = 0; w < whole; ++w) found[w] = which_are(codes + w * kWordBits, code);
    Word rest = 0;
    for (std::size_t i = whole * kWordBits; i < n_rows; ++i)
        rest |= static_cast<Word>(codes[i] == code) << (i % kWordBits);
    found[whole] = rest;
}

void find_codes(const std::uint8_t* codes, std::size_t n_rows, const std::vector<std::size_t>& sizes, Word* found) {
    RowMatrix(codes, n_rows, sizes).find_codes(found);
}

}  // namespace paclearn
