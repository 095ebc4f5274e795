#include "sim/program.h"

#include <fmt/format.h>

#include <stdexcept>

#include "sim/loops.h"

namespace hbmscope {
namespace {

[[noreturn]] void malformed(const Program& program, const Launch& launch, std::string_view what) {
  throw std::logic_error(fmt::format("{}, launch {}: {}", program.algorithm, launch.name, what));
}

LoopMask mask_of(const OpenLoops& open) {
  LoopMask mask = 0;
  for (int loop : open) mask |= LoopMask{1} << loop;
  return mask;
}

LoopMask loops_in(const Range& range) { return loops_in(range.start) | loops_in(range.limit); }

LoopMask loops_in(const Guard& guard) {
  const LoopMask condition =
      guard.kind == Guard::Kind::when_not_negative ? hbmscope::loops_in(guard.condition) : 0;
  return condition | (guard.loop == kNone ? 0 : LoopMask{1} << guard.loop);
}

void check_table(const Program& program, const Launch& launch, int table) {
  if (table != kNone && (table < 0 || table >= program.tables.count())) {
    malformed(program, launch, "no such table");
  }
}

void check_guard(const Program& program, const Launch& launch, const Guard& guard) {
  const bool names_loop = guard.kind != Guard::Kind::always && guard.kind != Guard::Kind::when_not_negative;
  if (names_loop && guard.loop == kNone) malformed(program, launch, "a guard names no loop");
}

bool has_tensor(const Program& program, int tensor) {
  return tensor >= 0 && tensor < program.tensors.count();
}

// A base stands before its views, so that following them ends.
void check_views(const Program& program) {
  for (int tensor = 0; tensor < program.tensors.count(); ++tensor) {
    const int base = program.tensors[tensor].view_of;
    if (base == kNone || (base >= 0 && base < tensor)) continue;
    throw std::logic_error(fmt::format("{}, tensor {}: a view of no tensor before it", program.algorithm,
                                       program.tensors[tensor].name));
  }
}

void check_access(const Program& program, const Launch& launch, const Access& access, LoopMask open) {
  if (!has_tensor(program, access.tensor)) malformed(program, launch, "no such tensor");
  if (program.tensors[access.tensor].role == Role::on_chip) {
    malformed(program, launch, "a tensor that lives on chip is moved through global memory");
  }
  check_guard(program, launch, access.guard);
  for (int table :
       {access.plane.table, access.place.table, access.rows.limit.table, access.columns.limit.table}) {
    check_table(program, launch, table);
  }
  const LoopMask read = loops_in(access.plane) | loops_in(access.rows) | loops_in(access.columns) |
                        loops_in(access.guard) | (access.rows_placed ? loops_in(access.place) : 0);
  if ((read & ~open) != 0) malformed(program, launch, "an access reads a loop that is not open");
}

void check_compute(const Program& program, const Launch& launch, const Compute& compute, LoopMask open) {
  for (const SharedOperand& operand : compute.shared) {
    if (operand.tensor != kNone && !has_tensor(program, operand.tensor)) {
      malformed(program, launch, "a compute's operand is no such tensor");
    }
  }
  check_guard(program, launch, compute.guard);
  const LoopMask read = loops_in(compute.queries) | loops_in(compute.keys) | loops_in(compute.guard);
  if ((read & ~open) != 0) malformed(program, launch, "a compute reads a loop that is not open");
}

void check_step(const Program& program, const Launch& launch, const Step& step, OpenLoops& open,
                LoopMask& opened) {
  switch (step.kind) {
    case Step::Kind::open_loop: {
      if (step.index < launch.grid_loops || step.index >= launch.loops.count()) {
        malformed(program, launch, "the body opens a loop of the grid, or one that does not exist");
      }
      const Loop& loop = launch.loops[step.index];
      check_table(program, launch, loop.begin.table);
      check_table(program, launch, loop.end.table);
      if ((opened >> step.index & 1) != 0) {
        malformed(program, launch, fmt::format("loop {} opens twice", loop.name));
      }
      opened |= LoopMask{1} << step.index;
      const bool alternates = loop.walk == Walk::alternating;
      if (alternates && (loop.alternates_with < 0 || (mask_of(open) >> loop.alternates_with & 1) == 0)) {
        malformed(program, launch, fmt::format("loop {} alternates with a loop that is not open", loop.name));
      }
      if (((loops_in(loop.begin) | loops_in(loop.end)) & ~mask_of(open)) != 0) {
        malformed(program, launch,
                  fmt::format("the bounds of loop {} read a loop that is not open", loop.name));
      }
      open.push(step.index);
      break;
    }
    case Step::Kind::close_loop:
      if (open.count() <= launch.grid_loops || open.back() != step.index) {
        malformed(program, launch, "loops close in another order than they open");
      }
      open.pop();
      break;
    case Step::Kind::access:
      if (step.index < 0 || step.index >= launch.accesses.count()) {
        malformed(program, launch, "a step names no access");
      }
      check_access(program, launch, launch.accesses[step.index], mask_of(open));
      break;
    case Step::Kind::compute:
      if (step.index < 0 || step.index >= launch.computes.count()) {
        malformed(program, launch, "a step names no compute");
      }
      check_compute(program, launch, launch.computes[step.index], mask_of(open));
      break;
  }
}

void check_library_gemm(const Program& program, const Launch& launch, const LibraryGemm& gemm) {
  for (const int tensor : {gemm.a, gemm.b, gemm.c}) {
    if (!has_tensor(program, tensor)) malformed(program, launch, "a library's operand is no such tensor");
  }
  if (!launch.kernel.empty()) malformed(program, launch, "both a kernel and a library are named");
}

// A tensor that is not an input must be written before it is read or added to.
void check_written_first(const Program& program) {
  TensorSet written = 0;
  for (const Launch& launch : program.launches) {
    for (const Operation operation : {Operation::store, Operation::reduce, Operation::load}) {
      for (const Access& access : launch.accesses) {
        if (access.operation != operation) continue;
        const int base = base_tensor(program, access.tensor);
        const bool defined = program.tensors[base].role == Role::input || (written >> base & 1) != 0;
        if (operation != Operation::store && !defined) {
          malformed(program, launch,
                    fmt::format("reads {} before anything wrote it", program.tensors[base].name));
        }
        if (operation != Operation::load) written |= TensorSet{1} << base;
      }
    }
  }
}

}  // namespace

std::int64_t table_entry(const Program& program, int table, const Affine& position, const Indices& indices) {
  const auto values = program.tables[table];
  const std::int64_t at = value_of(position, indices);
  if (at < 0 || at >= static_cast<std::int64_t>(values.size())) {
    throw std::logic_error(fmt::format("{}: position {} lies outside table {} of {} entries",
                                       program.algorithm, at, table, values.size()));
  }
  return values[static_cast<std::size_t>(at)];
}

int base_tensor(const Program& program, int tensor) {
  while (program.tensors[tensor].view_of != kNone) tensor = program.tensors[tensor].view_of;
  return tensor;
}

void check_program(const Program& program) {
  check_views(program);
  for (const Launch& launch : program.launches) {
    OpenLoops open;
    if (launch.grid_loops < 0 || launch.grid_loops > launch.loops.count()) {
      malformed(program, launch, "the grid spans loops that do not exist");
    }
    for (int loop = launch.grid_loops - 1; loop >= 0; --loop) {
      if (loops_in(launch.loops[loop].begin) != 0 || loops_in(launch.loops[loop].end) != 0) {
        malformed(program, launch, "a grid loop's bounds depend on another loop");
      }
      open.push(loop);
    }
    LoopMask opened = 0;
    if (launch.library_gemm) check_library_gemm(program, launch, *launch.library_gemm);
    for (const Step& step : launch.body) check_step(program, launch, step, open, opened);
    if (open.count() != launch.grid_loops) malformed(program, launch, "a loop is left open");
  }
  check_written_first(program);
}

}  // namespace hbmscope
