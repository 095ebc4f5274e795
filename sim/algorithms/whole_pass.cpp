#include "sim/algorithms/whole_pass.h"

#include "sim/algorithms/build.h"

namespace hbmscope {
namespace {

using namespace build;

void add_compute(const PassCompute& compute, const Problem& problem, Launch& launch) {
  const Range queries = whole(problem.seqlen_q);
  const Range keys = whole(problem.seqlen_kv);
  switch (compute.kind) {
    case ComputeKind::matmul:
      matmul(launch, compute.name, queries, keys, compute.depth);
      break;
    case ComputeKind::softmax:
      softmax(launch, compute.name, queries, keys, compute.exponentials_per_pair, 0);
      break;
    case ComputeKind::elementwise:
      elementwise(launch, compute.name, queries);
      break;
  }
}

}  // namespace

void add_whole_pass(Program& program, const WholePass& pass) {
  const Problem& problem = program.problem;
  Launch& launch = program.launches.add();
  launch.name = pass.name;
  const int kv_head = launch.loops.push(counted("kv head", problem.kv_heads));
  const int batch = launch.loops.push(counted("batch", problem.batch));
  launch.grid_loops = 2;
  const auto rows = [&](int tensor) { return whole(program.tensors[tensor].rows); };
  const auto columns = [&](int tensor) { return whole(program.tensors[tensor].columns); };

  const Index kv_plane = plane({{kv_head, 1}, {batch, problem.kv_heads}});
  for (const int tensor : pass.kv_loads) load(launch, tensor, kv_plane, rows(tensor), columns(tensor));
  const int group_head = open_loop(launch, counted("head of the group", problem.group()));
  const Index query_plane = plane({{group_head, 1}, {kv_head, problem.group()}, {batch, problem.heads}});
  for (const int tensor : pass.loads) load(launch, tensor, query_plane, rows(tensor), columns(tensor));
  add_compute(pass.compute, problem, launch);
  if (!pass.then.name.empty()) add_compute(pass.then, problem, launch);
  for (const int tensor : pass.stores) store(launch, tensor, query_plane, rows(tensor), columns(tensor));
  close_loop(launch, group_head);
  for (const int tensor : pass.kv_stores) store(launch, tensor, kv_plane, rows(tensor), columns(tensor));
}

}  // namespace hbmscope
