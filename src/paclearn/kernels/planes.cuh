#include "mma.cuh"
// Numbers of the rows that two planes of bits share, alone or behind a first one, and the cells of columns from them.
//
// A column of q codes has q - 1 planes. Rows where two planes are set, or a first plane and two others, are a product of
// matrices of bits. Sums of whole numbers are such products, too: of every binary digit of the numbers (a slice) one,
// from the highest digit on, what was found so far doubled before the next. The cells follow by subtraction.
#define SIDE 128
#define STAGES 3
#define THREADS 256
#define STAGE_BYTES ((2 * SIDE + 8) * STAGE_WORDS * 4)  // eight columns of room for first plane and slice: it stays aligned
#define NOTHING (-1e300)

// bits: [planes, and slices behind them][words]; tiles: [tiles][4], a first plane or -1, where the rows and the columns of
// the tile begin, and which of the results it belongs to; plan: [steps][4], a stage, the slice or -1, and what follows: go on
// (0, -1), multiply what was found (factor, -1), or add it times a factor to a layer (factor, layer) and begin anew;
// sums: [results][layers][n_planes][n_planes]
template <class Number>
__device__ __forceinline__ void add_products(const u32* __restrict__ bits, int words, int n_planes, const int4* __restrict__ plan,
                                             int n_steps, int n_layers, const int4* __restrict__ tiles, Number* sums) {
  extern __shared__ __align__(128) u32 shared[];
  const u32 base = (u32)__cvta_generic_to_shared(shared);
  const int thread = threadIdx.x, lane = thread & 31, warp = thread >> 5, row = lane >> 2, part = lane & 3;
  const int top = (warp & 1) * 64, left = (warp >> 1) * 32;
  const int4 tile = tiles[blockIdx.x];
  int acc[4][4][4] = {};
  auto load = [&](int s) {
    const int4 step = plan[s];
    const u32 to = base + (s % STAGES) * STAGE_BYTES;
    for (int q = thread; q < (2 * SIDE + 2) * 8; q += THREADS) {
      const int r = q >> 3, c = q & 7;
      const int plane = r < SIDE ? tile.y + r : r < 2 * SIDE ? tile.z + r - SIDE : r == 2 * SIDE ? tile.x : step.y;
      if (plane >= 0) fetch(to + chunk_of(r, c), bits + (size_t)plane * words + step.x * STAGE_WORDS + c * 4);
    }
  };
  auto add_to = [&](int layer, int factor) {
    Number* to = sums + ((size_t)tile.w * n_layers + layer) * n_planes * n_planes;
#pragma unroll
    for (int m = 0; m < 4; m++)
#pragma unroll
      for (int n = 0; n < 4; n++)
#pragma unroll
        for (int e = 0; e < 4; e++) {
          const size_t i = tile.y + top + m * 16 + (e >> 1) * 8 + row, j = tile.z + left + n * 8 + part * 2 + (e & 1);
          to[i * n_planes + j] += (Number)acc[m][n][e] * factor;
        }
  };
  stage_by_stage<STAGES - 1>(n_steps, load, [&](int s) {
    const int4 step = plan[s];
    const u32 stage = base + (s % STAGES) * STAGE_BYTES;
#pragma unroll
    for (int half = 0; half < 2; half++) {
      const int c = half * 4 + part;
      uint4 right[4], narrow = make_uint4(~0u, ~0u, ~0u, ~0u);
      if (tile.x >= 0) narrow = read(stage + chunk_of(2 * SIDE, c));
      if (step.y >= 0) narrow = both(narrow, read(stage + chunk_of(2 * SIDE + 1, c)));
#pragma unroll
      for (int n = 0; n < 4; n++) right[n] = both(read(stage + chunk_of(SIDE + left + n * 8 + row, c)), narrow);
#pragma unroll
      for (int m = 0; m < 4; m++) {
        const uint4 x = read(stage + chunk_of(top + m * 16 + row, c)), y = read(stage + chunk_of(top + m * 16 + 8 + row, c));
#pragma unroll
        for (int n = 0; n < 4; n++) and_popc(acc[m][n], x.x, y.x, x.y, y.y, right[n].x, right[n].y);
#pragma unroll
        for (int n = 0; n < 4; n++) and_popc(acc[m][n], x.z, y.z, x.w, y.w, right[n].z, right[n].w);
      }
    }
    if (step.z == 0) return;
    if (step.w >= 0) add_to(step.w, step.z);
    const int times = step.w >= 0 ? 0 : step.z;
#pragma unroll
    for (int m = 0; m < 4; m++)
#pragma unroll
      for (int n = 0; n < 4; n++)
#pragma unroll
        for (int e = 0; e < 4; e++) acc[m][n][e] *= times;
  });
}

