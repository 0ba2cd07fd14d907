#include "hopper.cuh"
// All sets of four binary columns.
//
// A first member h parts the rows in two. Where it is set, signed counts of triples behind it are counted as those of
// all rows are, with one column of each pair narrowed to its rows; where it is not, they are what is left of those of
// all rows. The sum of |s| over the sixteen cells is that over the eight of either part.
//
// narrowed: [first members][columns / 16][stages]... as pair_bits, of columns where the first member is set as well
// sums: [first members][2][columns][columns], singles: [first members][2][columns]: twice the signed counts of either part
// totals: [first members][2]; table: signed counts of triples, all rows
extern "C" __global__ void __launch_bounds__(THREADS, 1)
fours(const char* __restrict__ narrowed, const char* __restrict__ pair_bits, const char* __restrict__ third_bits,
      int n_stages, int turn, int d, const float* __restrict__ sums, const float* __restrict__ singles,
      const float* __restrict__ totals, const float* __restrict__ table, const int* __restrict__ tiles, int n_tiles,
      int first, int least, int probe, u64* listed, u64 room, int* scores, u64* members) {
  START_BLOCK

  if (thread >= CONSUMERS) {
    asm volatile("setmaxnreg.dec.sync.aligned.u32 24;");
    if (thread == CONSUMERS)
      for (int tile = blockIdx.x; tile < n_tiles; tile += gridDim.x, n_done++) {
        const int4 at = ((const int4*)tiles)[tile];
        const size_t h = at.x, I = at.y / FIRSTS, K = at.z / THIRDS, J = at.w / SECONDS;
        if (n_done) wait(sums_empty, (n_done - 1) & 1);
        expect(sums_full, 2 * SUMS_ROWS * THIRDS * 4);
        for (int side = 0; side < 2; side++)
          fetch_sums(own_sums + side * SUMS_BYTES, sums + (2 * h + side) * d * d, singles + (2 * h + side) * d, d, I, J, K,
                     sums_full);
        fetch_tile(ring, third_bits + K * n_stages * THIRD_BYTES, narrowed + (h * (d / 16) + I) * n_stages * PAIR_BYTES,
                   pair_bits + J * n_stages * PAIR_BYTES, n_stages);
      }
    return;
  }
  CONSUME_TILES {
    const int4 at = ((const int4*)tiles)[tile];
    const size_t h = at.x;
    const int I = at.y, K = at.z, J = at.w, j = J + group * 8 + row;
    float4 of_pair[2][4];
#pragma unroll
    for (int side = 0; side < 2; side++)
#pragma unroll
      for (int pair = 0; pair < 4; pair++) {
        const int i = I + (pair >> 1) * 8 + 2 * warp + (pair & 1);
        const float* alone = singles + (2 * h + side) * d;
        of_pair[side][pair] =
            cells_of_pair(sums[((2 * h + side) * d + i) * d + j], alone[i], alone[j], totals[2 * h + side]);
      }
    int acc[2][64];
    count(acc, ring, turn, n_stages, group, warp, lane);
    wait(sums_full, n_done & 1);
    const u32 of_j = (FIRSTS + group * 8 + row) * SUMS_LINE * 4, of_k = (FIRSTS + SECONDS) * SUMS_LINE * 4;
#pragma unroll
    for (int n = 0; n < 16; n++) {
      const u32 place = own_sums + (n * 8 + part * 2) * 4;
      float found[8], largest = 0;
#pragma unroll
      for (int pair = 0; pair < 4; pair++) {
        const u32 of_i = ((pair >> 1) * 8 + 2 * warp + (pair & 1)) * SUMS_LINE * 4;
        const size_t i = I + (pair >> 1) * 8 + 2 * warp + (pair & 1), k = K + n * 8 + part * 2;
        const int* mine = acc[pair >> 1] + n * 4 + (pair & 1) * 2;
        const float2 all = __ldg((const float2*)(table + (i * d + j) * d + k));
        float2 set = make_float2(number(-mine[0]), number(-mine[1])), total = make_float2(0, 0);
#pragma unroll
        for (int side = 0; side < 2; side++) {
          const u32 here = place + side * SUMS_BYTES;
          const float2 ik = read_two(here + of_i), jk = read_two(here + of_j), s_k = read_two(here + of_k);
          total.x += sum_of_cells(of_pair[side][pair], set.x, ik.x, jk.x, s_k.x);
          total.y += sum_of_cells(of_pair[side][pair], set.y, ik.y, jk.y, s_k.y);
          set = make_float2(all.x - set.x, all.y - set.y);
        }
        found[2 * pair] = total.x, found[2 * pair + 1] = total.y;
        largest = fmaxf(largest, fmaxf(total.x, total.y));
      }
      if (largest < least) continue;
#pragma unroll
      for (int which = 0; which < 8; which++) {
        const int i = I + (which >> 2) * 8 + 2 * warp + (which >> 1 & 1), k = K + n * 8 + part * 2 + (which & 1);
        const int score = (int)found[which];
        if (score < least || i <= first + (int)h || i >= j || j >= k) continue;
        passed.take(score, ((u64)(first + h) << 48) | ((u64)i << 32) | ((u64)j << 16) | (u64)k);
      }
    }
    __syncwarp();
    if (lane == 0) arrive(sums_empty);
  }
  passed.leave(thread);
}
