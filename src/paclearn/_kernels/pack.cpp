// Codes of one column -> bit planes, rows in class order.
#include "kernels.hpp"

namespace paclearn {

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
