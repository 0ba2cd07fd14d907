// Codes -> bit planes, with the rows in their own order; for processors that squeeze rows.
#pragma once

#include "words.hpp"

namespace paclearn {

// Planes found here have a word more than full ones, for the rows that are left.
constexpr std::size_t found_words(std::size_t n_rows) { return n_rows / kWordBits + 1; }

// Raises a complaint about a code that a column of so many does not have.
[[noreturn]] void refuse_code(std::size_t code, std::size_t n_codes);

// One bit for every row of a column: does it hold this code? Returns the largest code of the column.
std::uint8_t find_code(const std::uint8_t* codes, std::size_t n_rows, std::uint8_t code, Word* found);

// The same for all columns and codes of a matrix that is stored row by row, in one pass over the memory. Codes 1 to
// size - 1 of every column have a plane, one column after another; larger ones are complained about.
void find_codes(const std::uint8_t* codes, std::size_t n_rows, const std::vector<std::size_t>& sizes, Word* found);

}  // namespace paclearn
