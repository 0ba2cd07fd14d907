// What kernels on Hopper's asynchronous 1-bit tensor cores share: bits are fetched, pairs are made, products are added up.
//
// A block has 16 x 16 pairs and 128 third members: two warpgroups of 128 pairs each, and one that fetches. The ANDs of
// pairs are made in registers (a warp has two first members times eight second ones in the rows of a matrix), and the
// third members are read from shared memory by the hardware. Sums over rows do not mind their order, so the words of
// third members are laid out such that a thread's part of a pair is one load of 128 bits. All layouts are made on the
// card before the scan: what a stage needs of a group of columns is one piece of memory, fetched by one bulk copy.
//
// Two cells that differ in the third member only have s = x and M - x, with M of the pair: |x| + |M - x| is the larger
// of |M| and |2x - M|. So a score takes four maxima, in single precision, where whole numbers below 2^24 are exact.
#define FIRSTS 16
#define SECONDS 16
#define THIRDS 128
#define STAGE_WORDS 32
#define STAGES 6
#define CONSUMERS 256
#define THREADS (CONSUMERS + 128)
#define PAIR_BYTES (16 * STAGE_WORDS * 4)
#define THIRD_BYTES (THIRDS * STAGE_WORDS * 4)
#define STAGE_BYTES (2 * PAIR_BYTES + THIRD_BYTES)
#define SUMS_LINE (THIRDS + 8)  // floats, padded against bank conflicts
#define SUMS_ROWS (FIRSTS + SECONDS + 1)
#define SUMS_BYTES (SUMS_ROWS * SUMS_LINE * 4)

typedef unsigned u32;
typedef unsigned long long u64;

__device__ __forceinline__ void start_barrier(u32 at, u32 arrivals) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(at), "r"(arrivals));
}

__device__ __forceinline__ void expect(u32 at, u32 bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(at), "r"(bytes) : "memory");
}

__device__ __forceinline__ void arrive(u32 at) {
  asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(at) : "memory");
}

__device__ __forceinline__ void wait(u32 at, u32 parity) {
  asm volatile(
      "{\n.reg .pred done;\nagain:\nmbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n"
      "@done bra over;\nbra again;\nover:\n}" ::"r"(at), "r"(parity)
      : "memory");
}

__device__ __forceinline__ void fetch(u32 to, const void* from, u32 bytes, u32 barrier) {
  asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(to),
               "l"(from), "r"(bytes), "r"(barrier)
               : "memory");
}

__device__ __forceinline__ uint4 read(u32 at) {
  uint4 v;
  asm volatile("ld.shared.v4.u32 {%0,%1,%2,%3},[%4];" : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w) : "r"(at));
  return v;
}

__device__ __forceinline__ float2 read_two(u32 at) {
  float2 v;
  asm volatile("ld.shared.v2.f32 {%0,%1},[%2];" : "=f"(v.x), "=f"(v.y) : "r"(at));
  return v;
}

// a whole number below 2^22 in size, without the slow conversion
__device__ __forceinline__ float number(int n) { return __int_as_float(n + 0x4b400000) - 12582912.0f; }

// chunks of 16 bytes, the columns of a chunk one after another: 2048 bytes to the next chunk, 128 to the next 8 columns
__device__ __forceinline__ u64 description(u32 at) {
  return (u64)((at & 0x3ffff) >> 4) | ((u64)(THIRDS * 16 >> 4) << 16) | ((u64)(128 >> 4) << 32);
}

__device__ __forceinline__ void and_popc(int (&c)[64], const u32 (&a)[4], u64 b) {
  asm volatile(
      "wgmma.mma_async.sync.aligned.m64n128k256.s32.b1.b1.and.popc {"
      "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15,"
      "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31,"
      "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47,"
      "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63"
      "}, {%64, %65, %66, %67}, %68, 1;"
      :
        "+r"(c[0]), "+r"(c[1]), "+r"(c[2]), "+r"(c[3]), "+r"(c[4]), "+r"(c[5]), "+r"(c[6]),
        "+r"(c[7]), "+r"(c[8]), "+r"(c[9]), "+r"(c[10]), "+r"(c[11]), "+r"(c[12]), "+r"(c[13]),
        "+r"(c[14]), "+r"(c[15]), "+r"(c[16]), "+r"(c[17]), "+r"(c[18]), "+r"(c[19]), "+r"(c[20]),
        "+r"(c[21]), "+r"(c[22]), "+r"(c[23]), "+r"(c[24]), "+r"(c[25]), "+r"(c[26]), "+r"(c[27]),
        "+r"(c[28]), "+r"(c[29]), "+r"(c[30]), "+r"(c[31]), "+r"(c[32]), "+r"(c[33]), "+r"(c[34]),
        "+r"(c[35]), "+r"(c[36]), "+r"(c[37]), "+r"(c[38]), "+r"(c[39]), "+r"(c[40]), "+r"(c[41]),
        "+r"(c[42]), "+r"(c[43]), "+r"(c[44]), "+r"(c[45]), "+r"(c[46]), "+r"(c[47]), "+r"(c[48]),
        "+r"(c[49]), "+r"(c[50]), "+r"(c[51]), "+r"(c[52]), "+r"(c[53]), "+r"(c[54]), "+r"(c[55]),
        "+r"(c[56]), "+r"(c[57]), "+r"(c[58]), "+r"(c[59]), "+r"(c[60]), "+r"(c[61]), "+r"(c[62]),
        "+r"(c[63])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b));
}

