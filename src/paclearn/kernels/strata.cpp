#include "strata.hpp"

#include <algorithm>

namespace paclearn {
namespace {

std::size_t marked_rows(const Word* mask, std::size_t begin, std::size_t end) {
    return static_cast<std::size_t>(
        instruction_set().popcount_of_and(mask + begin, mask + begin, end - begin));
}

}  // namespace

void count_singles(Strata& table) {
    table.singles.resize(table.size() * table.n_planes);
    for (std::size_t s = 0; s < table.size(); ++s)
        for (std::size_t p = 0; p < table.n_planes; ++p)
            table.singles[s * table.n_planes + p] = static_cast<std::uint32_t>(
                marked_rows(table.planes + p * table.stride, table.starts[s], table.starts[s + 1]));
}

void restrict_to(const Strata& table, const std::vector<const Word*>& masks, std::size_t origin, Strata& part) {
    const InstructionSet& isa = instruction_set();
    part.origin = origin;
    part.n_planes = table.origin + table.n_planes - origin;
    part.starts.assign(1, 0);
    part.totals.clear();
    for (const Word* mask : masks)
        for (std::size_t s = 0; s < table.size(); ++s) {
            const std::size_t rows = marked_rows(mask, table.starts[s], table.starts[s + 1]);
            const std::size_t words = isa.compacts ? padded_words(rows) : table.starts[s + 1] - table.starts[s];
            part.totals.push_back(static_cast<std::uint32_t>(rows));
            part.starts.push_back(part.starts.back() + words);
        }
    part.stride = part.starts.back() + kLineWords;  // squeeze() may write a word more than it has to
    part.storage.grow((part.n_planes + 1) * part.stride);
    Word* planes = part.storage.data();
    Word* valid = planes + part.n_planes * part.stride;
    part.planes = planes;
    part.valid = valid;
    for (std::size_t m = 0; m < part.size(); ++m) {
        const std::size_t from = table.starts[m % table.size()], to = table.starts[m % table.size() + 1];
        const Word* mask = masks[m / table.size()] + from;
        isa.squeeze({table.plane(origin) + from, table.stride, part.n_planes, mask, to - from, planes + part.starts[m],
                     part.stride});
        isa.squeeze({table.valid + from, table.stride, 1, mask, to - from, valid + part.starts[m], part.stride});
        const std::size_t filled = isa.compacts ? words_of(part.totals[m]) : to - from;
        for (std::size_t p = 0; p <= part.n_planes; ++p)
            std::fill(planes + p * part.stride + part.starts[m] + filled, planes + p * part.stride + part.starts[m + 1],
                      Word{0});
    }
    count_singles(part);
}

}  // namespace paclearn
