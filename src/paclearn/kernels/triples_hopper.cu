#include "hopper.cuh"
// All triples of binary columns on Hopper's asynchronous 1-bit tensor cores; see triples.cu for what is computed, and
// hopper.cuh for how.
//
// pair_bits: [columns / 16][stages][16 columns][128 bytes], chunks of odd columns in exchanged halves
// third_bits: [columns / 128][stages][8 chunks][128 columns][16 bytes], words in the order of the matrices
// sums, singles: twice the signed counts of pairs and of single columns
// table: where the signed counts of triples are kept, if not null
extern "C" __global__ void __launch_bounds__(THREADS, 1)
triples(const char* __restrict__ pair_bits, const char* __restrict__ third_bits, int n_stages, int turn, int d,
        const float* __restrict__ sums, const float* __restrict__ singles, int total,
        const int* __restrict__ tiles, int n_tiles, int first, int last, int least, int probe, u64* listed, u64 room,
        int* scores, u64* members, float* __restrict__ table) {
  START_BLOCK

  if (thread >= CONSUMERS) {
    asm volatile("setmaxnreg.dec.sync.aligned.u32 24;");
    if (thread == CONSUMERS)
      for (int tile = blockIdx.x; tile < n_tiles; tile += gridDim.x, n_done++) {
        const size_t I = tiles[3 * tile] / FIRSTS, K = tiles[3 * tile + 1] / THIRDS, J = tiles[3 * tile + 2] / SECONDS;
        if (n_done) wait(sums_empty, (n_done - 1) & 1);
        expect(sums_full, SUMS_ROWS * THIRDS * 4);
        fetch_sums(own_sums, sums, singles, d, I, J, K, sums_full);
        fetch_tile(ring, third_bits + K * n_stages * THIRD_BYTES, pair_bits + I * n_stages * PAIR_BYTES,
                   pair_bits + J * n_stages * PAIR_BYTES, n_stages);
      }
    return;
  }
  CONSUME_TILES {
    const int I = tiles[3 * tile], K = tiles[3 * tile + 1], J = tiles[3 * tile + 2], j = J + group * 8 + row;
    float4 of_pair[4];
#pragma unroll
    for (int pair = 0; pair < 4; pair++) {
      const int i = I + (pair >> 1) * 8 + 2 * warp + (pair & 1);
      of_pair[pair] = cells_of_pair(sums[(size_t)i * d + j], singles[i], singles[j], total);
    }
    int acc[2][64];
    count(acc, ring, turn, n_stages, group, warp, lane);
    wait(sums_full, n_done & 1);
    const u32 of_j = own_sums + (FIRSTS + group * 8 + row) * SUMS_LINE * 4;
    const u32 of_k = own_sums + (FIRSTS + SECONDS) * SUMS_LINE * 4;
#pragma unroll
    for (int n = 0; n < 16; n++) {
      const u32 place = (n * 8 + part * 2) * 4;
      const float2 s_k = read_two(of_k + place), s_jk = read_two(of_j + place);
      float found[8], largest = 0;
#pragma unroll
      for (int which = 0; which < 8; which++) {
        const int m = which >> 2, r = which >> 1 & 1, e = which & 1;
        const float2 both = read_two(own_sums + (m * 8 + 2 * warp + r) * SUMS_LINE * 4 + place);
        found[which] = sum_of_cells(of_pair[which >> 1], number(-acc[m][n * 4 + r * 2 + e]), e ? both.y : both.x,
                                    e ? s_jk.y : s_jk.x, e ? s_k.y : s_k.x);
        largest = fmaxf(largest, found[which]);
      }
      if (table) {
#pragma unroll
        for (int pair = 0; pair < 4; pair++) {
          const size_t i = I + (pair >> 1) * 8 + 2 * warp + (pair & 1), k = K + n * 8 + part * 2;
          const int* mine = acc[pair >> 1] + n * 4 + (pair & 1) * 2;
          *(float2*)(table + (i * d + j) * d + k) = make_float2(number(-mine[0]), number(-mine[1]));
        }
      }
      if (largest < least) continue;
#pragma unroll
      for (int which = 0; which < 8; which++) {
        const int i = I + (which >> 2) * 8 + 2 * warp + (which >> 1 & 1), k = K + n * 8 + part * 2 + (which & 1);
        const int score = (int)found[which];
        if (score < least || i < first || i >= last || i >= j || j >= k) continue;
        passed.take(score, ((u64)i << 42) | ((u64)j << 21) | (u64)k);
      }
    }
    __syncwarp();
    if (lane == 0) arrive(sums_empty);
  }
  passed.leave(thread);
}
