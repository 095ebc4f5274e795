// What the steps of a launch say about reuse: one walk over them, all loops in the middle of their span.
#include <algorithm>
#include <array>
#include <bit>
#include <limits>

#include "sim/l2/reuse_pattern.h"

namespace hbmscope {
namespace {

bool reads(LoopMask mask, int loop) { return (mask >> loop & 1) != 0; }

LoopMask loops_of(const Access& access) {
  const LoopMask mask = loops_in(access.plane) | loops_in(access.rows.start) | loops_in(access.columns.start);
  return access.rows_placed ? mask | loops_in(access.place) : mask;
}

double bytes_of(const Tensor& tensor, std::int64_t rows, std::int64_t columns) {
  return static_cast<double>(std::min(rows, tensor.rows)) *
         static_cast<double>(std::min(columns, tensor.columns) * tensor.element_bytes);
}

// How many neighbouring indices of the loop give the same plane: the query heads of a KV head.
double indices_per_plane(const Affine& plane, int loop) {
  for (std::size_t t = 0; t < static_cast<std::size_t>(plane.count); ++t) {
    const Term& term = plane.terms[t];
    if (term.loop == loop && term.factor > 0) {
      return std::max(1.0, static_cast<double>(plane.divisor) / static_cast<double>(term.factor));
    }
  }
  return 1;
}

void add_factor(TensorReuse& use, double trips, bool other_bytes) {
  if (trips <= 1) return;
  if (!use.grid.empty() && use.grid.back().other_bytes == other_bytes) {
    use.grid.back().trips *= trips;
  } else {
    use.grid.push({trips, other_bytes});
  }
}

// Whether a guard lets an access take place in one iteration of this loop only.
bool comes_once(const Access& access, int loop) {
  return access.guard.loop == loop && access.guard.kind != Guard::Kind::when_not_negative;
}

class BodyReader {
 public:
  BodyReader(const Program& program, int launch, const Traffic& traffic, ReusePattern& reuse)
      : program_(program),
        launch_(program.launches[launch]),
        traffic_(traffic.launches[launch]),
        reuse_(reuse) {}

  void run() {
    for (int loop = 0; loop < launch_.grid_loops; ++loop) {
      grid_trips_[static_cast<std::size_t>(loop)] = stand_in_middle(loop);
    }
    for (const Step& step : launch_.body) {
      if (step.kind == Step::Kind::open_loop) open(step.index);
      if (step.kind == Step::Kind::close_loop) close();
      if (step.kind == Step::Kind::access) take(launch_.accesses[step.index]);
    }
    for (const Visit& visit : visits_) add_round(visit);
    for (TensorReuse& tensor : reuse_.tensors) settle(tensor);
    for (TensorReuse& tensor : reuse_.tensors) {
      tensor.life.from /= std::max(moved_, 1.0);
      tensor.life.to /= std::max(moved_, 1.0);
    }
  }

 private:
  struct OpenLoop {
    int loop;
    double trips;
  };
  struct Visit {
    const Access* access;
    LoopMask loops;
    int use;
    double tile_bytes;
    double times;
    int depth;
    std::array<OpenLoop, kMaxLoops> open;
  };

  double stand_in_middle(int loop) {
    const Interval span = span_of(launch_.loops[loop], program_, indices_);
    indices_[static_cast<std::size_t>(loop)] = span.begin + span.length() / 2;
    return static_cast<double>(std::max<std::int64_t>(span.length(), 1));
  }

  void open(int loop) {
    const Loop& opened = launch_.loops[loop];
    const LoopMask begin = loops_in(opened.begin);
    const LoopMask end = loops_in(opened.end);
    double stride = 1;
    for (int grid = 0; grid < launch_.grid_loops; ++grid) {
      const double trips = grid_trips_[static_cast<std::size_t>(grid)];
      if (reads(begin | end, grid) && !reuse_.uneven) {
        // If the end moves, later indices see more.
        const bool down = launch_.loops[grid].walk == Walk::down;
        reuse_.uneven = true;
        reuse_.lengths = {.fastest = stride <= 1,
                          .windowed = reads(begin, grid) && reads(end, grid),
                          .longest_first = down == reads(end, grid),
                          .trips = trips,
                          .stride = stride};
        reuse_.walk = opened.walk;
      }
      stride *= trips;
    }
    if (opened.walk == Walk::alternating) reuse_.walk = Walk::alternating;
    const LoopMask inner = ~((LoopMask{1} << launch_.grid_loops) - 1);
    if (((begin | end) & inner) != 0) read_lengths(loop, (begin | end) & inner);
    if (open_.empty()) {
      loop_began_ = moved_;
      first_in_loop_ = visits_.count();
    }
    open_.push({loop, stand_in_middle(loop)});
  }

  // Of a loop whose bounds move with one that is open around it.
  void read_lengths(int loop, LoopMask around) {
    const auto outer = static_cast<std::size_t>(std::countr_zero(around));
    const std::int64_t middle = indices_[outer];
    const Interval span = span_of(launch_.loops[static_cast<int>(outer)], program_, indices_);
    const double usual = length_of(loop);
    std::int64_t odd = 1;  // in the middle of each part
    for (double& length : reuse_.round_lengths) {
      indices_[outer] = span.begin + span.length() * odd / (2 * std::int64_t{kRoundParts});
      length = length_of(loop) / std::max(usual, 1.0);
      odd += 2;
    }
    indices_[outer] = middle;
  }

