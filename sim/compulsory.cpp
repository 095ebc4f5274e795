// Compulsory bytes: what an infinite cache would still move. Processed launch by launch, tensor by tensor:
//   read(l)  = |loads(l) ∪ seen| − |seen|        seen    = everything that earlier launches read or wrote
//   write(l) = |stores(l) ∪ written| − |written| written = everything that earlier launches wrote
// Within a launch, an input is read before it is overwritten, and anything else is written before it is
// read (check_program insists on a writer).
#include <array>
#include <vector>

#include "sim/box_union.h"
#include "sim/traffic.h"
#include "sim/units.h"
#include "sim/walk.h"

namespace hbmscope {
namespace {

struct Coverage {
  std::vector<Box> seen;
  std::vector<Box> written;
  std::uint64_t seen_elements = 0;
  std::uint64_t written_elements = 0;
};

// Kept between calls so that a sweep does not allocate for every point.
struct Scratch {
  std::array<Coverage, kMaxTensors> tensors;
};

bool is_whole(const Tensor& tensor, const Box& box) {
  return box.planes == Interval{0, tensor.planes} && box.rows == Interval{0, tensor.rows} &&
         box.columns == Interval{0, tensor.columns};
}

void collect(const Program& program, const Launch& launch, const OpenLoops& open, const Access& access,
             std::vector<Box>& boxes) {
  const Tensor& base = program.tensors[base_tensor(program, access.tensor)];
  const std::int64_t shift = program.tensors[access.tensor].first_column;
  BoxWalk walk(program, launch, open, access.guard,
               {.plane = &access.plane,
                .rows = &access.rows,
                .place = access.rows_placed ? &access.place : nullptr,
                .columns = &access.columns},
               false);
  walk.visit([&](const WalkedBox& box) {
    add_box(boxes, {box.planes, box.rows, {box.columns.begin + shift, box.columns.end + shift}});
    return !is_whole(base, boxes.back());  // beyond the whole tensor there is nothing to add
  });
}

std::uint64_t growth(std::vector<Box>& boxes, std::uint64_t& elements) {
  const std::uint64_t before = elements;
  elements = union_volume(boxes);
  return elements - before;
}

// One launch: first what it loads from inputs, then what it stores, then loads of all else (already there).
void cover_launch(const Program& program, const Launch& launch, Scratch& scratch, LaunchTraffic& traffic) {
  TensorSet read = 0;
  TensorSet written = 0;
  for (const bool loads : {true, false}) {
    for (int step = 0; step < launch.body.count(); ++step) {
      if (launch.body[step].kind != Step::Kind::access) continue;
      const Access& access = launch.accesses[launch.body[step].index];
      const int base = base_tensor(program, access.tensor);
      if (access.operation == (loads ? Operation::store : Operation::load)) continue;  // a reduce does both
      if (program.tensors[base].role == Role::local) continue;
      if (loads && program.tensors[base].role != Role::input) continue;
      Coverage& coverage = scratch.tensors[static_cast<std::size_t>(base)];
      collect(program, launch, open_loops_at(launch, step), access, loads ? coverage.seen : coverage.written);
      (loads ? read : written) |= TensorSet{1} << base;
    }
  }
  for (int tensor = 0; tensor < program.tensors.count(); ++tensor) {
    Coverage& coverage = scratch.tensors[static_cast<std::size_t>(tensor)];
    const auto width = static_cast<std::uint64_t>(program.tensors[tensor].element_bytes);
    ReadWrite& counted = traffic.tensors[tensor].compulsory;
    if ((read >> tensor & 1) != 0) {
      counted.read = checked_multiply(growth(coverage.seen, coverage.seen_elements), width);
    }
    if ((written >> tensor & 1) != 0) {
      counted.write = checked_multiply(growth(coverage.written, coverage.written_elements), width);
      if (program.tensors[tensor].role == Role::input) {
        for (const Box& box : coverage.written) add_box(coverage.seen, box);
        coverage.seen_elements = union_volume(coverage.seen);
      }
    }
  }
}

}  // namespace

void count_compulsory(const Program& program, Traffic& traffic) {
  thread_local Scratch scratch;
  for (Coverage& coverage : scratch.tensors) {
    coverage.seen.clear();
    coverage.written.clear();
    coverage.seen_elements = 0;
    coverage.written_elements = 0;
  }
  for (int launch = 0; launch < program.launches.count(); ++launch) {
    cover_launch(program, program.launches[launch], scratch, traffic.launches[launch]);
  }
}

}  // namespace hbmscope
