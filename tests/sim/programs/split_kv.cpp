#include <algorithm>

#include "sim/algorithms/build.h"
#include "sim/units.h"
#include "tests/sim/programs/programs.h"

namespace hbmscope::test {

using namespace build;

void build_split_kv(const Plan& plan, BuiltProgram& built) {
  const auto& [problem, tile, order, walk] = plan;
  Program& program = built.program;
  program.algorithm = "split-KV";
  program.problem = problem;
  const ForwardTensors tensors = add_forward_tensors(problem, program);
  const std::int64_t planes = problem.batch * problem.heads * tile.splits;
  const int partial_o =
      tensor(program, "partial O", Role::workspace, planes, problem.seqlen_q, problem.head_dim_v, 4);
  const int partial_lse = tensor(program, "partial LSE", Role::workspace, planes, problem.seqlen_q, 1, 4);

  const std::int64_t tiles = ceil_div(problem.seqlen_kv, tile.bc);
  const std::int64_t tiles_per_split = ceil_div(tiles, tile.splits);
  std::vector<std::int64_t> ends;
  for (std::int64_t split = 0; split < tile.splits; ++split) {
    ends.push_back(std::min((split + 1) * tiles_per_split, tiles));
  }
  const int split_ends = add_table(built, ends);
  {
    Launch& launch = program.launches.add();
    launch.name = "split";
    const QueryGrid grid = query_grid(launch, problem, tile.br, false);
    const int split = launch.loops.push(counted("split", tile.splits));
    launch.grid_loops = 4;
    const Index partial_plane =
        plane({{split, 1}, {grid.head, tile.splits}, {grid.batch, problem.heads * tile.splits}});
    load(launch, tensors.q, grid.query_plane, grid.query_rows, whole(problem.head_dim));
    Loop visible = visible_kv_tiles(problem, grid.q_tile, tile.br, tile.bc);
    visible.begin = {.affine = affine({{split, tiles_per_split}})};
    visible.end.table = split_ends;
    visible.end.position = affine({{split, 1}});
    const int kv_tile = open_loop(launch, visible);
    const Range keys = tile_of(kv_tile, tile.bc, problem.seqlen_kv);
    load(launch, tensors.k, grid.key_value_plane, keys, whole(problem.head_dim));
    load(launch, tensors.v, grid.key_value_plane, keys, whole(problem.head_dim_v));
    matmul(launch, "S = Q Kᵀ", grid.query_rows, keys, problem.head_dim);
    matmul(launch, "O = O + P V", grid.query_rows, keys, problem.head_dim_v);
    close_loop(launch, kv_tile);
    store(launch, partial_o, partial_plane, grid.query_rows, whole(problem.head_dim_v));
    store(launch, partial_lse, partial_plane, grid.query_rows, whole(1));
  }
  {
    Launch& launch = program.launches.add();
    launch.name = "combine";
    const QueryGrid grid = query_grid(launch, problem, tile.br, false);
    const int split = open_loop(launch, counted("split", tile.splits));
    const Index partial_plane =
        plane({{split, 1}, {grid.head, tile.splits}, {grid.batch, problem.heads * tile.splits}});
    load(launch, partial_lse, partial_plane, grid.query_rows, whole(1));
    load(launch, partial_o, partial_plane, grid.query_rows, whole(problem.head_dim_v));
    elementwise(launch, "O = O + e^{LSE_s − LSE} O_s", grid.query_rows);
    close_loop(launch, split);
    store(launch, tensors.o, grid.query_plane, grid.query_rows, whole(problem.head_dim_v));
    store(launch, tensors.lse, grid.query_plane, grid.query_rows, whole(1));
  }
}

}  // namespace hbmscope::test
