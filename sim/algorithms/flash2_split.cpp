// What FlashAttention-2 adds where K and V are split (Flash-Decoding, Dao et al. 2023): every split writes an
// O of its own and what weighs it, and a second launch adds them up.
#include "sim/algorithms/build.h"
#include "sim/algorithms/flash2.h"

namespace hbmscope {

void add_flash2_partials(const Plan& plan, std::int64_t stats, Flash2Tensors& tensors, Program& program) {
  const Problem& problem = plan.problem;
  const std::int64_t planes = problem.batch * problem.heads * plan.tile.splits;
  const auto partial = [&](std::string_view name, std::int64_t columns) {
    return build::tensor(program, name, Role::workspace, planes, problem.seqlen_q, columns, 4);
  };
  tensors.partial_o = partial("partial O", problem.head_dim_v);
  tensors.partial_stats = partial(stats == 1 ? "partial LSE" : "partial m, l", stats);
}

void build_flash2_combine(const Plan& plan, const Flash2Tensors& tensors, std::int64_t rows, bool writes_lse,
                          Program& program) {
  using namespace build;
  const Problem& problem = plan.problem;
  const std::int64_t splits = plan.tile.splits;
  Launch& launch = program.launches.add();
  launch.name = "combine";
  const QueryGrid grid = query_grid(launch, problem, rows, false);
  const int split = open_loop(launch, counted("split", splits));
  const Index partial = plane({{split, 1}, {grid.head, splits}, {grid.batch, problem.heads * splits}});
  load(launch, tensors.partial_stats, partial, grid.query_rows,
       whole(program.tensors[tensors.partial_stats].columns));
  load(launch, tensors.partial_o, partial, grid.query_rows, whole(problem.head_dim_v));
  elementwise(launch, "O = O + exp(LSE of the split - LSE) O of the split", grid.query_rows);
  close_loop(launch, split);
  store(launch, tensors.o, grid.query_plane, grid.query_rows, whole(problem.head_dim_v));
  if (writes_lse) store(launch, tensors.lse, grid.query_plane, whole(1), grid.query_rows);
}

}  // namespace hbmscope
