// Which instruction set to use, decided once.
#include "isa.hpp"

#include <cstdlib>
#include <cstring>

namespace paclearn {
namespace {

bool allowed(const InstructionSet& set) {
    const char* asked = std::getenv("PACLEARN_ISA");
    return asked == nullptr || *asked == 0 || std::strcmp(asked, set.name) == 0;
}

const InstructionSet& choose() {
#if defined(__x86_64__)
    __builtin_cpu_init();
    const bool bmi2 = __builtin_cpu_supports("bmi2");
    const bool avx512 = __builtin_cpu_supports("avx512vpopcntdq") && __builtin_cpu_supports("avx512vl") &&
                        __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
                        __builtin_cpu_supports("avx512vnni");
    if (avx512 && bmi2 && allowed(avx512_set)) return avx512_set;
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && bmi2 && allowed(avx2_set)) return avx2_set;
    if (__builtin_cpu_supports("popcnt") && allowed(popcnt_set)) return popcnt_set;
#elif defined(__aarch64__)
    if (allowed(neon_set)) return neon_set;
#endif
    return plain_set;
}

}  // namespace

const InstructionSet& instruction_set() {
    static const InstructionSet& chosen = choose();
    return chosen;
}

}  // namespace paclearn