  double length_of(int loop) const {
    return static_cast<double>(span_of(launch_.loops[loop], program_, indices_).length());
  }

  // Accesses in one loop take turns, so that each of them spreads over all of it.
  void close() {
    open_.pop();
    if (!open_.empty()) return;
    for (int visit = first_in_loop_; visit < visits_.count(); ++visit) {
      if (visits_[visit].times > 1) extend_life(visits_[visit].use, loop_began_);
    }
  }

  void extend_life(int use, double began) {
    LifeSpan& life = reuse_.tensors[use].life;
    life.from = std::min(life.from, began);
    life.to = std::max(life.to, moved_);
  }

  void take(const Access& access) {
    const Tensor& tensor = program_.tensors[access.tensor];
    Visit& visit = visits_.add();
    visit = {.access = &access,
             .loops = loops_of(access),
             .use = use_of(access),
             .tile_bytes = bytes_of(tensor, access.rows.extent, access.columns.extent),
             .times = 1,
             .depth = open_.count(),
             .open = {}};
    double repeats = 1;
    for (int depth = 0; depth < open_.count(); ++depth) {
      const OpenLoop& open = open_[depth];
      visit.open[static_cast<std::size_t>(depth)] = open;
      if (comes_once(access, open.loop)) continue;
      visit.times *= open.trips;
      if (reads(visit.loops, open.loop) || open.trips <= 1) continue;
      if (reuse_.repeating_loop == kNone) reuse_.repeating_loop = open.loop;
      repeats *= open.trips;
    }
    TensorReuse& use = reuse_.tensors[visit.use];
    count(access.tensor, use);
    use.repeats = std::max(use.repeats, repeats);
    const double began = moved_;
    moved_ += visit.tile_bytes * visit.times;
    if (visit.times <= 1) extend_life(visit.use, began);
  }

  // Views are uses of their base.
  int use_of(const Access& access) {
    const int base = base_tensor(program_, access.tensor);
    for (int known = 0; known < reuse_.tensors.count(); ++known) {
      if (reuse_.tensors[known].tensor == base) return known;
    }
    TensorReuse& use = reuse_.tensors.add();
    use.tensor = base;
    use.local = program_.tensors[base].role == Role::local;
    use.life.from = std::numeric_limits<double>::max();
    const LoopMask loops = loops_of(access);
    for (int loop = 0; loop < launch_.grid_loops; ++loop) {
      const double trips = grid_trips_[static_cast<std::size_t>(loop)];
      const double same =
          reads(loops, loop) ? std::min(trips, indices_per_plane(access.plane.offset, loop)) : trips;
      add_factor(use, same, false);
      add_factor(use, trips / same, true);
    }
    return reuse_.tensors.count() - 1;
  }

  double whole_bytes(int tensor) const {
    const Tensor& whole = program_.tensors[tensor];
    return static_cast<double>(whole.planes) * bytes_of(whole, whole.rows, whole.columns);
  }

  // The bytes of a tensor, or of a view, at its first access.
  void count(int tensor, TensorReuse& use) {
    if ((counted_ >> tensor & 1) != 0) return;
    counted_ |= TensorSet{1} << tensor;
    use.read += static_cast<double>(traffic_.tensors[tensor].io.read);
    use.written += static_cast<double>(traffic_.tensors[tensor].io.write);
    use.unique += whole_bytes(tensor);
  }

  // Views may cover each other (K and V of one latent cache): what one has fetched the other finds at hand.
  void settle(TensorReuse& use) const {
    const ReadWrite& compulsory = traffic_.tensors[use.tensor].compulsory;
    const double covered = use.unique;
    const double whole = whole_bytes(use.tensor);
    if (covered > whole) {
      use.read *= whole / covered;
      use.written *= whole / covered;
    }
    const std::uint64_t first = compulsory.read > 0 ? compulsory.read : compulsory.write;
    use.unique = first > 0 ? static_cast<double>(first) : std::min({use.visited(), covered, whole});
  }

  // Loads and stores of one tensor touch the same bytes.
  void add_round(const Visit& visit) {
    if (reuse_.repeating_loop == kNone || comes_once(*visit.access, reuse_.repeating_loop)) return;
    double round = 0;
    for (int depth = 0; depth < visit.depth; ++depth) {
      const OpenLoop& open = visit.open[static_cast<std::size_t>(depth)];
      if (open.loop == reuse_.repeating_loop) {
        round = visit.tile_bytes;
      } else if (reads(visit.loops, open.loop) && !comes_once(*visit.access, open.loop)) {
        round *= open.trips;
      }
    }
    TensorReuse& use = reuse_.tensors[visit.use];
    use.per_round = std::max(use.per_round, round);
  }

  const Program& program_;
  const Launch& launch_;
  const LaunchTraffic& traffic_;
  ReusePattern& reuse_;
  Indices indices_{};
  std::array<double, kMaxLoops> grid_trips_{};
  FixedList<OpenLoop, kMaxLoops> open_;
  FixedList<Visit, 16> visits_;
  TensorSet counted_ = 0;
  double moved_ = 0;  // bytes of one CTA so far
  double loop_began_ = 0;
  int first_in_loop_ = 0;
};

}  // namespace

void read_body(const Program& program, int launch, const Traffic& traffic, ReusePattern& reuse) {
  BodyReader(program, launch, traffic, reuse).run();
}

}  // namespace hbmscope
