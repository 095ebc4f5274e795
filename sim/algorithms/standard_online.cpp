// Standard attention with an online softmax (Milakov and Gimelshein 2018): QKᵀ keeps the maximum m and the
// sum of exponentials l of each row, so that PV makes P = e^{S − m} / l of S as it reads it. S goes through
// HBM, P does not: S is written and read once, where standard writes and reads both.
#include <array>

#include "sim/algorithms/algorithm.h"
#include "sim/algorithms/build.h"
#include "sim/algorithms/standard_online_mma.h"

namespace hbmscope {
namespace {

// A grid over KV heads and batch; the query heads of a group are an inner loop, so that K and V are read
// once.
struct OperandGrid {
  Index query_plane;
  int group_head;
};

OperandGrid open_operands(const Problem& problem, Launch& launch, int operand, std::int64_t columns) {
  using namespace build;
  const int kv_head = launch.loops.push(counted("kv head", problem.kv_heads));
  const int batch = launch.loops.push(counted("batch", problem.batch));
  launch.grid_loops = 2;
  load(launch, operand, plane({{kv_head, 1}, {batch, problem.kv_heads}}), whole(problem.seqlen_kv),
       whole(columns));
  const int group_head = open_loop(launch, counted("head of the group", problem.group()));
  return {plane({{group_head, 1}, {kv_head, problem.group()}, {batch, problem.heads}}), group_head};
}

void build_paper(const Plan& plan, Program& program) {
  using namespace build;
  const Problem& problem = plan.problem;
  const std::int64_t width = element_bytes(problem.dtype);
  const auto queries_tensor = [&](std::string_view name, Role role, std::int64_t columns) {
    return tensor(program, name, role, problem.batch * problem.heads, problem.seqlen_q, columns, width);
  };
  const auto keys_tensor = [&](std::string_view name, std::int64_t columns) {
    return tensor(program, name, Role::input, problem.batch * problem.kv_heads, problem.seqlen_kv, columns,
                  width);
  };
  const int q = queries_tensor("Q", Role::input, problem.head_dim);
  const int k = keys_tensor("K", problem.head_dim);
  const int v = keys_tensor("V", problem.head_dim_v);
  const int o = queries_tensor("O", Role::output, problem.head_dim_v);
  const int s = queries_tensor("S", Role::workspace, problem.seqlen_kv);
  const int m = queries_tensor("m", Role::workspace, 1);
  const int l = queries_tensor("l", Role::workspace, 1);
  const Range queries = whole(problem.seqlen_q);
  const Range keys = whole(problem.seqlen_kv);
  {
    Launch& launch = program.launches.add();
    launch.name = "S = QKᵀ, m, l";
    const auto [query_plane, group_head] = open_operands(problem, launch, k, problem.head_dim);
    load(launch, q, query_plane, queries, whole(problem.head_dim));
    matmul(launch, "S = Q Kᵀ", queries, keys, problem.head_dim);
    softmax(launch, "m, l: online softmax of S", queries, keys, 1, 0);
    store(launch, s, query_plane, queries, keys);
    store(launch, m, query_plane, queries, whole(1));
    store(launch, l, query_plane, queries, whole(1));
    close_loop(launch, group_head);
  }
  {
    Launch& launch = program.launches.add();
    launch.name = "O = softmax(S) V";
    const auto [query_plane, group_head] = open_operands(problem, launch, v, problem.head_dim_v);
    load(launch, s, query_plane, queries, keys);
    load(launch, m, query_plane, queries, whole(1));
    load(launch, l, query_plane, queries, whole(1));
    softmax(launch, "P = e^{S − m} / l", queries, keys, 1, 0);
    matmul(launch, "O = P V", queries, keys, problem.head_dim_v);
    store(launch, o, query_plane, queries, whole(problem.head_dim_v));
    close_loop(launch, group_head);
  }
}

const std::array<Variant, 2> kVariants{{
    {"mma", "two mma.sync kernels, sm_80 and up; S in the problem's type, m and l in fp32 for each kv tile",
     true, build_standard_online_mma, limit_of_standard_online_mma},
    {"paper", "the ideal count: each launch reads each operand once, no kernel", false, build_paper, nullptr},
}};

}  // namespace

extern const Algorithm kStandardOnline;
const Algorithm kStandardOnline{
    "standard-online",
    "two launches: S = QKᵀ with each row's maximum and sum, then O = softmax(S)V; "
    "S through HBM, P not",
    kVariants};

}  // namespace hbmscope
