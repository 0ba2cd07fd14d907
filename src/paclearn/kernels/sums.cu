#include "planes.cuh"
// Pairs of columns, alone or behind a first column, by sums of whole numbers that stand for the numbers of the rows: bounds
// from above of their scores. See sum_scores.cpp, which has the same in the processor.
//
// A layer is a channel of a class, or its rows, which come last: [classes][channels, and rows].
extern "C" __global__ void __launch_bounds__(THREADS, 1)
plane_sums(const u32* __restrict__ bits, int words, int n_planes, const int4* __restrict__ plan, int n_steps, int n_layers,
           const int4* __restrict__ tiles, long long* sums) {
  add_products<long long>(bits, words, n_planes, plan, n_steps, n_layers, tiles, sums);
}

#define FEW_OTHERS 1e-6
enum Kind { SQUARES, WEIGHTED_SQUARES, VOTES };

// steps and errors: what one of a channel is worth, and how far off a row is at most
struct Rule {
  int kind, n_classes, n_channels;
  const double *steps, *errors;
  double own, peak;
};

// one cell of two columns behind a code of a first one
struct Cell {
  const Rows<long long>& rows;
  const Rule& rule;
  int u, n_u, a, v, n_v, b;

  __device__ __noinline__ double layer(int y, int channel) const {  // called from twelve places: inlined, it takes long to compile
    return (double)rows.cell(y * (rule.n_channels + 1) + channel, u, n_u, a, v, n_v, b);
  }
  __device__ double count(int y) const { return layer(y, rule.n_channels); }
  __device__ double sum(int y, int channel) const { return rule.steps[channel] * layer(y, channel); }

  __device__ double squares() const {
    const double n = count(0);
    if (n < 2) return 0;
    const double s = fabs(sum(0, 0)) + n * rule.errors[0], q = sum(0, 1) - n * rule.errors[1];
    return (s * s - fmax(q, 0.0)) / (n - 1);
  }

  __device__ double weighted_squares() const {
    const double n = count(0);
    if (n == 0) return 0;
    const double w = sum(0, 0), most = w + n * rule.errors[0], least = w - n * rule.errors[0] - rule.own;
    const double s = fabs(sum(0, 1)) + n * rule.errors[1], q = sum(0, 2) - n * rule.errors[2];
    const double found = s * s - fmax(q, 0.0), top = rule.peak * most;
    if (least < FEW_OTHERS * most) return top;
    return found <= 0 ? found / most : fmin(found / least, top);
  }

  __device__ double votes() const {
    double n = 0, weight = 0, own = 0, bound = 0;
    for (int y = 0; y < rule.n_classes; y++) {
      n += count(y), weight += sum(y, 0);
      if (rule.n_channels == 2) own += sum(y, 1);
    }
    if (n == 0) return 0;
    const double off = n * rule.errors[0], least = weight - off;
    for (int y = rule.n_classes == 2 ? 1 : 0; y < rule.n_classes; y++) {
      const double s = 2 * sum(y, 0) - weight;
      const bool known = fabs(s) > off && least > FEW_OTHERS * weight;
      double more = known ? 0 : rule.own;
      if (known && rule.n_channels == 2) {
        const double signs = 2 * sum(y, 1) - own, top = (s > 0 ? -signs : signs) + n * rule.errors[1];
        more = fmin(top / (top > 0 ? least : weight + off), rule.own);
      }
      bound += fmax(fabs(s) + off + more, 0.0);
    }
    return bound;
  }

  __device__ double bound() const {
    return rule.kind == VOTES ? votes() : rule.kind == SQUARES ? squares() : weighted_squares();
  }
};

// as `columns` of planes.cu; rounding: the steps of all channels, then their errors, then own and peak
extern "C" __global__ void bounds(const long long* __restrict__ pairs, const long long* __restrict__ behind, int n_planes,
                                  const long long* __restrict__ totals, int n_layers, const int2* __restrict__ firsts,
                                  const int* __restrict__ starts, int n_columns, int begin, const double* __restrict__ rounding,
                                  int n_channels, int kind, double scale, double floor, int probe, u64* listed, u64 room,
                                  double* scores, u64* members) {
  const Trio of(firsts, begin, n_columns);
  double sum = 0;
  if (of.is_there) {
    const double* ends = rounding + 2 * n_channels;
    const Rule rule = {kind, n_layers / (n_channels + 1), n_channels, rounding, rounding + n_channels, ends[0], ends[1]};
    Rows<long long> rows(pairs, behind, totals, n_planes, n_layers, of.head, starts);
    const int p_u = starts[of.u], n_u = starts[of.u + 1] - p_u, p_v = starts[of.v], n_v = starts[of.v + 1] - p_v;
    for (rows.code = 0; rows.code <= rows.n_firsts; rows.code++)
      for (int a = 0; a <= n_u; a++)
        for (int b = 0; b <= n_v; b++) sum += Cell{rows, rule, p_u, n_u, a, p_v, n_v, b}.bound();
  }
  const Passed passed = {floor, probe, listed, room, scores, members};
  passed.take(of.is_there ? sum * scale : NOTHING, of.members());
}
