#include <algorithm>

#include "sim/algorithms/build.h"
#include "sim/units.h"
#include "tests/sim/programs/programs.h"

namespace hbmscope::test {

using namespace build;

int add_table(BuiltProgram& built, std::vector<std::int64_t> values) {
  built.tables.push_back(std::move(values));
  return built.program.tables.push(built.tables.back());
}

ForwardTensors add_forward_tensors(const Problem& problem, Program& program) {
  const std::int64_t width = element_bytes(problem.dtype);
  const std::int64_t query_planes = problem.batch * problem.heads;
  const std::int64_t kv_planes = problem.batch * problem.kv_heads;
  return {
      .q = tensor(program, "Q", Role::input, query_planes, problem.seqlen_q, problem.head_dim, width),
      .k = tensor(program, "K", Role::input, kv_planes, problem.seqlen_kv, problem.head_dim, width),
      .v = tensor(program, "V", Role::input, kv_planes, problem.seqlen_kv, problem.head_dim_v, width),
      .o = tensor(program, "O", Role::output, query_planes, problem.seqlen_q, problem.head_dim_v, width),
      .lse = tensor(program, "LSE", Role::output, query_planes, problem.seqlen_q, 1, 4),
  };
}

void build_longest_first(const Plan& plan, std::int64_t persistent_ctas, BuiltProgram& built) {
  const Algorithm& flash2 = find_algorithm("flash2");
  build_program(flash2, find_variant(flash2, "mma"), plan, built.program);
  built.program.launches[0].schedule = Schedule::longest_first;
  built.program.launches[0].persistent_ctas = persistent_ctas;
}

void build_spilling(const Plan& plan, std::int64_t per_step, std::int64_t per_cta, BuiltProgram& built) {
  const auto& [problem, tile, order, walk] = plan;
  Program& program = built.program;
  program.algorithm = "spilling";
  program.problem = problem;
  const ForwardTensors tensors = add_forward_tensors(problem, program);
  const std::int64_t piece = std::max(per_step, per_cta);
  const int spills = tensor(program, "spills", Role::local, 1, 1, piece, 1);
  const auto part = [&](std::int64_t bytes) { return Range{.extent = piece, .limit = fixed(bytes)}; };
  Launch& launch = program.launches.add();
  launch.name = "spilling";
  const QueryGrid grid = query_grid(launch, problem, tile.br, order == Order::head_fastest);
  load(launch, tensors.q, grid.query_plane, grid.query_rows, whole(problem.head_dim));
  store(launch, spills, plane({}), whole(1), part(per_cta));
  const int kv_tile = open_loop(launch, visible_kv_tiles(problem, grid.q_tile, tile.br, tile.bc));
  const Range keys = tile_of(kv_tile, tile.bc, problem.seqlen_kv);
  load(launch, tensors.k, grid.key_value_plane, keys, whole(problem.head_dim));
  load(launch, tensors.v, grid.key_value_plane, keys, whole(problem.head_dim_v));
  store(launch, spills, plane({}), whole(1), part(per_step));
  close_loop(launch, kv_tile);
  store(launch, tensors.o, grid.query_plane, grid.query_rows, whole(problem.head_dim_v));
  store(launch, tensors.lse, grid.query_plane, grid.query_rows, whole(1));
}

void build_multicast(const Plan& plan, std::int64_t cluster, BuiltProgram& built) {
  const auto& [problem, tile, order, walk] = plan;
  Program& program = built.program;
  program.algorithm = "multicast";
  program.problem = problem;
  const ForwardTensors tensors = add_forward_tensors(problem, program);
  Launch& launch = program.launches.add();
  launch.name = "multicast";
  launch.cluster = cluster;
  const int rank = launch.loops.push(counted("rank", cluster));
  const int group = launch.loops.push(counted("cluster", ceil_div(problem.seqlen_q, tile.br * cluster)));
  const int head = launch.loops.push(counted("head", problem.heads));
  const int batch = launch.loops.push(counted("batch", problem.batch));
  launch.grid_loops = 4;
  const Index query_plane = plane({{head, 1}, {batch, problem.heads}});
  const Index kv_plane = plane({{head, 1}, {batch, problem.heads}}, problem.group());
  const Range queries{.start = affine({{rank, tile.br}, {group, tile.br * cluster}}),
                      .extent = tile.br,
                      .limit = fixed(problem.seqlen_q)};
  load(launch, tensors.q, query_plane, queries, whole(problem.head_dim), Path::tensor_copy);
  const int kv_tile = open_loop(launch, counted("kv tile", ceil_div(problem.seqlen_kv, tile.bc)));
  const Range keys = tile_of(kv_tile, tile.bc, problem.seqlen_kv);
  for (const auto& [tensor, columns] :
       {std::pair{tensors.k, problem.head_dim}, std::pair{tensors.v, problem.head_dim_v}}) {
    Access& shared = load(launch, tensor, kv_plane, keys, whole(columns), Path::tensor_copy);
    shared.multicast = cluster;
    shared.guard = {.kind = Guard::Kind::first, .loop = rank};
  }
  matmul(launch, "S = Q Kᵀ", queries, keys, problem.head_dim);
  matmul(launch, "O = O + P V", queries, keys, problem.head_dim_v);
  close_loop(launch, kv_tile);
  store(launch, tensors.o, query_plane, queries, whole(problem.head_dim_v));
  store(launch, tensors.lse, query_plane, queries, whole(1));
}

void build_packed_gqa(const Plan& plan, BuiltProgram& built) {
  const Problem& problem = plan.problem;
  const Tile& tile = plan.tile;
  Program& program = built.program;
  program.algorithm = "packed GQA";
  program.problem = problem;
  const ForwardTensors tensors = add_forward_tensors(problem, program);
  // A tile of br rows holds br / group query positions of every head.
  const std::int64_t positions = std::max<std::int64_t>(1, tile.br / problem.group());
  Launch& launch = program.launches.add();
  launch.name = "packed GQA";
  const int q_tile = launch.loops.push(counted("q tile", ceil_div(problem.seqlen_q, positions)));
  const int kv_head = launch.loops.push(counted("kv head", problem.kv_heads));
  const int batch = launch.loops.push(counted("batch", problem.batch));
  launch.grid_loops = 3;
  const Index kv_plane = plane({{kv_head, 1}, {batch, problem.kv_heads}});
  const Range queries = tile_of(q_tile, positions, problem.seqlen_q);
  const Loop heads = counted("head of the group", problem.group());
  const auto query_plane = [&](int head) {
    return plane({{head, 1}, {kv_head, problem.group()}, {batch, problem.heads}});
  };

  const int loaded = open_loop(launch, heads);
  load(launch, tensors.q, query_plane(loaded), queries, whole(problem.head_dim));
  close_loop(launch, loaded);
  const int kv_tile = open_loop(launch, visible_kv_tiles(problem, q_tile, positions, tile.bc));
  const Range keys = tile_of(kv_tile, tile.bc, problem.seqlen_kv);
  load(launch, tensors.k, kv_plane, keys, whole(problem.head_dim));
  load(launch, tensors.v, kv_plane, keys, whole(problem.head_dim_v));
  const int computed = open_loop(launch, heads);
  matmul(launch, "S = Q Kᵀ", queries, keys, problem.head_dim);
  matmul(launch, "O = O + P V", queries, keys, problem.head_dim_v);
  close_loop(launch, computed);
  close_loop(launch, kv_tile);
  const int stored = open_loop(launch, heads);
  store(launch, tensors.o, query_plane(stored), queries, whole(problem.head_dim_v));
  store(launch, tensors.lse, query_plane(stored), queries, whole(1));
  close_loop(launch, stored);
}

void build_mla(const Plan& plan, BuiltProgram& built) {
  const auto& [problem, tile, order, walk] = plan;
  Program& program = built.program;
  program.algorithm = "mla";
  program.problem = problem;
  ForwardTensors tensors = add_forward_tensors(problem, program);
  Tensor& values = program.tensors[tensors.v];
  values.view_of = tensors.k;
  values.first_column = 0;
  values.row_stride = problem.head_dim;
  Launch& launch = program.launches.add();
  launch.name = "mla";
  const QueryGrid grid = query_grid(launch, problem, tile.br, false);
  load(launch, tensors.q, grid.query_plane, grid.query_rows, whole(problem.head_dim));
  const int kv_tile = open_loop(launch, visible_kv_tiles(problem, grid.q_tile, tile.br, tile.bc));
  const Range keys = tile_of(kv_tile, tile.bc, problem.seqlen_kv);
  load(launch, tensors.k, grid.key_value_plane, keys, whole(problem.head_dim));
  matmul(launch, "S = Q Cᵀ", grid.query_rows, keys, problem.head_dim);
  load(launch, tensors.v, grid.key_value_plane, keys, whole(problem.head_dim_v));
  matmul(launch, "O = O + P V", grid.query_rows, keys, problem.head_dim_v);
  close_loop(launch, kv_tile);
  store(launch, tensors.o, grid.query_plane, grid.query_rows, whole(problem.head_dim_v));
  store(launch, tensors.lse, grid.query_plane, grid.query_rows, whole(1));
}

}  // namespace hbmscope::test