// the rows of one code of a first column, or all rows: where their numbers of pairs, single planes and all are found
template <class Number>
struct Rows {
  const Number *pairs, *behind;  // of all rows; behind the planes of the first column, a result each
  const Number* totals;          // of every layer
  size_t n_planes, n_layers;
  int first, n_firsts, code;  // the first plane and how many there are; code 0 is what none of them covers

  __device__ Rows(const Number* pairs, const Number* behind, const Number* totals, int n_planes, int n_layers, int2 head,
                  const int* starts)
      : pairs(pairs), behind(behind), totals(totals), n_planes(n_planes), n_layers(n_layers), first(0), n_firsts(0), code(0) {
    if (head.x < 0) return;
    first = starts[head.x], n_firsts = starts[head.x + 1] - first;
    this->behind += (size_t)head.y * n_layers * n_planes * n_planes;
  }

  __device__ Number of_all(int c, size_t i, size_t j) const { return pairs[(c * n_planes + i) * n_planes + j]; }

  __device__ Number two(int c, size_t i, size_t j) const {
    const size_t at = (c * n_planes + i) * n_planes + j, result = n_layers * n_planes * n_planes;
    if (code) return behind[(code - 1) * result + at];
    Number left = pairs[at];
    for (int p = 0; p < n_firsts; p++) left -= behind[p * result + at];
    return left;
  }

  __device__ Number one(int c, size_t i) const {
    if (code) return of_all(c, first + code - 1, i);
    Number left = of_all(c, i, i);
    for (int p = 0; p < n_firsts; p++) left -= of_all(c, first + p, i);
    return left;
  }

  __device__ Number all(int c) const {
    if (code) return of_all(c, first + code - 1, first + code - 1);
    Number left = totals[c];
    for (int p = 0; p < n_firsts; p++) left -= of_all(c, first + p, first + p);
    return left;
  }

  // of a layer in the cell of two columns; planes of u and v begin at u and v, and there are n_u and n_v of them
  __device__ Number cell(int c, int u, int n_u, int a, int v, int n_v, int b) const {
    if (a && b) return two(c, u + a - 1, v + b - 1);
    Number found = a ? one(c, u + a - 1) : b ? one(c, v + b - 1) : all(c);
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

// One first column (or none) a z; pairs (u, v) behind it, a thread each, the first of them from `begin` on.
struct Trio {
  int2 head;
  int u, v;
  bool is_there;

  __device__ Trio(const int2* firsts, int begin, int n_columns)
      : head(firsts[blockIdx.z]), u(begin + blockIdx.y), v(begin + blockIdx.x * blockDim.x + threadIdx.x),
        is_there(u > head.x && v > u && v < n_columns) {}

  __device__ u64 members() const { return ((u64)(head.x + 1) << 42) | ((u64)u << 21) | (u64)v; }
};

// What is no less than the floor goes on the list; to probe, every block leaves its best. All threads of a block take part.
struct Passed {
  double floor;
  int probe;
  u64 *listed, room;
  double* scores;
  u64* members;

  __device__ void take(double score, u64 who) const {
    if (probe) return leave(score, who);
    if (!(score >= floor && score > NOTHING)) return;
    const u64 at = atomicAdd(listed, 1ull);
    if (at < room) scores[at] = score, members[at] = who;
  }

  __device__ void leave(double score, u64 who) const {
    __shared__ double best[THREADS];
    __shared__ u64 owner[THREADS];
    const int thread = threadIdx.x;
    best[thread] = score, owner[thread] = who;
    for (int step = THREADS / 2; step; step >>= 1) {
      __syncthreads();
      if (thread < step && best[thread + step] > best[thread]) best[thread] = best[thread + step], owner[thread] = owner[thread + step];
    }
    const size_t at = ((size_t)blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
    if (thread == 0) scores[at] = best[0], members[at] = owner[0];
  }
};