#define WGMMA_FENCE asm volatile("wgmma.fence.sync.aligned;" ::: "memory")
#define WGMMA_COMMIT asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory")
#define WGMMA_WAIT(n) asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(n) : "memory")

// the ANDs of a thread's pairs over half a stage: two rows of matrices of two first members, two steps of 256 rows
__device__ __forceinline__ void make_pairs(u32 (&a)[2][2][4], u32 firsts, u32 seconds, int warp, int row, int chunk) {
  const uint4 second = read(seconds + row * 128 + ((chunk ^ ((row & 1) << 2)) << 4));
#pragma unroll
  for (int m = 0; m < 2; m++) {
    const int even = m * 8 + 2 * warp;
    const uint4 x = read(firsts + even * 128 + (chunk << 4)), y = read(firsts + even * 128 + 128 + ((chunk ^ 4) << 4));
    a[m][0][0] = x.x & second.x, a[m][0][1] = y.x & second.x, a[m][0][2] = x.y & second.y, a[m][0][3] = y.y & second.y;
    a[m][1][0] = x.z & second.z, a[m][1][1] = y.z & second.z, a[m][1][2] = x.w & second.w, a[m][1][3] = y.w & second.w;
  }
}

// where the stages of a block lie, and the barriers that say which are full and which may be filled again
struct Ring {
  u32 base, full, empty, turns;
};

__device__ __forceinline__ void start_barriers(u32 full, int thread) {
  const u32 empty = full + 8 * STAGES, sums_full = empty + 8 * STAGES, sums_empty = sums_full + 8;
  if (thread == 0) {
    for (int s = 0; s < STAGES; s++) start_barrier(full + 8 * s, 1), start_barrier(empty + 8 * s, CONSUMERS / 32);
    start_barrier(sums_full, 1), start_barrier(sums_empty, CONSUMERS / 32);
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  }
  __syncthreads();
}

// what a block begins with: its stages, sums and barriers, who a thread is, and how many tiles are done
#define START_BLOCK \
  extern __shared__ __align__(1024) char shared[]; \
  __shared__ __align__(8) u64 barriers[2 * STAGES + 2]; \
  const u32 base = (u32)__cvta_generic_to_shared(shared), full = (u32)__cvta_generic_to_shared(barriers); \
  const u32 sums_full = full + 16 * STAGES, sums_empty = sums_full + 8, own_sums = base + STAGES * STAGE_BYTES; \
  const int thread = threadIdx.x, lane = thread & 31, row = lane >> 2, part = lane & 3; \
  Ring ring = {base, full, full + 8 * STAGES, 0}; \
  u32 n_done = 0; \
  start_barriers(full, thread);

// the signed counts that the scores of a tile need: those of its pairs with its third members, and of these alone
__device__ __forceinline__ void fetch_sums(u32 to, const float* sums, const float* singles, int d, size_t I, size_t J,
                                           size_t K, u32 barrier) {
  for (int r = 0; r < SUMS_ROWS; r++) {
    const size_t column = r < FIRSTS ? I * FIRSTS + r : J * SECONDS + r - FIRSTS;
    const float* line = r < FIRSTS + SECONDS ? sums + column * d : singles;
    fetch(to + r * SUMS_LINE * 4, line + K * THIRDS, THIRDS * 4, barrier);
  }
}

// all stages of a tile, as room becomes free
__device__ __forceinline__ void fetch_tile(Ring& ring, const char* thirds, const char* firsts, const char* seconds,
                                           int n_stages) {
  for (int s = 0; s < n_stages; s++, ring.turns++) {
    const u32 slot = ring.turns % STAGES, to = ring.base + slot * STAGE_BYTES, barrier = ring.full + 8 * slot;
    if (ring.turns >= STAGES) wait(ring.empty + 8 * slot, (ring.turns / STAGES - 1) & 1);
    expect(barrier, STAGE_BYTES);
    fetch(to, thirds + (size_t)s * THIRD_BYTES, THIRD_BYTES, barrier);
    fetch(to + THIRD_BYTES, firsts + (size_t)s * PAIR_BYTES, PAIR_BYTES, barrier);
    fetch(to + THIRD_BYTES + PAIR_BYTES, seconds + (size_t)s * PAIR_BYTES, PAIR_BYTES, barrier);
  }
}

