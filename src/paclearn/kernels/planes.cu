// Pairs of columns with any number of levels and classes, alone or behind a first column: what tensor cores count, scored.
//
// A column of q codes has q - 1 planes of bits. Rows of every class where two planes are set, or a first plane and two
// others, are a product of matrices of bits (plane_pairs); the counts of all cells follow from them by subtraction, and
// from those the scores (columns).
#define SIDE 128
#define STAGE_WORDS 32
#define STAGES 3
#define THREADS 256
#define STAGE_BYTES ((2 * SIDE + 8) * STAGE_WORDS * 4)  // eight columns of room for the first plane: it stays aligned

typedef unsigned u32;
typedef unsigned long long u64;

__device__ __forceinline__ void and_popc(int* c, u32 a0, u32 a1, u32 a2, u32 a3, u32 b0, u32 b1) {
  asm volatile(
      "mma.sync.aligned.m16n8k256.row.col.s32.b1.b1.s32.and.popc {%0,%1,%2,%3},{%4,%5,%6,%7},{%8,%9},{%0,%1,%2,%3};"
      : "+r"(c[0]), "+r"(c[1]), "+r"(c[2]), "+r"(c[3])
      : "r"(a0), "r"(a1), "r"(a2), "r"(a3), "r"(b0), "r"(b1));
}

__device__ __forceinline__ void fetch(u32 to, const void* from) {
  asm volatile("cp.async.cg.shared.global [%0],[%1],16;" ::"r"(to), "l"(from));
}

__device__ __forceinline__ uint4 read(u32 at) {
  uint4 v;
  asm volatile("ld.shared.v4.u32 {%0,%1,%2,%3},[%4];" : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w) : "r"(at));
  return v;
}

__device__ __forceinline__ uint4 both(uint4 a, uint4 b) { return make_uint4(a.x & b.x, a.y & b.y, a.z & b.z, a.w & b.w); }

// 16-byte chunks of odd columns change halves, so that eight columns meet all banks
__device__ __forceinline__ u32 chunk_of(int column, int chunk) { return column * 128 + ((chunk ^ ((column & 1) << 2)) << 4); }

