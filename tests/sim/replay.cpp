#include "tests/sim/replay.h"

#include <algorithm>
#include <numeric>
#include <set>
#include <stdexcept>

#include "sim/stream.h"

namespace hbmscope::test {
namespace {

std::size_t as_size(std::int64_t value) { return static_cast<std::size_t>(value); }

// Calls visit(number of the element in its base tensor) for every element of an access.
template <class Visit>
void for_each_element(const Program& program, const TileAccess& access, Visit&& visit) {
  const Tensor& base = program.tensors[base_tensor(program, access.tensor)];
  const std::int64_t shift = program.tensors[access.tensor].first_column;
  const bool inside = access.plane >= 0 && access.plane < base.planes && access.rows.begin >= 0 &&
                      access.rows.end <= base.rows && access.columns.end + shift <= base.columns;
  if (!inside) throw std::out_of_range("an access leaves its tensor");
  for (std::int64_t row = access.rows.begin; row < access.rows.end; ++row) {
    const std::int64_t start = (access.plane * base.rows + row) * base.columns + shift;
    for (std::int64_t column = access.columns.begin; column < access.columns.end; ++column) {
      visit(as_size(start + column));
    }
  }
}

void count_l2_and_io(const Access& access, std::uint64_t width, std::uint64_t moved_elements,
                     TensorTraffic& traffic) {
  const Operation operation = access.operation;
  const std::uint64_t bytes = moved_elements * width;
  const auto box_elements = static_cast<std::uint64_t>(access.rows.extent * access.columns.extent);
  if (operation == Operation::load) {
    traffic.l2.read += access.whole_box ? box_elements * width : bytes;
  } else {
    traffic.l2.write += bytes;
  }
  if (operation != Operation::store) traffic.io.read += bytes;
  if (operation != Operation::load) traffic.io.write += bytes;
}

struct Flags {
  bool seen = false;
  bool written = false;
};

void count_compulsory_of(Operation operation, std::uint64_t width, Flags& flags, ReadWrite& bytes) {
  if (operation != Operation::store && !flags.seen && !flags.written) bytes.read += width;
  if (operation != Operation::load && !flags.written) bytes.write += width;
  flags.seen = true;
  flags.written |= operation != Operation::load;
}

}  // namespace

void replay_traffic(const Program& program, Traffic& traffic) {
  traffic.launches.clear();
  for (int launch = 0; launch < program.launches.count(); ++launch) {
    LaunchTraffic& counted = traffic.launches.add();
    for (int tensor = 0; tensor < program.tensors.count(); ++tensor) counted.tensors.push({});
  }
  std::vector<std::vector<Flags>> flags;
  for (const Tensor& tensor : program.tensors) {
    const bool base = tensor.view_of == kNone && is_allocated(tensor.role);
    flags.emplace_back(base ? as_size(tensor.planes * tensor.rows * tensor.columns) : 0);
  }
  visit_stream(program, [&](const TileAccess& access) {
    auto& tensors = traffic.launches[access.launch].tensors;
    const int base = base_tensor(program, access.tensor);
    const auto width = static_cast<std::uint64_t>(program.tensors[base].element_bytes);
    count_l2_and_io(program.launches[access.launch].accesses[access.access], width, access.elements(),
                    tensors[access.tensor]);
    if (program.tensors[base].role == Role::local) return;
    for_each_element(program, access, [&](std::size_t element) {
      count_compulsory_of(access.operation, width, flags[as_size(base)][element], tensors[base].compulsory);
    });
  });
}

// The stream knows accesses only, so that each compute is run as if it loaded queries × keys.
void visit_computes(const Program& program, Extents extents,
                    const std::function<void(const Launch&, const Compute&, const ComputedTile&)>& visit) {
  const auto range = [&](const Range& of_compute) {
    return extents == Extents::valid ? of_compute : Range{of_compute.start, of_compute.extent};
  };
  Program shadow(program);
  for (Launch& launch : shadow.launches) {
    launch.accesses.clear();
    for (const Compute& compute : launch.computes) {
      launch.accesses.push({.tensor = 0,
                            .rows = range(compute.queries),
                            .columns = range(compute.keys),
                            .guard = compute.guard});
    }
    const auto body = launch.body;
    launch.body.clear();
    for (const Step& step : body) {
      if (step.kind == Step::Kind::access) continue;
      const bool compute = step.kind == Step::Kind::compute;
      launch.body.push({compute ? Step::Kind::access : step.kind, step.index});
    }
  }
  visit_stream(shadow, [&](const TileAccess& tile) {
    const Launch& launch = program.launches[tile.launch];
    visit(launch, launch.computes[tile.access], {tile.rows, tile.columns});
  });
}

Arithmetic replay_arithmetic(const Program& program) {
  Arithmetic sum;
  const auto flops_per_pair = [](const Compute& compute) {
    return compute.kind == ComputeKind::matmul ? static_cast<std::uint64_t>(2 * compute.depth) : 0;
  };
  visit_computes(program, Extents::whole,
                 [&](const Launch&, const Compute& compute, const ComputedTile& tile) {
                   const auto queries = static_cast<std::uint64_t>(tile.queries.length());
                   const auto pairs = queries * static_cast<std::uint64_t>(tile.keys.length());
                   sum.executed_flops += flops_per_pair(compute) * pairs;
                   sum.exponentials += pairs * static_cast<std::uint64_t>(compute.exponentials_per_pair) +
                                       queries * static_cast<std::uint64_t>(compute.exponentials_per_query);
                 });
  visit_computes(
      program, Extents::valid, [&](const Launch&, const Compute& compute, const ComputedTile& tile) {
        sum.flops +=
            flops_per_pair(compute) * visible_pairs(program.problem, tile.queries.begin, tile.queries.end,
                                                    tile.keys.begin, tile.keys.end);
      });
  return sum;
}

SegmentStream::SegmentStream(const Program& program) {
  // Columns of a base tensor are cut wherever some access begins or ends, so that accesses cover whole
  // segments.
  std::vector<std::set<std::int64_t>> cuts(program.tensors.size());
  const auto columns_in_base = [&](const TileAccess& access) {
    const std::int64_t shift = program.tensors[access.tensor].first_column;
    return Interval{access.columns.begin + shift, access.columns.end + shift};
  };
  visit_stream(program, [&](const TileAccess& access) {
    const Interval columns = columns_in_base(access);
    cuts[as_size(base_tensor(program, access.tensor))].insert({columns.begin, columns.end});
  });

  std::vector<std::size_t> first_segment;
  for (int t = 0; t < program.tensors.count(); ++t) {
    const Tensor& tensor = program.tensors[t];
    first_segment.push_back(segment_bytes_.size());
    const std::vector<std::int64_t> edges(cuts[as_size(t)].begin(), cuts[as_size(t)].end());
    if (edges.empty()) continue;
    for (std::int64_t row = 0; row < tensor.planes * tensor.rows; ++row) {
      for (std::size_t cut = 0; cut + 1 < edges.size(); ++cut) {
        segment_bytes_.push_back(
            static_cast<std::uint64_t>((edges[cut + 1] - edges[cut]) * tensor.element_bytes));
        segment_is_local_.push_back(tensor.role == Role::local);
      }
    }
  }
  visit_stream(program, [&](const TileAccess& access) {
    const int base = base_tensor(program, access.tensor);
    const auto& edges = cuts[as_size(base)];
    const Interval columns = columns_in_base(access);
    const auto begin = as_size(std::distance(edges.begin(), edges.find(columns.begin)));
    const auto end = as_size(std::distance(edges.begin(), edges.find(columns.end)));
    for (std::int64_t row = access.rows.begin; row < access.rows.end; ++row) {
      const std::size_t row_number = as_size(access.plane * program.tensors[base].rows + row);
      const std::size_t first = first_segment[as_size(base)] + row_number * (edges.size() - 1);
      for (std::size_t cut = begin; cut < end; ++cut) {
        touches_.push_back({static_cast<std::uint32_t>(first + cut), access.operation});
      }
    }
  });
}

std::uint64_t SegmentStream::distinct_bytes() const {
  return std::accumulate(segment_bytes_.begin(), segment_bytes_.end(), std::uint64_t{0});
}

namespace {

// Segments from the most to the least recently used, as a ring of links through a sentinel.
class RecencyList {
 public:
  explicit RecencyList(std::size_t segments) : next_(segments + 1), previous_(segments + 1) {
    std::iota(next_.begin(), next_.end(), std::size_t{0});
    previous_ = next_;
  }
  void move_to_front(std::size_t segment) {
    remove(segment);
    const std::size_t front = next_.back();
    next_[segment] = front;
    previous_[segment] = sentinel();
    previous_[front] = segment;
    next_.back() = segment;
  }
  std::size_t pop_last() {
    const std::size_t last = previous_.back();
    remove(last);
    return last;
  }

