#pragma once

#include <cstdint>

#include "sim/algorithms/algorithm.h"
#include "sim/algorithms/directions.h"

// The parts of standard attention, forward in standard.cpp.
namespace hbmscope {

// kNone where the direction needs none: S and O forward only, gradients backward only.
struct StandardTensors {
  int q, k, v, o, s, p;
  Gradients gradients;
  int d_p, d_s;
};

// Rows of S, P, dP and dS hold `score_columns` elements: seqlen_kv, or more where a kernel pads them.
StandardTensors add_standard_tensors(const Problem& problem, std::int64_t score_columns, Program& program);

// Kernel standard_softmax, P = softmax(S), over rows padded to standard_s_columns: what lies in a row's
// padding is read and masked by its index, and becomes 0 in P. A plane of S and P holds the rows of
// `heads_per_plane` query heads, one head after the other.
void build_standard_softmax(const Problem& problem, int s, int p, std::int64_t heads_per_plane,
                            bool described, Launch& launch);
// Why that kernel cannot run a problem's rows; "" if it can.
std::string standard_softmax_limit(const Problem& problem);

// Variant cublas, and why cuBLAS or the softmax kernel cannot run a plan; "" if they can.
void build_standard_cublas(const Plan& plan, Program& program);
std::string standard_cublas_limit(const Plan& plan);

// Variant eager: what PyTorch runs, and what that implies of a plan.
void build_standard_eager(const Plan& plan, Program& program);
ImpliedPlan standard_eager_plan(const Problem& problem);
std::string standard_eager_note(const Problem& problem, const GpuSpec& gpu);

// The papers' count: Algorithms 0 (forward) and 3 (backward) of Dao et al. 2022.
void build_standard_paper(const Plan& plan, Program& program);
// The passes of these that the direction asks for, appended for tensors that are there.
void build_standard_passes(const StandardTensors& tensors, Program& program);

// The papers' passes over contiguous copies of Q and K, as a framework makes them.
void build_standard_autograd(const Plan& plan, Program& program);

// Appends Algorithm 3 in tiles, as kernels like those of the forward pass would run it.
void build_standard_backward(const Plan& plan, const StandardTensors& tensors, Program& program);

}  // namespace hbmscope
