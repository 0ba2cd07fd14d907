// How many bits two ranges of words share, by the best instructions this processor has.
#pragma once

#include "kernels.hpp"

namespace paclearn {

using PopcountOfAnd = std::int64_t (*)(const Word*, const Word*, std::size_t);

// Chosen when the module loads; PACLEARN_ISA = avx512, avx2, popcnt or plain asks for one that is slower.
extern const PopcountOfAnd popcount_of_and;
const char* instruction_set();

}  // namespace paclearn