// minus the signed counts of a thread's part of a tile: rows of class one come first, and then the sign turns
__device__ __forceinline__ void count(int (&acc)[2][64], Ring& ring, int turn, int n_stages, int group, int warp, int lane) {
  const int row = lane >> 2, part = lane & 3;
  u32 behind = STAGES;  // the stage whose products are still under way
#pragma unroll
  for (int m = 0; m < 2; m++)
#pragma unroll
    for (int n = 0; n < 64; n++) acc[m][n] = 0;
#pragma unroll 1
  for (int of_zero = 0; of_zero < 2; of_zero++) {
    const int stop = of_zero ? n_stages : turn;
#pragma unroll 1
    for (int s = of_zero ? turn : 0; s < stop; s++, ring.turns++) {
      const u32 slot = ring.turns % STAGES, thirds = ring.base + slot * STAGE_BYTES, firsts = thirds + THIRD_BYTES;
      const u32 seconds = firsts + PAIR_BYTES + group * 8 * 128;
      u32 a[2][2][4], b[2][2][4];
      wait(ring.full + 8 * slot, (ring.turns / STAGES) & 1);
      make_pairs(a, firsts, seconds, warp, row, part);
      WGMMA_FENCE;
#pragma unroll
      for (int q = 0; q < 2; q++) {
        and_popc(acc[0], a[0][q], description(thirds + q * 2 * THIRDS * 16));
        and_popc(acc[1], a[1][q], description(thirds + q * 2 * THIRDS * 16));
      }
      WGMMA_COMMIT;
      WGMMA_WAIT(1);
      if (behind < STAGES && lane == 0) arrive(ring.empty + 8 * behind);
      make_pairs(b, firsts, seconds, warp, row, 4 + part);
      WGMMA_FENCE;
#pragma unroll
      for (int q = 0; q < 2; q++) {
        and_popc(acc[0], b[0][q], description(thirds + (4 + q * 2) * THIRDS * 16));
        and_popc(acc[1], b[1][q], description(thirds + (4 + q * 2) * THIRDS * 16));
      }
      WGMMA_COMMIT;
      WGMMA_WAIT(1);
      behind = slot;
    }
    WGMMA_WAIT(0);
    if (behind < STAGES && lane == 0) arrive(ring.empty + 8 * behind);
    behind = STAGES;
    if (!of_zero) {
#pragma unroll
      for (int m = 0; m < 2; m++)
#pragma unroll
        for (int n = 0; n < 64; n++) acc[m][n] = -acc[m][n];
    }
  }
}

// the signed counts of a pair's own four cells, both, first only, second only, neither, from twice those of its members
__device__ __forceinline__ float4 cells_of_pair(float both, float s_i, float s_j, float total) {
  both /= 2, s_i /= 2, s_j /= 2;
  return make_float4(both, s_i - both, s_j - both, total - s_i - s_j + both);
}

// the sum of |s| over the eight cells of a triple, from the cells of its pair, that of all three, and twice the others
__device__ __forceinline__ float sum_of_cells(float4 pair, float all, float ik, float jk, float k) {
  const float y11 = fmaf(2, all, -pair.x), y10 = fmaf(-2, all, ik - pair.y);
  const float y01 = fmaf(-2, all, jk - pair.z), y00 = fmaf(2, all, k - jk - ik - pair.w);
  return fmaxf(fabsf(pair.x), fabsf(y11)) + fmaxf(fabsf(pair.y), fabsf(y10)) +
         (fmaxf(fabsf(pair.z), fabsf(y01)) + fmaxf(fabsf(pair.w), fabsf(y00)));
}

// what passes goes on a list, or, to probe, every thread keeps its best
struct Passed {
  int least, probe, best;
  u64 best_members, *listed, room;
  int* scores;
  u64* members;

  __device__ __forceinline__ void take(int score, u64 who) {
    if (probe) {
      if (score > best) best = score, best_members = who;
    } else {
      const u64 at = atomicAdd(listed, 1ull);
      if (at < room) scores[at] = score, members[at] = who;
    }
  }

  __device__ __forceinline__ void leave(int thread) {
    if (!probe) return;
    const size_t at = (size_t)blockIdx.x * CONSUMERS + thread;
    scores[at] = best, members[at] = best_members;
  }
};

// what those who count begin with: more registers, which pairs are theirs, and one tile after another
#define CONSUME_TILES \
  asm volatile("setmaxnreg.inc.sync.aligned.u32 240;"); \
  const int group = thread >> 7, warp = (thread >> 5) & 3; \
  Passed passed = {least, probe, -1, 0, listed, room, scores, members}; \
  for (int tile = blockIdx.x; tile < n_tiles; tile += gridDim.x, n_done++)
