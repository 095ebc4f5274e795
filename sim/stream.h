#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "sim/loops.h"
#include "sim/program.h"

// The tile accesses of a program one by one, in the order in which a GPU issues them. The closed forms of
// traffic.h are sums over this stream; a cache model replays it.
namespace hbmscope {

// One tile with at least one valid element, moved between global memory and an SM.
struct TileAccess {
  int launch = 0;
  std::int64_t item = 0;  // work item, numbered in grid order
  int access = 0;         // of Launch::accesses
  Operation operation = Operation::load;
  int tensor = kNone;  // as the access names it: a view counts its own columns
  std::int64_t plane = 0;
  Interval rows;  // where they lie in the tensor
  Interval columns;
  std::int64_t element_bytes = 0;

  std::uint64_t elements() const {
    return static_cast<std::uint64_t>(rows.length()) * static_cast<std::uint64_t>(columns.length());
  }
  std::uint64_t bytes() const { return elements() * static_cast<std::uint64_t>(element_bytes); }
};

// The loops around a step at one moment: their indices, spans and directions.
struct LoopState {
  Indices indices{};
  std::array<Interval, kMaxLoops> spans{};
  std::array<bool, kMaxLoops> down{};
};

// The most accesses of an innermost loop that is prepared as a whole.
inline constexpr int kMostMovingAccesses = 4;

// A launch prepared for running: where its brackets match and in which order its work items start. `program`
// must outlive it.
class LaunchBody {
 public:
  LaunchBody(const Program& program, int launch);

  const Program& program() const { return *program_; }
  const Launch& launch() const { return program_->launches[launch_]; }
  int number() const { return launch_; }
  int partner_of(int step) const { return partners_[static_cast<std::size_t>(step)]; }
  // Whether the loop that this step opens does nothing but move the rows of its accesses.
  bool only_moves_rows(int step) const { return moves_rows_[static_cast<std::size_t>(step)]; }

  std::int64_t items() const { return items_; }

  // The work item that starts at this position. Persistent CTAs draw their items in this order too; under
  // static_stride CTA c runs those at c, c + persistent_ctas, and so on.
  std::int64_t item_at(std::int64_t position) const {
    return sorted_.empty() ? position : sorted_[static_cast<std::size_t>(position)];
  }

  // The valid columns of an access, where no loop moves them.
  const std::optional<Interval>& fixed_columns(int access) const {
    return fixed_columns_[static_cast<std::size_t>(access)];
  }

  // How often loops of the body go round for this item, nested ones included.
  std::uint64_t iterations_of(std::int64_t item) const;

  // The grid loops' indices of an item: its first loop runs fastest, each in the direction in which it walks.
  LoopState start_of(std::int64_t item) const;

  // Sets span and direction of a loop of the body at the current outer indices.
  void open(int loop, LoopState& state) const;

 private:
  std::uint64_t iterations_between(int begin, int end, LoopState& state) const;

  const Program* program_;
  int launch_;
  std::int64_t items_;
  std::array<int, kMaxSteps> partners_{};  // step of the other bracket
  std::array<bool, kMaxSteps> moves_rows_{};
  std::vector<std::int64_t> sorted_;
  std::vector<std::optional<Interval>> fixed_columns_;
};

// One work item on its way through the body. Stopped after every access, so that many can be in flight at
// once; holds no heap memory. `body` must outlive it.
class CtaCursor {
 public:
  // Accesses to local memory are to this plane of it.
  CtaCursor(const LaunchBody& body, std::int64_t item, std::int64_t local_plane = 0)
      : body_(&body), item_(item), local_plane_(local_plane), state_(body.start_of(item)) {}

  // Moves on to the next access; nullptr when the item is done. The access lies in the cursor: it stands
  // until the one after it is asked for, and does not move along with a copy.
  const TileAccess* next() {
    for (;;) {
      if (const TileAccess* access = next_moving()) return access;
      const TileAccess* access = next_step();
      if (access != nullptr || turns_left_ == 0) return access;
    }
  }

 private:
  // An access of an innermost loop that only moves its rows: all but those is found once, when it is opened.
  struct MovingAccess {
    TileAccess access;
    std::int64_t start = 0;  // of the rows, in the next turn
    std::int64_t step = 0;
    std::int64_t extent = 0;
    std::int64_t limit = 0;
  };

  // Within the loop that is prepared; nullptr at its end.
  const TileAccess* next_moving() {
    while (turns_left_ > 0) {
      if (moving_at_ == moving_.count()) {
        moving_at_ = 0;
        --turns_left_;
        continue;
      }
      MovingAccess& moving = moving_[moving_at_++];
      TileAccess& access = moving.access;
      access.rows = {std::max<std::int64_t>(moving.start, 0),
                     std::min(moving.start + moving.extent, moving.limit)};
      moving.start += moving.step;
      if (access.rows.begin < access.rows.end) return &access;
    }
    return nullptr;
  }
  const TileAccess* next_step();  // nullptr at the end, or where a loop was prepared
  void take_bracket(const Step& step);
  void prepare_turns(int open_step);
  bool passes(const Guard& guard) const;
  bool describe(int access, TileAccess& described) const;
  TileAccess whole_columns(int access) const;

  const LaunchBody* body_;
  std::int64_t item_;
  std::int64_t local_plane_;
  LoopState state_;
  int step_ = 0;
  TileAccess access_;
  FixedList<MovingAccess, kMostMovingAccesses> moving_;
  int moving_at_ = 0;
  std::int64_t turns_left_ = 0;
};

// Calls visit(const TileAccess&) for every access, one work item after the other.
template <class Visit>
void visit_stream(const Program& program, Visit&& visit) {
  for (int launch = 0; launch < program.launches.count(); ++launch) {
    const LaunchBody body(program, launch);
    for (std::int64_t position = 0; position < body.items(); ++position) {
      CtaCursor cursor(body, body.item_at(position));
      while (const TileAccess* access = cursor.next()) visit(*access);
    }
  }
}

}  // namespace hbmscope
