#include "mma.cuh"
// All triples of binary columns with the sums of their labels (+1, -1) over the eight cells, on 1-bit tensor cores.
//
// A signed count (rows of class one less rows of class zero where all three bits are set) is linear, so one set of
// accumulators serves both classes: those of class one lie first, and where they end the accumulators change sign. The
// other seven cells follow from signed counts of pairs and of single columns. The sum of |s| over the cells bounds the
// exact score from both sides; what passes the threshold goes on a list, to be scored exactly.
//
// A block takes 32 x 16 pairs and 64 third members at a time, two warps a scheduler: each warp ANDs the fragments of
// its 8 x 8 pairs in registers and multiplies them with those of the third members.
#define FIRSTS 32
#define SECONDS 16
#define THIRDS 64
#define COLUMNS (FIRSTS + SECONDS + THIRDS)
#define STAGES 4
#define LINE 72  // ints a row of the exchange buffer, padded against bank conflicts
#define THREADS 256

// d columns, padding first; sums: d x d signed counts of pairs, of single columns on the diagonal.
// probe != 0: every thread leaves its best instead of the list.
extern "C" __global__ void __launch_bounds__(THREADS, 1)
triples(const u32* __restrict__ bits, int words, int words_of_one, int d, const int* __restrict__ sums,
        int total, const int* __restrict__ tiles, int n_tiles, int first, int last, int least, int probe, int* next,
        u64* listed, u64 room, int* scores, u64* members) {
  extern __shared__ __align__(128) u32 shared[];
  __shared__ int tile_shared;
  const u32 base = (u32)__cvta_generic_to_shared(shared);
  const int thread = threadIdx.x, lane = thread & 31, warp = thread >> 5, row = lane >> 2, part = lane & 3;
  const int warp_first = (warp & 3) * 8, warp_second = (warp >> 2) * 8;
  int best = -1;
  u64 best_members = 0;
  for (;;) {
    __syncthreads();
    if (thread == 0) tile_shared = atomicAdd(next, 1);
    __syncthreads();
    const int tile = tile_shared;
    if (tile >= n_tiles) break;
    const int I = tiles[3 * tile], K = tiles[3 * tile + 1], J = tiles[3 * tile + 2];
    int acc[4][8][4] = {};
    const int n_stages = words / STAGE_WORDS, turn = words_of_one / STAGE_WORDS;
    auto change_sign = [&]() {
#pragma unroll
      for (int a = 0; a < 4; a++)
#pragma unroll
        for (int b = 0; b < 8; b++)
#pragma unroll
          for (int c = 0; c < 4; c++) acc[a][b][c] = -acc[a][b][c];
    };
    auto load = [&](int stage) {
      const u32 to = base + (stage % STAGES) * (COLUMNS * STAGE_WORDS * 4);
      for (int q = thread; q < COLUMNS * 8; q += THREADS) {
        const int r = q >> 3, c = q & 7;
        const int column = r < FIRSTS ? I + r : r < FIRSTS + SECONDS ? J + r - FIRSTS : K + r - FIRSTS - SECONDS;
        fetch(to + chunk_of(r, c), bits + (size_t)column * words + stage * STAGE_WORDS + c * 4);
      }
    };
    stage_by_stage<STAGES - 1>(n_stages, load, [&](int s) {
      if (s == turn) change_sign();
      const u32 stage = base + (s % STAGES) * (COLUMNS * STAGE_WORDS * 4);
#pragma unroll
      for (int half = 0; half < 2; half++) {
        const int c = half * 4 + part;
        uint4 third[8];
#pragma unroll
        for (int n = 0; n < 8; n++) third[n] = read(stage + chunk_of(FIRSTS + SECONDS + n * 8 + row, c));
        const uint4 second = read(stage + chunk_of(FIRSTS + warp_second + row, c));
#pragma unroll
        for (int m = 0; m < 4; m++) {
          const uint4 even = read(stage + chunk_of(warp_first + 2 * m, c));
          const uint4 odd = read(stage + chunk_of(warp_first + 2 * m + 1, c));
          const u32 a0 = even.x & second.x, a1 = odd.x & second.x, a2 = even.y & second.y, a3 = odd.y & second.y;
          const u32 e0 = even.z & second.z, e1 = odd.z & second.z, e2 = even.w & second.w, e3 = odd.w & second.w;
#pragma unroll
          for (int n = 0; n < 8; n++) and_popc(acc[m][n], a0, a1, a2, a3, third[n].x, third[n].y);
#pragma unroll
          for (int n = 0; n < 8; n++) and_popc(acc[m][n], e0, e1, e2, e3, third[n].z, third[n].w);
        }
      }
    });
    if (n_stages <= turn) change_sign();  // no row of class zero: nothing turned the sign
    __syncthreads();
    int* own = (int*)shared + warp * (64 * LINE);  // 64 pairs x 64 third members of this warp
#pragma unroll
    for (int m = 0; m < 4; m++)
#pragma unroll
      for (int n = 0; n < 8; n++) {
        *(int2*)(own + ((2 * m) * 8 + row) * LINE + n * 8 + part * 2) = make_int2(acc[m][n][0], acc[m][n][1]);
        *(int2*)(own + ((2 * m + 1) * 8 + row) * LINE + n * 8 + part * 2) = make_int2(acc[m][n][2], acc[m][n][3]);
      }
    __syncwarp();
#pragma unroll
    for (int v = 0; v < 2; v++) {
      const int k = K + v * 32 + lane;
      const int s_k = sums[(size_t)k * d + k];
      int s_jk[8];
#pragma unroll
      for (int j = 0; j < 8; j++) s_jk[j] = sums[(size_t)(J + warp_second + j) * d + k];
#pragma unroll 1
      for (int i8 = 0; i8 < 8; i8++) {
        const int i = I + warp_first + i8;
        const int s_i = sums[(size_t)i * d + i], s_ik = sums[(size_t)i * d + k];
        const int without_i = total - s_i, only_k = s_k - s_ik;
#pragma unroll
        for (int j8 = 0; j8 < 8; j8++) {
          const int j = J + warp_second + j8;
          const int s_j = sums[(size_t)j * d + j], s_ij = sums[(size_t)i * d + j];
          const int all = -own[(i8 * 8 + j8) * LINE + v * 32 + lane];
          const int s110 = s_ij - all, s101 = s_ik - all, s011 = s_jk[j8] - all;
          const int s100 = s_i - s_ij - s101, s010 = s_j - s_ij - s011, s001 = only_k - s011;
          const int s000 = without_i - s_j + s_ij - s001;
          const int score = abs(all) + abs(s110) + abs(s101) + abs(s011) + abs(s100) + abs(s010) + abs(s001) + abs(s000);
          if (score < least || i < first || i >= last || i >= j || j >= k) continue;
          const u64 who = ((u64)i << 42) | ((u64)j << 21) | (u64)k;
          if (probe) {
            if (score > best) best = score, best_members = who;
          } else {
            const u64 at = atomicAdd(listed, 1ull);
            if (at < room) scores[at] = score, members[at] = who;
          }
        }
      }
    }
  }
  if (probe) {
    const size_t at = (size_t)blockIdx.x * THREADS + thread;
    scores[at] = best;
    members[at] = best_members;
  }
}

