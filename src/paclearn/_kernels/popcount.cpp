// One loop, compiled once for every instruction set, chosen at run time.
#include "popcount.hpp"

#include <bit>
#include <cstdlib>
#include <cstring>

namespace paclearn {
namespace {

#if defined(__GNUC__)
#define PACLEARN_INLINE inline __attribute__((always_inline))
#define PACLEARN_BITS(word) __builtin_popcountll(word)
#else
#define PACLEARN_INLINE inline
#define PACLEARN_BITS(word) std::popcount(word)
#endif

PACLEARN_INLINE std::int64_t loop(const Word* a, const Word* b, std::size_t n) {
    std::int64_t total = 0;
    for (std::size_t w = 0; w < n; ++w) total += PACLEARN_BITS(a[w] & b[w]);
    return total;
}

std::int64_t plain(const Word* a, const Word* b, std::size_t n) { return loop(a, b, n); }

#if defined(__GNUC__) && defined(__x86_64__)
__attribute__((target("popcnt"))) std::int64_t popcnt(const Word* a, const Word* b, std::size_t n) {
    return loop(a, b, n);
}
__attribute__((target("avx2,popcnt"))) std::int64_t avx2(const Word* a, const Word* b, std::size_t n) {
    return loop(a, b, n);
}
__attribute__((target("avx512f,avx512vl,avx512vpopcntdq,popcnt"))) std::int64_t avx512(const Word* a, const Word* b,
                                                                                        std::size_t n) {
    return loop(a, b, n);
}
#endif

struct Choice {
    const char* name;
    PopcountOfAnd function;
};

bool allowed(const char* name) {
    const char* asked = std::getenv("PACLEARN_ISA");
    return asked == nullptr || std::strcmp(asked, name) == 0;
}

Choice choose() {
#if defined(__GNUC__) && defined(__x86_64__)
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx512vpopcntdq") && __builtin_cpu_supports("avx512vl") && allowed("avx512"))
        return {"avx512", avx512};
    if (__builtin_cpu_supports("avx2") && allowed("avx2")) return {"avx2", avx2};
    if (__builtin_cpu_supports("popcnt") && allowed("popcnt")) return {"popcnt", popcnt};
#endif
    return {"plain", plain};
}

const Choice chosen = choose();

}  // namespace

const PopcountOfAnd popcount_of_and = chosen.function;
const char* instruction_set() { return chosen.name; }

}  // namespace paclearn
