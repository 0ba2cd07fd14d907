// x86-64 with the popcnt instruction (compiled with -mpopcnt).
#include "isa_common.hpp"

namespace paclearn {
const InstructionSet popcnt_set{"popcnt", false, count_pairs_with<WordTile>, clear_unmarked, score_row, popcount_of_and, quality_row,
                               sum_pairs_with<PlainSums>, bound_row, widen_words, add_masked_with<PlainLanes>};
}