// signed counts of all pairs; of single columns on the diagonal
extern "C" __global__ void pairs(const u32* bits, int words, int words_of_one, int d, int* sums) {
  const int i = blockIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y;
  if (j >= d || j < i) return;
  int s = 0;
  for (int w = threadIdx.x; w < words; w += 32) {
    const int c = __popc(bits[(size_t)i * words + w] & bits[(size_t)j * words + w]);
    s += w < words_of_one ? c : -c;
  }
  for (int o = 16; o; o >>= 1) s += __shfl_xor_sync(~0u, s, o);
  if (threadIdx.x == 0) sums[(size_t)i * d + j] = sums[(size_t)j * d + i] = s;
}

// rows of both classes where all of each non-empty subset of a triple's bits are set: 7 subsets x 2 classes a triple
extern "C" __global__ void cells(const u32* bits, int words, int words_of_one, const u64* members, int n, int* counts) {
  const int which = (blockIdx.x * blockDim.x + threadIdx.x) >> 5, lane = threadIdx.x & 31;
  if (which >= n) return;
  const u64 who = members[which];
  const u32* a = bits + (size_t)(who >> 42) * words;
  const u32* b = bits + (size_t)(who >> 21 & 0x1fffff) * words;
  const u32* c = bits + (size_t)(who & 0x1fffff) * words;
  int found[2][7] = {};
  for (int w = lane; w < words; w += 32) {
    const u32 x = a[w], y = b[w], z = c[w];
    int* to = found[w < words_of_one];
    to[0] += __popc(x), to[1] += __popc(y), to[2] += __popc(z);
    to[3] += __popc(x & y), to[4] += __popc(x & z), to[5] += __popc(y & z), to[6] += __popc(x & y & z);
  }
  for (int s = 0; s < 14; s++) {
    int v = (&found[0][0])[s];
    for (int o = 16; o; o >>= 1) v += __shfl_xor_sync(~0u, v, o);
    if (lane == 0) counts[(size_t)which * 14 + s] = v;
  }
}
