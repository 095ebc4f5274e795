#include "sim/traffic.h"

#include "sim/masked_sums.h"
#include "sim/units.h"
#include "sim/walk.h"

namespace hbmscope {
namespace {

std::uint64_t as_count(std::int64_t value) { return static_cast<std::uint64_t>(value); }

std::uint64_t product(std::uint64_t a, std::uint64_t b, std::uint64_t c) {
  return checked_multiply(checked_multiply(a, b), c);
}

void increase(std::uint64_t& sum, std::uint64_t amount) { sum = checked_add(sum, amount); }

void increase(ReadWrite& sum, const ReadWrite& amount) {
  increase(sum.read, amount.read);
  increase(sum.write, amount.write);
}

void increase(TensorTraffic& sum, const TensorTraffic& amount) {
  increase(sum.l2, amount.l2);
  increase(sum.io, amount.io);
  increase(sum.compulsory, amount.compulsory);
  increase(sum.sram, amount.sram);
}

enum class Sum : std::uint8_t { iterations, elements, useful_pairs };

// Sums over all iterations of the steps of one launch. Steps often move in step (K and V; S and O), so what
// has been summed is kept for the next that asks for the same.
class StepSums {
 public:
  StepSums(const Program& program, const Launch& launch) : program_(program), launch_(launch) {
    for (int loop = launch.grid_loops - 1; loop >= 0; --loop) open_.push(loop);
  }

  void open(int loop) { open_.push(loop); }
  void close() { open_.pop(); }

  // How often a step takes place.
  std::uint64_t iterations(const Guard& guard) { return find(Sum::iterations, guard, Range{}, Range{}); }
  // Σ valid rows × valid columns.
  std::uint64_t elements(const Guard& guard, const Range& rows, const Range& columns) {
    if ((loops_in(columns.start) | loops_in(columns.limit)) != 0) {
      return find(Sum::elements, guard, rows, columns);
    }
    const Interval fixed = valid_part(columns, program_, Indices{});
    return checked_multiply(find(Sum::elements, guard, rows, Range{}), as_count(fixed.length()));
  }
  // Σ (query, key) pairs that the mask lets through.
  std::uint64_t useful_pairs(const Guard& guard, const Range& queries, const Range& keys) {
    return find(Sum::useful_pairs, guard, queries, keys);
  }

 private:
  struct Known {
    Sum sum;
    int innermost_loop;
    Guard guard;
    Range rows;
    Range columns;
    std::uint64_t value;
  };

  std::uint64_t find(Sum sum, const Guard& guard, const Range& rows, const Range& columns) {
    const int innermost = open_.empty() ? kNone : open_.back();
    for (const Known& known : known_) {
      if (known.sum == sum && known.innermost_loop == innermost && known.guard == guard &&
          known.rows == rows && known.columns == columns) {
        return known.value;
      }
    }
    const std::uint64_t value = compute(sum, guard, rows, columns);
    known_.push({sum, innermost, guard, rows, columns, value});
    return value;
  }

  std::uint64_t compute(Sum sum, const Guard& guard, const Range& rows, const Range& columns) const {
    if (const std::optional<std::uint64_t> known = masked(sum, guard, rows, columns)) return *known;
    BoxWalk::Dimensions dimensions;
    if (sum != Sum::iterations) dimensions = {.rows = &rows, .columns = &columns};
    std::uint64_t total = 0;
    BoxWalk(program_, launch_, open_, guard, dimensions, true).visit([&](const WalkedBox& box) {
      increase(total, sum == Sum::useful_pairs
                          ? checked_multiply(box.times,
                                             visible_pairs(program_.problem, box.rows.begin, box.rows.end,
                                                           box.columns.begin, box.columns.end),
                                             "pair count")
                          : product(box.times, as_count(box.rows.length()), as_count(box.columns.length())));
      return true;
    });
    return total;
  }

  std::optional<std::uint64_t> masked(Sum sum, const Guard& guard, const Range& rows,
                                      const Range& columns) const {
    if (sum == Sum::useful_pairs) return masked_pairs(program_, launch_, open_, guard, rows, columns);
    if (sum == Sum::iterations) return masked_rows(program_, launch_, open_, guard, nullptr);
    if (columns != Range{}) return std::nullopt;
    return masked_rows(program_, launch_, open_, guard, &rows);
  }