// tiles: [tiles][4], a first plane or -1, where the rows and the columns of the tile begin, and which of the results it
// belongs to; ends: the stage behind the last one of every class; counts: [results][classes][n_planes][n_planes],
// noughts before
extern "C" __global__ void __launch_bounds__(THREADS, 1)
plane_pairs(const u32* __restrict__ bits, int words, int n_planes, const int* __restrict__ ends, int n_classes,
            const int4* __restrict__ tiles, int* __restrict__ counts) {
  extern __shared__ __align__(128) u32 shared[];
  const u32 base = (u32)__cvta_generic_to_shared(shared);
  const int thread = threadIdx.x, lane = thread & 31, warp = thread >> 5, row = lane >> 2, part = lane & 3;
  const int top = (warp & 1) * 64, left = (warp >> 1) * 32;
  const int4 tile = tiles[blockIdx.x];
  const int n_stages = words / STAGE_WORDS;
  int acc[4][4][4];
  auto clear = [&]() {
#pragma unroll
    for (int m = 0; m < 4; m++)
#pragma unroll
      for (int n = 0; n < 4; n++)
#pragma unroll
        for (int e = 0; e < 4; e++) acc[m][n][e] = 0;
  };
  auto load = [&](int stage) {
    const u32 to = base + (stage % STAGES) * STAGE_BYTES;
    for (int q = thread; q < (2 * SIDE + (tile.x >= 0)) * 8; q += THREADS) {
      const int r = q >> 3, c = q & 7;
      const int plane = r < SIDE ? tile.y + r : r < 2 * SIDE ? tile.z + r - SIDE : tile.x;
      fetch(to + chunk_of(r, c), bits + (size_t)plane * words + stage * STAGE_WORDS + c * 4);
    }
  };
#pragma unroll
  for (int s = 0; s < STAGES - 1; s++) {
    if (s < n_stages) load(s);
    asm volatile("cp.async.commit_group;");
  }
  clear();
  int of_class = 0;
  while (of_class < n_classes && ends[of_class] == 0) of_class++;  // classes without rows have noughts already
  for (int s = 0; s < n_stages; s++) {
    asm volatile("cp.async.wait_group %0;" ::"n"(STAGES - 2));
    __syncthreads();
    if (s + STAGES - 1 < n_stages) load(s + STAGES - 1);
    asm volatile("cp.async.commit_group;");
    const u32 stage = base + (s % STAGES) * STAGE_BYTES;
#pragma unroll
    for (int half = 0; half < 2; half++) {
      const int c = half * 4 + part;
      uint4 right[4];
#pragma unroll
      for (int n = 0; n < 4; n++) right[n] = read(stage + chunk_of(SIDE + left + n * 8 + row, c));
      if (tile.x >= 0) {
        const uint4 first = read(stage + chunk_of(2 * SIDE, c));
#pragma unroll
        for (int n = 0; n < 4; n++) right[n] = both(right[n], first);
      }
#pragma unroll
      for (int m = 0; m < 4; m++) {
        const uint4 x = read(stage + chunk_of(top + m * 16 + row, c)), y = read(stage + chunk_of(top + m * 16 + 8 + row, c));
#pragma unroll
        for (int n = 0; n < 4; n++) and_popc(acc[m][n], x.x, y.x, x.y, y.y, right[n].x, right[n].y);
#pragma unroll
        for (int n = 0; n < 4; n++) and_popc(acc[m][n], x.z, y.z, x.w, y.w, right[n].z, right[n].w);
      }
    }
    while (of_class < n_classes && s + 1 == ends[of_class]) {  // a class without rows ends where the one before it does
      int* to = counts + ((size_t)tile.w * n_classes + of_class) * n_planes * n_planes;
#pragma unroll
      for (int m = 0; m < 4; m++)
#pragma unroll
        for (int n = 0; n < 4; n++)
#pragma unroll
          for (int e = 0; e < 2; e++) {
            const size_t i = tile.y + top + m * 16 + e * 8 + row, j = tile.z + left + n * 8 + part * 2;
            *(int2*)(to + i * n_planes + j) = make_int2(acc[m][n][2 * e], acc[m][n][2 * e + 1]);
          }
      clear();
      of_class++;
    }
  }
  asm volatile("cp.async.wait_group 0;");
}

// the rows of one code of a first column, or all rows: where their counts of pairs, single planes and classes are found
struct Rows {
  const int *pairs, *behind;  // of all rows; behind the planes of the first column, a result each
  size_t n_planes, n_classes;
  int first, n_firsts, code;  // the first plane and how many there are; code 0 is what none of them covers

  __device__ int of_all(int c, size_t i, size_t j) const { return pairs[(c * n_planes + i) * n_planes + j]; }

  __device__ int two(int c, size_t i, size_t j) const {
    const size_t at = (c * n_planes + i) * n_planes + j, result = n_classes * n_planes * n_planes;
    if (code) return behind[(code - 1) * result + at];
    int left = pairs[at];
    for (int p = 0; p < n_firsts; p++) left -= behind[p * result + at];
    return left;
  }

  __device__ int one(int c, size_t i) const {
    if (code) return of_all(c, first + code - 1, i);
    int left = of_all(c, i, i);
    for (int p = 0; p < n_firsts; p++) left -= of_all(c, first + p, i);
    return left;
  }

  __device__ int all(int c, const int* class_rows) const {
    if (code) return of_all(c, first + code - 1, first + code - 1);
    int left = class_rows[c];
    for (int p = 0; p < n_firsts; p++) left -= of_all(c, first + p, first + p);
    return left;
  }

