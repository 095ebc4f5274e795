#include "sim/algorithms/build.h"

#include "sim/units.h"

namespace hbmscope::build {

Affine affine(std::initializer_list<Term> terms, std::int64_t constant) {
  Affine form{.constant = constant};
  for (const Term& term : terms) {
    if (term.factor != 0) form.terms.at(static_cast<std::size_t>(form.count++)) = term;
  }
  return form;
}

Affine floored(std::initializer_list<Term> terms, std::int64_t constant, std::int64_t divisor) {
  Affine form = affine(terms, constant);
  form.divisor = divisor;
  return form;
}

Affine ceiled(std::initializer_list<Term> terms, std::int64_t constant, std::int64_t divisor) {
  Affine form = floored(terms, constant, divisor);
  form.round_up = true;
  return form;
}

Bound fixed(std::int64_t value) { return {.affine = affine({}, value)}; }

Loop counted(std::string_view name, std::int64_t count) {
  return {.name = name, .begin = fixed(0), .end = fixed(count)};
}

Range tile_of(int loop, std::int64_t extent, std::int64_t limit) {
  return {.start = affine({{loop, extent}}), .extent = extent, .limit = fixed(limit)};
}

Range whole(std::int64_t extent) { return {.start = {}, .extent = extent, .limit = fixed(extent)}; }

Index plane(std::initializer_list<Term> terms, std::int64_t divisor) {
  return {.offset = floored(terms, 0, divisor)};
}

int tensor(Program& program, std::string_view name, Role role, std::int64_t planes, std::int64_t rows,
           std::int64_t columns, std::int64_t element_bytes) {
  return program.tensors.push({.name = name,
                               .role = role,
                               .planes = planes,
                               .rows = rows,
                               .columns = columns,
                               .row_stride = columns,
                               .element_bytes = element_bytes});
}

int open_loop(Launch& launch, const Loop& loop) {
  const int index = launch.loops.push(loop);
  launch.body.push({Step::Kind::open_loop, index});
  return index;
}

void close_loop(Launch& launch, int loop) { launch.body.push({Step::Kind::close_loop, loop}); }

namespace {

Access& access(Launch& launch, Operation operation, int tensor, const Index& plane, const Range& rows,
               const Range& columns, Path path) {
  launch.body.push({Step::Kind::access, launch.accesses.count()});
  Access& added = launch.accesses.add();
  added.tensor = tensor;
  added.operation = operation;
  added.plane = plane;
  added.rows = rows;
  added.columns = columns;
  added.path = path;
  return added;
}

Compute& compute(Launch& launch, ComputeKind kind, std::string_view name, const Range& queries,
                 const Range& keys) {
  launch.body.push({Step::Kind::compute, launch.computes.count()});
  Compute& added = launch.computes.add();
  added.name = name;
  added.kind = kind;
  added.queries = queries;
  added.keys = keys;
  return added;
}

}  // namespace

Access& load(Launch& launch, int tensor, const Index& plane, const Range& rows, const Range& columns,
             Path path) {
  return access(launch, Operation::load, tensor, plane, rows, columns, path);
}

Access& store(Launch& launch, int tensor, const Index& plane, const Range& rows, const Range& columns) {
  return access(launch, Operation::store, tensor, plane, rows, columns, Path::registers);
}

Access& reduce(Launch& launch, int tensor, const Index& plane, const Range& rows, const Range& columns) {
  return access(launch, Operation::reduce, tensor, plane, rows, columns, Path::registers);
}

Compute& matmul(Launch& launch, std::string_view name, const Range& queries, const Range& keys,
                std::int64_t depth) {
  Compute& added = compute(launch, ComputeKind::matmul, name, queries, keys);
  added.depth = depth;
  return added;
}

Compute& softmax(Launch& launch, std::string_view name, const Range& queries, const Range& keys,
                 std::int64_t exponentials_per_pair, std::int64_t exponentials_per_query) {
  Compute& added = compute(launch, ComputeKind::softmax, name, queries, keys);
  added.exponentials_per_pair = exponentials_per_pair;
  added.exponentials_per_query = exponentials_per_query;
  return added;
}

Compute& elementwise(Launch& launch, std::string_view name, const Range& queries) {
  return compute(launch, ComputeKind::elementwise, name, queries, whole(1));
}

QueryGrid query_grid(Launch& launch, const Problem& problem, std::int64_t br, bool head_fastest,
                     bool batch_before_head) {
  const Loop q_tiles = counted("q tile", ceil_div(problem.seqlen_q, br));
  const Loop heads = counted("head", problem.heads);
  QueryGrid grid{};
  const Loop batch = counted("batch", problem.batch);
  if (head_fastest) grid.head = launch.loops.push(heads);
  grid.q_tile = launch.loops.push(q_tiles);
  if (!head_fastest && batch_before_head) grid.batch = launch.loops.push(batch);
  if (!head_fastest) grid.head = launch.loops.push(heads);
  if (head_fastest || !batch_before_head) grid.batch = launch.loops.push(batch);
  launch.grid_loops = 3;
  grid.query_plane = plane({{grid.head, 1}, {grid.batch, problem.heads}});
  grid.key_value_plane = plane({{grid.head, 1}, {grid.batch, problem.heads}}, problem.group());
  grid.query_rows = tile_of(grid.q_tile, br, problem.seqlen_q);
  return grid;
}

QueryGrid query_grid_in_sections(Launch& launch, const Problem& problem, std::int64_t br,
                                 std::int64_t heads) {
  QueryGrid grid{};
  grid.head = launch.loops.push(counted("head", heads));
  grid.q_tile = launch.loops.push(counted("q tile", ceil_div(problem.seqlen_q, br)));
  grid.batch = launch.loops.push(counted("section", problem.batch * problem.heads / heads));
  launch.grid_loops = 3;
  grid.query_plane = plane({{grid.head, 1}, {grid.batch, heads}});
  grid.key_value_plane = plane({{grid.head, 1}, {grid.batch, heads}}, problem.group());
  grid.query_rows = tile_of(grid.q_tile, br, problem.seqlen_q);
  return grid;
}

Loop visible_kv_tiles(const Problem& problem, int q_tile, std::int64_t br, std::int64_t bc) {
  const std::int64_t tiles = ceil_div(problem.seqlen_kv, bc);
  Loop loop = counted("kv tile", tiles);
  if (problem.mask == Mask::full) return loop;
  // The last row of the tile sees keys below (i + 1) br + Nkv − Nq.
  const std::int64_t offset = problem.seqlen_kv - problem.seqlen_q;
  loop.end = {.affine = ceiled({{q_tile, br}}, br + offset, bc), .minimum = 0, .maximum = tiles};
  if (problem.mask == Mask::window) {
    // Its first row sees keys from i br + Nkv − Nq − W + 1 on.
    const std::int64_t first_key = offset + 1 - problem.window;
    loop.begin = {.affine = floored({{q_tile, br}}, first_key, bc), .minimum = 0, .maximum = tiles};
  }
  return loop;
}

Loop seeing_q_tiles(const Problem& problem, int kv_tile, std::int64_t br, std::int64_t bc) {
  const std::int64_t tiles = ceil_div(problem.seqlen_q, br);
  Loop loop = counted("q tile", tiles);
  if (problem.mask == Mask::full) return loop;
  // Key j bc is seen by rows from j bc − (Nkv − Nq) on.
  const std::int64_t offset = problem.seqlen_kv - problem.seqlen_q;
  loop.begin = {.affine = floored({{kv_tile, bc}}, -offset, br), .minimum = 0, .maximum = tiles};
  if (problem.mask == Mask::window) {
    // The tile's last key, (j + 1) bc − 1, is seen by rows below (j + 1) bc − 1 − (Nkv − Nq) + W.
    const std::int64_t last_row = bc - 1 - offset + problem.window;
    loop.end = {.affine = ceiled({{kv_tile, bc}}, last_row, br), .minimum = 0, .maximum = tiles};
  }
  return loop;
}

}  // namespace hbmscope::build
