#include "sim/stream.h"

#include <algorithm>
#include <numeric>

#include "sim/units.h"

namespace hbmscope {
namespace {

std::size_t at(int loop) { return static_cast<std::size_t>(loop); }

// The first index of a span in walking order.
std::int64_t first_of(const Interval& span, bool down) { return down ? span.end - 1 : span.begin; }

// The factor of a loop's index in a form without a divisor.
std::int64_t factor_of(int loop, const Affine& affine) {
  std::int64_t factor = 0;
  for (std::size_t t = 0; t < static_cast<std::size_t>(affine.count); ++t) {
    if (affine.terms[t].loop == loop) factor += affine.terms[t].factor;
  }
  return factor;
}

bool depends_on(int loop, const Guard& guard) {
  const LoopMask condition =
      guard.kind == Guard::Kind::when_not_negative ? loops_in(guard.condition) : LoopMask{0};
  return guard.loop == loop || (condition >> loop & 1U) != 0;
}

bool only_rows_move(const Access& access, int loop) {
  const LoopMask elsewhere = loops_in(access.plane) | loops_in(access.columns.start) |
                             loops_in(access.columns.limit) | loops_in(access.rows.limit);
  return !access.rows_placed && access.rows.start.divisor == 1 && (elsewhere >> loop & 1U) == 0 &&
         !depends_on(loop, access.guard);
}

// Of the steps between two brackets: no loop, and few accesses, of which only the rows move.
bool only_rows_move(const Launch& launch, int open_step, int close_step) {
  int accesses = 0;
  for (int step = open_step + 1; step < close_step; ++step) {
    const Step& inner = launch.body[step];
    if (inner.kind == Step::Kind::compute) continue;
    if (inner.kind != Step::Kind::access || ++accesses > kMostMovingAccesses) return false;
    if (!only_rows_move(launch.accesses[inner.index], launch.body[open_step].index)) return false;
  }
  return true;
}

}  // namespace

LaunchBody::LaunchBody(const Program& program, int launch)
    : program_(&program), launch_(launch), items_(grid_size(program.launches[launch], program)) {
  FixedList<int, kMaxLoops> opened;
  const auto& body = program.launches[launch].body;
  for (int step = 0; step < body.count(); ++step) {
    if (body[step].kind == Step::Kind::open_loop) opened.push(step);
    if (body[step].kind != Step::Kind::close_loop) continue;
    partners_[at(step)] = opened.back();
    partners_[at(opened.back())] = step;
    moves_rows_[at(opened.back())] = only_rows_move(program.launches[launch], opened.back(), step);
    opened.pop();
  }
  for (const Access& access : program.launches[launch].accesses) {
    const bool moves = (loops_in(access.columns.start) | loops_in(access.columns.limit)) != 0;
    fixed_columns_.push_back(moves ? std::nullopt
                                   : std::optional(valid_part(access.columns, program, Indices{})));
  }
  if (program.launches[launch].schedule != Schedule::longest_first) return;
  std::vector<std::uint64_t> lengths(static_cast<std::size_t>(items_));
  for (std::size_t item = 0; item < lengths.size(); ++item) {
    lengths[item] = iterations_of(static_cast<std::int64_t>(item));
  }
  sorted_.resize(lengths.size());
  std::iota(sorted_.begin(), sorted_.end(), 0);
  std::stable_sort(sorted_.begin(), sorted_.end(), [&](std::int64_t a, std::int64_t b) {
    return lengths[static_cast<std::size_t>(a)] > lengths[static_cast<std::size_t>(b)];
  });
}

LoopState LaunchBody::start_of(std::int64_t item) const {
  LoopState state;
  const Launch& described = launch();
  std::int64_t rest = item;
  std::array<std::int64_t, kMaxLoops> turns{};
  for (int loop = 0; loop < described.grid_loops; ++loop) {
    state.spans[at(loop)] = span_of(described.loops[loop], *program_, Indices{});
    turns[at(loop)] = rest % state.spans[at(loop)].length();
    rest /= state.spans[at(loop)].length();
  }
  // Slowest first: an alternating loop asks a slower one.
  for (int loop = described.grid_loops - 1; loop >= 0; --loop) {
    const bool down = walks_down(described.loops[loop], state.indices);
    const std::int64_t first = first_of(state.spans[at(loop)], down);
    state.down[at(loop)] = down;
    state.indices[at(loop)] = down ? first - turns[at(loop)] : first + turns[at(loop)];
  }
  return state;
}

void LaunchBody::open(int loop, LoopState& state) const {
  const Loop& described = launch().loops[loop];
  state.spans[at(loop)] = span_of(described, *program_, state.indices);
  state.down[at(loop)] = walks_down(described, state.indices);
  state.indices[at(loop)] = first_of(state.spans[at(loop)], state.down[at(loop)]);
}

std::uint64_t LaunchBody::iterations_of(std::int64_t item) const {
  LoopState state = start_of(item);
  return iterations_between(0, launch().body.count(), state);
}

std::uint64_t LaunchBody::iterations_between(int begin, int end, LoopState& state) const {
  std::uint64_t count = 0;
  for (int step = begin; step < end; ++step) {
    if (launch().body[step].kind != Step::Kind::open_loop) continue;
    const int loop = launch().body[step].index;
    const int close = partner_of(step);
    open(loop, state);
    const Interval span = state.spans[at(loop)];
    count = checked_add(count, static_cast<std::uint64_t>(span.length()), "iterations");
    const auto opens = [](const Step& inner) { return inner.kind == Step::Kind::open_loop; };
    if (std::any_of(launch().body.begin() + step + 1, launch().body.begin() + close, opens)) {
      for (std::int64_t index = span.begin; index < span.end; ++index) {
        state.indices[at(loop)] = index;
        count = checked_add(count, iterations_between(step + 1, close, state), "iterations");
      }
    }
    step = close;
  }
  return count;
}

const TileAccess* CtaCursor::next_step() {
  const auto& steps = body_->launch().body;
  while (step_ < steps.count()) {
    const Step& step = steps[step_];
    if (step.kind == Step::Kind::access) {
      ++step_;
      if (passes(body_->launch().accesses[step.index].guard) && describe(step.index, access_))
        return &access_;
    } else if (step.kind == Step::Kind::compute) {
      ++step_;
    } else {
      take_bracket(step);
      if (turns_left_ > 0) return nullptr;
    }
  }
  return nullptr;
}

// Opening enters the first iteration, or jumps past the loop if there is none; closing starts the next one.
void CtaCursor::take_bracket(const Step& step) {
  const int partner = body_->partner_of(step_);
  if (step.kind == Step::Kind::open_loop) {
    body_->open(step.index, state_);
    const bool is_empty = state_.spans[at(step.index)].length() == 0;
    const bool as_a_whole = !is_empty && body_->only_moves_rows(step_);
    if (as_a_whole) prepare_turns(step_);
    step_ = (as_a_whole || is_empty ? partner : step_) + 1;
    return;
  }
  const Interval& span = state_.spans[at(step.index)];
  std::int64_t& index = state_.indices[at(step.index)];
  index += state_.down[at(step.index)] ? -1 : 1;
  step_ = (index >= span.begin && index < span.end ? partner : step_) + 1;
}

void CtaCursor::prepare_turns(int open_step) {
  const Launch& launch = body_->launch();
  const int loop = launch.body[open_step].index;
  moving_.clear();
  moving_at_ = 0;
  for (int step = open_step + 1; step < body_->partner_of(open_step); ++step) {
    if (launch.body[step].kind != Step::Kind::access) continue;
    const int number = launch.body[step].index;
    const Access& tile = launch.accesses[number];
    if (!passes(tile.guard)) continue;
    const TileAccess described = whole_columns(number);
    if (described.columns.length() == 0) continue;
    const std::int64_t factor = factor_of(loop, tile.rows.start);
    moving_.push({.access = described,
                  .start = value_of(tile.rows.start, state_.indices),
                  .step = state_.down[at(loop)] ? -factor : factor,
                  .extent = tile.rows.extent,
                  .limit = value_of(tile.rows.limit, body_->program(), state_.indices)});
  }
  turns_left_ = moving_.empty() ? 0 : state_.spans[at(loop)].length();
}

bool CtaCursor::passes(const Guard& guard) const {
  if (guard.kind == Guard::Kind::when_not_negative) return value_of(guard.condition, state_.indices) >= 0;
  if (guard.loop == kNone) return true;
  const Interval kept = guarded_span(state_.spans[at(guard.loop)], guard, state_.down[at(guard.loop)]);
  const std::int64_t index = state_.indices[at(guard.loop)];
  return index >= kept.begin && index < kept.end;
}

// All but its rows.
TileAccess CtaCursor::whole_columns(int access) const {
  const Program& program = body_->program();
  const Access& tile = body_->launch().accesses[access];
  const std::optional<Interval>& fixed = body_->fixed_columns(access);
  const Tensor& tensor = program.tensors[tile.tensor];
  const bool local = tensor.role == Role::local;
  return {.launch = body_->number(),
          .item = item_,
          .access = access,
          .operation = tile.operation,
          .tensor = tile.tensor,
          .plane = local ? local_plane_ : value_of(tile.plane, program, state_.indices),
          .columns = fixed ? *fixed : valid_part(tile.columns, program, state_.indices),
          .element_bytes = tensor.element_bytes};
}

bool CtaCursor::describe(int access, TileAccess& described) const {
  const Program& program = body_->program();
  const Access& tile = body_->launch().accesses[access];
  Interval rows = valid_part(tile.rows, program, state_.indices);
  if (rows.length() == 0) return false;
  described = whole_columns(access);
  if (described.columns.length() == 0) return false;
  if (tile.rows_placed) {
    const std::int64_t skipped = rows.begin - value_of(tile.rows.start, state_.indices);
    const std::int64_t placed = value_of(tile.place, program, state_.indices) + skipped;
    rows = {placed, placed + rows.length()};
  }
  described.rows = rows;
  return true;
}

}  // namespace hbmscope
