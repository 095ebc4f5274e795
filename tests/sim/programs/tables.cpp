#include <algorithm>
#include <limits>
#include <numeric>

#include "sim/algorithms/build.h"
#include "sim/units.h"
#include "tests/sim/programs/programs.h"

namespace hbmscope::test {

using namespace build;

namespace {

// A bound read from a table at a position of its own.
Bound listed(int table, const Affine& position) {
  return {.affine = affine({}, kUnbounded), .table = table, .position = position};
}

struct Pages {
  std::int64_t per_sequence = 0;  // entries of the flattened table for each sequence
  std::vector<std::int64_t> table;
  std::int64_t count = 0;
};

Pages flatten(const std::vector<std::vector<std::int64_t>>& block_table) {
  Pages pages;
  for (const auto& row : block_table) {
    pages.per_sequence = std::max(pages.per_sequence, static_cast<std::int64_t>(row.size()));
  }
  for (std::vector<std::int64_t> row : block_table) {
    for (std::int64_t page : row) pages.count = std::max(pages.count, page + 1);
    row.resize(static_cast<std::size_t>(pages.per_sequence), 0);
    pages.table.insert(pages.table.end(), row.begin(), row.end());
  }
  return pages;
}

}  // namespace

void build_paged(const Plan& plan, const std::vector<std::int64_t>& lengths,
                 const std::vector<std::vector<std::int64_t>>& block_table, BuiltProgram& built) {
  const auto& [problem, tile, order, walk] = plan;
  const std::int64_t page = problem.page_size;
  const Pages pages = flatten(block_table);
  Program& program = built.program;
  program.algorithm = "paged";
  program.problem = problem;
  const ForwardTensors tensors = add_forward_tensors(problem, program);
  Tensor& keys_cache = program.tensors[tensors.k];
  keys_cache.planes = problem.kv_heads;
  keys_cache.rows = pages.count * page;
  Tensor& values_cache = program.tensors[tensors.v];
  values_cache.planes = pages.count * problem.kv_heads;
  values_cache.rows = page;

  // Tokens go by in units of the larger of tile and page, made of pieces of the smaller one.
  const std::int64_t unit = std::max(page, tile.bc);
  const std::int64_t piece = std::min(page, tile.bc);
  const bool many_pages = tile.bc > page;
  std::vector<std::int64_t> units;
  for (std::int64_t length : lengths) units.push_back(ceil_div(length, unit));
  const int block = add_table(built, pages.table);
  const int length_of = add_table(built, lengths);
  const int units_of = add_table(built, units);

  Launch& launch = program.launches.add();
  launch.name = "paged";
  const QueryGrid grid = query_grid(launch, problem, tile.br, false);
  const Affine sequence = affine({{grid.batch, 1}});
  load(launch, tensors.q, grid.query_plane, grid.query_rows, whole(problem.head_dim));
  const int outer = open_loop(launch, {.name = "unit", .begin = fixed(0), .end = listed(units_of, sequence)});
  const int inner = open_loop(launch, counted("piece", unit / piece));
  const Range tokens{.start = affine({{outer, unit}, {inner, piece}}),
                     .extent = piece,
                     .limit = listed(length_of, sequence)};
  const Affine page_position =
      many_pages ? affine({{grid.batch, pages.per_sequence}, {outer, unit / piece}, {inner, 1}})
                 : affine({{grid.batch, pages.per_sequence}, {outer, 1}});
  const Affine within_page = many_pages ? Affine{} : affine({{inner, piece}});

  Access& keys = load(launch, tensors.k, {}, tokens, whole(problem.head_dim));
  keys.plane.offset = floored({{grid.head, 1}}, 0, problem.group());
  keys.rows_placed = true;
  keys.place = {.offset = within_page, .table = block, .position = page_position, .scale = page};
  Access& values = load(launch, tensors.v, {}, tokens, whole(problem.head_dim_v));
  values.plane = {.offset = floored({{grid.head, 1}}, 0, problem.group()),
                  .table = block,
                  .position = page_position,
                  .scale = problem.kv_heads};
  values.rows_placed = true;
  values.place = {.offset = within_page};
  if (many_pages) close_loop(launch, inner);
  const Range computed =
      many_pages ? Range{affine({{outer, unit}}), unit, listed(length_of, sequence)} : tokens;
  matmul(launch, "S = Q Kᵀ", grid.query_rows, computed, problem.head_dim);
  matmul(launch, "O = O + P V", grid.query_rows, computed, problem.head_dim_v);
  if (!many_pages) close_loop(launch, inner);
  close_loop(launch, outer);
  store(launch, tensors.o, grid.query_plane, grid.query_rows, whole(problem.head_dim_v));
  store(launch, tensors.lse, grid.query_plane, grid.query_rows, whole(1));
}

void build_ragged_batch(const Plan& plan, const std::vector<std::int64_t>& lengths, BuiltProgram& built) {
  const auto& [problem, tile, order, walk] = plan;
  Program& program = built.program;
  program.algorithm = "ragged batch";
  program.problem = problem;
  const ForwardTensors tensors = add_forward_tensors(problem, program);
  const std::int64_t rows = std::accumulate(lengths.begin(), lengths.end(), std::int64_t{0});
  for (int t = 0; t < program.tensors.count(); ++t) {
    program.tensors[t].planes /= problem.batch;
    program.tensors[t].rows = rows;
  }
  std::vector<std::int64_t> first_rows;
  std::partial_sum(lengths.begin(), lengths.end(), std::back_inserter(first_rows));
  first_rows.insert(first_rows.begin(), 0);

  // Tiles of K/V for every q tile of every sequence; none where the sequence ends before the q tile.
  const std::int64_t q_tiles = ceil_div(*std::max_element(lengths.begin(), lengths.end()), tile.br);
  std::vector<std::int64_t> visible;
  for (std::int64_t length : lengths) {
    for (std::int64_t i = 0; i < q_tiles; ++i) {
      const std::int64_t keys = problem.mask == Mask::causal ? std::min(length, (i + 1) * tile.br) : length;
      visible.push_back(i * tile.br < length ? ceil_div(keys, tile.bc) : 0);
    }
  }
  const int first_row_of = add_table(built, first_rows);
  const int length_of = add_table(built, lengths);
  const int tiles_of = add_table(built, visible);

  Launch& launch = program.launches.add();
  launch.name = "ragged batch";
  const int q_tile = launch.loops.push(counted("q tile", q_tiles));
  const int head = launch.loops.push(counted("head", problem.heads));
  const int batch = launch.loops.push(counted("batch", problem.batch));
  launch.grid_loops = 3;
  const Affine sequence = affine({{batch, 1}});
  const Index query_plane = plane({{head, 1}});
  const Index kv_plane = plane({{head, 1}}, problem.group());
  const auto placed = [&](Access& access) {
    access.rows_placed = true;
    access.place = {.offset = access.rows.start, .table = first_row_of, .position = sequence};
  };
  const Range queries{affine({{q_tile, tile.br}}), tile.br, listed(length_of, sequence)};
  placed(load(launch, tensors.q, query_plane, queries, whole(problem.head_dim)));
  const int kv_tile = open_loop(launch, {.name = "kv tile",
                                         .begin = fixed(0),
                                         .end = listed(tiles_of, affine({{batch, q_tiles}, {q_tile, 1}}))});
  const Range keys{affine({{kv_tile, tile.bc}}), tile.bc, listed(length_of, sequence)};
  placed(load(launch, tensors.k, kv_plane, keys, whole(problem.head_dim)));
  placed(load(launch, tensors.v, kv_plane, keys, whole(problem.head_dim_v)));
  matmul(launch, "S = Q Kᵀ", queries, keys, problem.head_dim);
  matmul(launch, "O = O + P V", queries, keys, problem.head_dim_v);
  close_loop(launch, kv_tile);
  placed(store(launch, tensors.o, query_plane, queries, whole(problem.head_dim_v)));
  placed(store(launch, tensors.lse, query_plane, queries, whole(1)));
}

}  // namespace hbmscope::test