 private:
  std::size_t sentinel() const { return next_.size() - 1; }
  void remove(std::size_t segment) {
    next_[previous_[segment]] = next_[segment];
    previous_[next_[segment]] = previous_[segment];
    next_[segment] = previous_[segment] = segment;
  }
  std::vector<std::size_t> next_;
  std::vector<std::size_t> previous_;
};

}  // namespace

LruTraffic SegmentStream::replay(std::uint64_t capacity_bytes) const {
  struct State {
    bool cached = false;
    bool dirty = false;
  };
  LruTraffic traffic;
  RecencyList recency(segment_bytes_.size());
  std::vector<State> states(segment_bytes_.size());
  std::uint64_t held_bytes = 0;
  const auto evict_down_to = [&](std::uint64_t limit) {
    while (held_bytes > limit) {
      const std::size_t victim = recency.pop_last();
      held_bytes -= segment_bytes_[victim];
      if (states[victim].dirty) traffic.write_bytes += segment_bytes_[victim];
      states[victim] = {};
    }
  };
  for (const Touch& touch : touches_) {
    State& state = states[touch.segment];
    const std::uint64_t bytes = segment_bytes_[touch.segment];
    if (!state.cached) {
      held_bytes += bytes;
      if (touch.operation == Operation::load) traffic.load_bytes += bytes;
      if (touch.operation == Operation::reduce) traffic.reduce_bytes += bytes;
    }
    state.cached = true;
    state.dirty |= touch.operation != Operation::load;
    recency.move_to_front(touch.segment);
    evict_down_to(capacity_bytes);
  }
  for (std::size_t segment = 0; segment < states.size(); ++segment) {
    if (segment_is_local_[segment]) states[segment].dirty = false;
  }
  evict_down_to(0);
  return traffic;
}

}  // namespace hbmscope::test