  // rows of a class in the cell of two columns; planes of u and v begin at u and v, and there are n_u and n_v of them
  __device__ int cell(int c, int u, int n_u, int a, int v, int n_v, int b, const int* class_rows) const {
    if (a && b) return two(c, u + a - 1, v + b - 1);
    int found = a ? one(c, u + a - 1) : b ? one(c, v + b - 1) : all(c, class_rows);
    if (a) {
      for (int j = 0; j < n_v; j++) found -= two(c, u + a - 1, v + j);
    } else if (b) {
      for (int i = 0; i < n_u; i++) found -= two(c, u + i, v + b - 1);
    } else {
      for (int i = 0; i < n_u; i++) found -= one(c, u + i);
      for (int j = 0; j < n_v; j++) {
        found -= one(c, v + j);
        for (int i = 0; i < n_u; i++) found += two(c, u + i, v + j);
      }
    }
    return found;
  }
};

// what a cell adds: M_n (0), score_1 (1), the squared two-norm (2); see scores.hpp
__device__ __forceinline__ double cell_score(int kind, double positive, double rows, double weight) {
  const double sign = fabs(2 * positive - rows);
  if (kind == 0) return sign == 0 ? fmin(rows, 1.0) : sign - sign / fmax(rows, 1.0);
  if (kind == 1) return weight * (sign == 0 ? rows : sign * (rows - 1));
  return weight * sign * sign;
}

// One first column (or none) a z; pairs (u, v) behind it, a thread each. firsts: [firsts][2], a column or -1, and which
// result is that of its first plane; starts: the first plane of every column, and the end; inverse: one over the share of
// every code of every column, n_codes a line, or null. Those that score no less than the floor go on the list; to probe,
// every block leaves its best.
extern "C" __global__ void columns(const int* __restrict__ pairs, const int* __restrict__ behind, int n_planes,
                                   const int* __restrict__ class_rows, int n_classes, const int2* __restrict__ firsts,
                                   const int* __restrict__ starts, int n_columns, int begin,
                                   const double* __restrict__ inverse, int n_codes, int kind, double scale, double floor,
                                   int probe, u64* listed, u64 room, double* scores, u64* members) {
  __shared__ double best[THREADS];
  const int2 head = firsts[blockIdx.z];
  const int u = begin + blockIdx.y, v = begin + blockIdx.x * blockDim.x + threadIdx.x;
  double sum = -1;
  if (u > head.x && v > u && v < n_columns) {
    Rows rows = {pairs, behind, (size_t)n_planes, (size_t)n_classes, 0, 0, 0};
    if (head.x >= 0) {
      rows.first = starts[head.x], rows.n_firsts = starts[head.x + 1] - starts[head.x];
      rows.behind += (size_t)head.y * n_classes * n_planes * n_planes;
    }
    const int p_u = starts[u], n_u = starts[u + 1] - p_u, p_v = starts[v], n_v = starts[v + 1] - p_v;
    sum = 0;
    for (rows.code = 0; rows.code <= rows.n_firsts; rows.code++)
      for (int a = 0; a <= n_u; a++)
        for (int b = 0; b <= n_v; b++) {
          double weight = 1;
          if (inverse)
            weight = (head.x < 0 ? 1.0 : inverse[head.x * n_codes + rows.code]) * inverse[u * n_codes + a] * inverse[v * n_codes + b];
          int in_cell = 0, last = 0;
          for (int c = 0; c < n_classes; c++) in_cell += last = rows.cell(c, p_u, n_u, a, p_v, n_v, b, class_rows);
          if (n_classes == 2) {
            sum += cell_score(kind, last, in_cell, weight);
          } else {
            for (int c = 0; c < n_classes; c++)
              sum += cell_score(kind, rows.cell(c, p_u, n_u, a, p_v, n_v, b, class_rows), in_cell, weight);
          }
        }
    sum *= scale;
    if (!probe && sum >= floor) {
      const u64 at = atomicAdd(listed, 1ull);
      if (at < room) scores[at] = sum, members[at] = ((u64)(head.x + 1) << 42) | ((u64)u << 21) | (u64)v;
    }
  }
  if (!probe) return;
  best[threadIdx.x] = sum;
  for (int step = THREADS / 2; step; step >>= 1) {
    __syncthreads();
    if (threadIdx.x < step) best[threadIdx.x] = fmax(best[threadIdx.x], best[threadIdx.x + step]);
  }
  if (threadIdx.x == 0) scores[((size_t)blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x] = best[0];
}
