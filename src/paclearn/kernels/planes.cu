#include "planes.cuh"
// Pairs of columns with any number of levels and classes, alone or behind a first column: what tensor cores count, scored.
// A layer is a class.
extern "C" __global__ void __launch_bounds__(THREADS, 1)
plane_pairs(const u32* __restrict__ bits, int words, int n_planes, const int4* __restrict__ plan, int n_steps, int n_layers,
            const int4* __restrict__ tiles, int* counts) {
  add_products<int>(bits, words, n_planes, plan, n_steps, n_layers, tiles, counts);
}

// what a cell adds: M_n (0), score_1 (1), the squared two-norm (2); see scores.hpp
__device__ __forceinline__ double cell_score(int kind, double positive, double rows, double weight) {
  const double sign = fabs(2 * positive - rows);
  if (kind == 0) return sign == 0 ? fmin(rows, 1.0) : sign - sign / fmax(rows, 1.0);
  if (kind == 1) return weight * (sign == 0 ? rows : sign * (rows - 1));
  return weight * sign * sign;
}

// firsts: [firsts][2], a column or -1, and which result is that of its first plane; starts: the first plane of every column,
// and the end; inverse: one over the share of every code of every column, n_codes a line, or null
extern "C" __global__ void columns(const int* __restrict__ pairs, const int* __restrict__ behind, int n_planes,
                                   const int* __restrict__ class_rows, int n_classes, const int2* __restrict__ firsts,
                                   const int* __restrict__ starts, int n_columns, int begin,
                                   const double* __restrict__ inverse, int n_codes, int kind, double scale, double floor,
                                   int probe, u64* listed, u64 room, double* scores, u64* members) {
  const Trio of(firsts, begin, n_columns);
  double sum = 0;
  if (of.is_there) {
    Rows<int> rows(pairs, behind, class_rows, n_planes, n_classes, of.head, starts);
    const int p_u = starts[of.u], n_u = starts[of.u + 1] - p_u, p_v = starts[of.v], n_v = starts[of.v + 1] - p_v;
    for (rows.code = 0; rows.code <= rows.n_firsts; rows.code++)
      for (int a = 0; a <= n_u; a++)
        for (int b = 0; b <= n_v; b++) {
          double weight = 1;
          if (inverse)
            weight = (of.head.x < 0 ? 1.0 : inverse[of.head.x * n_codes + rows.code]) * inverse[of.u * n_codes + a] * inverse[of.v * n_codes + b];
          int in_cell = 0, last = 0;
          for (int c = 0; c < n_classes; c++) in_cell += last = rows.cell(c, p_u, n_u, a, p_v, n_v, b);
          if (n_classes == 2) {
            sum += cell_score(kind, last, in_cell, weight);
          } else {
            for (int c = 0; c < n_classes; c++) sum += cell_score(kind, rows.cell(c, p_u, n_u, a, p_v, n_v, b), in_cell, weight);
          }
        }
  }
  const Passed passed = {floor, probe, listed, room, scores, members};
  passed.take(of.is_there ? sum * scale : NOTHING, of.members());
}
