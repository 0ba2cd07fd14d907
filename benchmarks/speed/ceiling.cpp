// What one core can do at best: AND, popcount and add on operands that never leave the registers, and the rate at which
// words come from memory. Built by ceiling.py with -march=native.
#include <chrono>
#include <cstdint>
#include <cstdlib>

#if defined(__AVX512VPOPCNTDQ__)
#include <immintrin.h>
#endif

namespace {

double now() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

}  // namespace

// Words of 64 bits a second through AND + popcount + add.
extern "C" double register_words_per_second(double seconds) {
    std::uint64_t rounds = 0;
    const double start = now();
#if defined(__AVX512VPOPCNTDQ__)
    __m512i a[4], b[4], sums[16];
#pragma GCC unroll 4
    for (int i = 0; i < 4; ++i) {
        a[i] = _mm512_set1_epi64(static_cast<long long>(i * 0x9e3779b97f4a7c15));
        b[i] = _mm512_set1_epi64(static_cast<long long>(i * 0xc2b2ae3d27d4eb4f));
    }
#pragma GCC unroll 16
    for (int i = 0; i < 16; ++i) sums[i] = _mm512_setzero_si512();
    while (now() - start < seconds) {
        for (int repeat = 0; repeat < 100000; ++repeat) {
            // the operands might have changed, so every AND has to be done
            asm volatile("" : "+v"(a[0]), "+v"(a[1]), "+v"(a[2]), "+v"(a[3]), "+v"(b[0]), "+v"(b[1]), "+v"(b[2]), "+v"(b[3]));
#pragma GCC unroll 16
            for (int i = 0; i < 16; ++i)
                sums[i] = _mm512_add_epi64(sums[i], _mm512_popcnt_epi64(_mm512_and_si512(a[i / 4], b[i % 4])));
        }
        rounds += 100000;
    }
    const double words = 16.0 * 8 * static_cast<double>(rounds);
#pragma GCC unroll 16
    for (int i = 0; i < 16; ++i) asm volatile("" ::"v"(sums[i]));
#else
    std::uint64_t a[4] = {1, 2, 3, 4}, b[4] = {5, 6, 7, 8}, sums[4] = {};
    while (now() - start < seconds) {
        for (int repeat = 0; repeat < 10000; ++repeat) {
            for (int i = 0; i < 4; ++i) asm volatile("" : "+r"(a[i]), "+r"(b[i]));
            for (int i = 0; i < 4; ++i) sums[i] += __builtin_popcountll(a[i] & b[i]);
        }
        rounds += 10000;
    }
    const double words = 4.0 * static_cast<double>(rounds);
    for (auto& sum : sums) asm volatile("" ::"r"(sum));
#endif
    return words / (now() - start);
}

// Bytes a second read from an array of this size, again and again.
extern "C" double bytes_per_second(std::uint64_t bytes, double seconds) {
    const std::uint64_t n = bytes / 8;
    auto* data = static_cast<std::uint64_t*>(std::calloc(n, 8));
    for (std::uint64_t i = 0; i < n; ++i) data[i] = i;
    std::uint64_t total = 0, rounds = 0;
    const double start = now();
    while (now() - start < seconds) {
        for (std::uint64_t i = 0; i < n; ++i) total += data[i];
        ++rounds;
    }
    const double rate = static_cast<double>(rounds) * static_cast<double>(bytes) / (now() - start);
    asm volatile("" ::"r"(total));
    std::free(data);
    return rate;
}