  const Program& program_;
  const Launch& launch_;
  OpenLoops open_;
  FixedList<Known, kMaxSteps> known_;
};

void count_access(const Program& program, StepSums& sums, const Access& access, TensorTraffic& traffic) {
  const std::uint64_t width = as_count(program.tensors[access.tensor].element_bytes);
  const std::uint64_t bytes =
      checked_multiply(sums.elements(access.guard, access.rows, access.columns), width);
  const std::uint64_t tile = product(as_count(access.rows.extent), as_count(access.columns.extent), width);
  switch (access.operation) {
    case Operation::load:
      increase(traffic.l2.read,
               access.whole_box ? checked_multiply(sums.iterations(access.guard), tile) : bytes);
      increase(traffic.io.read, bytes);
      break;
    case Operation::store:
      increase(traffic.l2.write, bytes);
      increase(traffic.io.write, bytes);
      break;
    case Operation::reduce:
      increase(traffic.l2.write, bytes);
      increase(traffic.io, {bytes, bytes});
      break;
  }
  if (access.path == Path::registers || access.path == Path::registers_l1) return;
  const std::uint64_t filled = product(sums.iterations(access.guard), tile, as_count(access.multicast));
  increase(access.operation == Operation::load ? traffic.sram.write : traffic.sram.read, filled);
}

void count_compute(StepSums& sums, const Compute& compute, LaunchTraffic& traffic) {
  const std::uint64_t runs = sums.iterations(compute.guard);
  const std::uint64_t queries = as_count(compute.queries.extent);
  const std::uint64_t pairs = checked_multiply(queries, as_count(compute.keys.extent));
  if (compute.kind == ComputeKind::matmul) {
    const std::uint64_t flops_per_pair = 2 * as_count(compute.depth);
    const std::uint64_t useful = sums.useful_pairs(compute.guard, compute.queries, compute.keys);
    increase(traffic.executed_flops, product(runs, pairs, flops_per_pair));
    increase(traffic.flops, checked_multiply(useful, flops_per_pair, "FLOP count"));
  }
  increase(traffic.exponentials, product(runs, pairs, as_count(compute.exponentials_per_pair)));
  increase(traffic.exponentials, product(runs, queries, as_count(compute.exponentials_per_query)));
  for (const SharedOperand& operand : compute.shared) {
    ReadWrite& sum = operand.tensor == kNone ? traffic.on_chip_sram : traffic.tensors[operand.tensor].sram;
    increase(sum, {checked_multiply(runs, as_count(operand.read_bytes)),
                   checked_multiply(runs, as_count(operand.write_bytes))});
  }
}

void count_launch(const Program& program, const Launch& launch, LaunchTraffic& traffic) {
  StepSums sums(program, launch);
  for (const Step& step : launch.body) {
    switch (step.kind) {
      case Step::Kind::open_loop:
        sums.open(step.index);
        break;
      case Step::Kind::close_loop:
        sums.close();
        break;
      case Step::Kind::access: {
        const Access& access = launch.accesses[step.index];
        count_access(program, sums, access, traffic.tensors[access.tensor]);
        break;
      }
      case Step::Kind::compute:
        count_compute(sums, launch.computes[step.index], traffic);
        break;
    }
  }
}

}  // namespace

void count_traffic(const Program& program, Traffic& traffic) {
  traffic.launches.clear();
  for (const Launch& launch : program.launches) {
    LaunchTraffic& counted = traffic.launches.add();
    for (int tensor = 0; tensor < program.tensors.count(); ++tensor) counted.tensors.push({});
    count_launch(program, launch, counted);
  }
  count_compulsory(program, traffic);
}

TensorTraffic total_of(const LaunchTraffic& traffic) {
  TensorTraffic total;
  for (const TensorTraffic& tensor : traffic.tensors) increase(total, tensor);
  increase(total.sram, traffic.on_chip_sram);
  return total;
}

TensorTraffic total_of(const Traffic& traffic) {
  TensorTraffic total;
  for (const LaunchTraffic& launch : traffic.launches) increase(total, total_of(launch));
  return total;
}

std::uint64_t tensor_bytes(const Tensor& tensor) {
  if (!is_allocated(tensor.role) || tensor.view_of != kNone) return 0;
  const std::uint64_t rows = checked_multiply(as_count(tensor.planes), as_count(tensor.rows));
  return product(rows, as_count(tensor.row_stride), as_count(tensor.element_bytes));
}

std::uint64_t footprint_bytes(const Program& program) {
  std::uint64_t total = 0;
  for (const Tensor& tensor : program.tensors) increase(total, tensor_bytes(tensor));
  return total;
}

}  // namespace hbmscope
