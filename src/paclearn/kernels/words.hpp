// Packed rows: 64 to a word, those of one class side by side, every class padded to a cache line.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace paclearn {

using Word = std::uint64_t;
constexpr std::size_t kWordBits = 64;
constexpr std::size_t kLineWords = 8;  // 512 bits: one AVX-512 register, one cache line
constexpr std::size_t kLineBytes = kLineWords * sizeof(Word);

constexpr std::size_t words_of(std::size_t rows) { return (rows + kWordBits - 1) / kWordBits; }
constexpr std::size_t padded_words(std::size_t rows) {
    return (rows + kWordBits * kLineWords - 1) / (kWordBits * kLineWords) * kLineWords;
}

// Half-open range of words that holds the rows of one class.
struct ClassRange {
    std::size_t first_word;
    std::size_t end_word;
    std::size_t n_rows;
};

}  // namespace paclearn
