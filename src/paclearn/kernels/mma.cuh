// What kernels on the 1-bit tensor cores of any card share: stages of rows in shared memory, and products of bits.
#define STAGE_WORDS 32

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

// Stages are fetched ahead: load(s) starts what stage s needs, and use(s) comes when it is there.
template <int AHEAD, class Load, class Use>
__device__ __forceinline__ void stage_by_stage(int n_stages, Load load, Use use) {
#pragma unroll
  for (int s = 0; s < AHEAD; s++) {
    if (s < n_stages) load(s);
    asm volatile("cp.async.commit_group;");
  }
  for (int s = 0; s < n_stages; s++) {
    asm volatile("cp.async.wait_group %0;" ::"n"(AHEAD - 1));
    __syncthreads();
    if (s + AHEAD < n_stages) load(s + AHEAD);
    asm volatile("cp.async.commit_group;");
    use(s);
  }
  asm volatile("cp.async.wait_group 0;");
}
