#include "code_planes.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>

#include "interrupt.hpp"
#include "isa.hpp"
#include "strata.hpp"

namespace paclearn {
namespace {

constexpr std::size_t kCodesTogether = 4096;

class RowMatrix {
public:
    RowMatrix(const std::uint8_t* codes, std::size_t n_rows, const std::vector<std::size_t>& sizes)
        : codes_(codes), n_rows_(n_rows), sizes_(sizes), n_words_(found_words(n_rows)),
          n_blocks_((sizes.size() + kWordBits - 1) / kWordBits), blocks_(n_blocks_ * kWordBits * kLineWords) {
        for (const std::size_t size : sizes) first_plane_.push_back(first_plane_.back() + size - 1);
        last_.resize(std::max<std::size_t>(kCodesTogether / sizes.size(), 1) * sizes.size());
        for (std::size_t i = 0; i < last_.size(); ++i)
            last_[i] = static_cast<std::uint8_t>(std::min<std::size_t>(sizes[i % sizes.size()], 256) - 1);
    }

    // A few rows at a time, and those in the order of memory.
    void find_codes(Word* found) {
        const std::size_t most = *std::max_element(sizes_.begin(), sizes_.end()), d = sizes_.size();
        Interrupt interrupt;
        for (std::size_t word = 0; word < n_words_; word += kLineWords) {
            interrupt.check();
            const std::size_t begin = word * kWordBits, n = std::min(n_rows_ - begin, kLineWords * kWordBits);
            for (std::size_t code = 1; code < most; ++code) {
                instruction_set().find_in_rows({codes_ + begin * d, codes_ + n_rows_ * d, n, d, n_blocks_,
                                                static_cast<std::uint8_t>(code), blocks_.data()});
                write_columns(word, code, found);
            }
            // behind the others, who read from afar and compute meanwhile: now the codes are at hand
            expect_known(begin * d, (begin + n) * d);
        }
    }

private:
    // Codes of whole rows.
    void expect_known(std::size_t begin, std::size_t end) const {
        for (std::size_t i = begin; i < end; i += last_.size()) {
            const std::size_t n = std::min(last_.size(), end - i);
            if (!instruction_set().any_beyond(codes_ + i, last_.data(), n)) continue;
            for (std::size_t j = 0; j < n; ++j)
                if (codes_[i + j] > last_[j]) refuse_code(codes_[i + j], sizes_[j % sizes_.size()]);
        }
    }

    void write_columns(std::size_t word, std::size_t code, Word* found) {
        const std::size_t n = std::min(kLineWords, n_words_ - word);
        for (std::size_t c = 0; c < sizes_.size(); ++c) {
            if (code >= sizes_[c]) continue;
            Word* out = found + (first_plane_[c] + code - 1) * n_words_ + word;
            std::copy_n(blocks_.data() + c * kLineWords, n, out);
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

std::uint8_t find_code(const std::uint8_t* codes, std::size_t n_rows, std::uint8_t code, Word* found) {
    const std::size_t whole = n_rows / kWordBits;
    std::uint8_t largest = instruction_set().find_words(codes, whole, code, found);
    Word rest = 0;
    for (std::size_t i = whole * kWordBits; i < n_rows; ++i) {
        largest = std::max(largest, codes[i]);
        rest |= static_cast<Word>(codes[i] == code) << (i % kWordBits);
    }
    found[whole] = rest;
    return largest;
}

void find_codes(const std::uint8_t* codes, std::size_t n_rows, const std::vector<std::size_t>& sizes, Word* found) {
    RowMatrix(codes, n_rows, sizes).find_codes(found);
}

}  // namespace paclearn
