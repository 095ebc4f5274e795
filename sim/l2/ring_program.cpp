#include "sim/l2/ring_program.h"

#include <array>
#include <stdexcept>
#include <string_view>

#include "sim/algorithms/build.h"

namespace hbmscope {
namespace {

using namespace build;

constexpr auto kLineBytes = static_cast<std::int64_t>(kRingLineBytes);
constexpr std::int64_t kTileRows = static_cast<std::int64_t>(kRingTileBytes) / kLineBytes;

// Tensors name their text, they do not own it.
constexpr std::array<std::string_view, kMaxTensors> kNames{
    "buffer 1",  "buffer 2",  "buffer 3",  "buffer 4",  "buffer 5",  "buffer 6",  "buffer 7",  "buffer 8",
    "buffer 9",  "buffer 10", "buffer 11", "buffer 12", "buffer 13", "buffer 14", "buffer 15", "buffer 16",
    "buffer 17", "buffer 18", "buffer 19", "buffer 20", "buffer 21", "buffer 22", "buffer 23", "buffer 24"};

bool reads_or_writes(const RingPass& pass, int buffer) {
  return buffer >= pass.first_buffer && buffer < pass.first_buffer + pass.buffers;
}

bool touches(const RingPass& pass, int buffer) {
  return pass.copies_to == buffer || reads_or_writes(pass, buffer);
}

// What a program reads before it writes it is an input.
Role role_of(int buffer, std::span<const RingPass> passes) {
  for (const RingPass& pass : passes) {
    if (!touches(pass, buffer)) continue;
    return reads_or_writes(pass, buffer) && pass.operation == Operation::load ? Role::input : Role::output;
  }
  return Role::input;
}

void check_pass(const RingPass& pass, std::span<const Bytes> buffers) {
  const auto count = static_cast<int>(buffers.size());
  if (pass.buffers < 1 || pass.buffers > kMostRingBuffers || pass.first_buffer < 0 ||
      pass.first_buffer > count - pass.buffers) {
    throw std::logic_error("a pass over buffers that do not exist");
  }
  if (pass.copies_to != kNone && (pass.copies_to < 0 || pass.copies_to >= count || pass.buffers != 1 ||
                                  pass.operation != Operation::load)) {
    throw std::logic_error("a copy of what is not one buffer, or to none");
  }
  for (int buffer = 0; buffer < count; ++buffer) {
    if (!touches(pass, buffer)) continue;
    const Bytes bytes = buffers[static_cast<std::size_t>(buffer)];
    if (bytes != buffers[static_cast<std::size_t>(pass.first_buffer)])
      throw std::logic_error("a pass over buffers of different sizes");
  }
}

void touch_tile(Launch& launch, const RingPass& pass, int tensor, const Range& rows) {
  const Range columns = whole(kLineBytes);
  if (pass.operation != Operation::store) load(launch, tensor, {}, rows, columns);
  if (pass.operation != Operation::load) store(launch, tensor, {}, rows, columns);
  if (pass.copies_to != kNone) store(launch, pass.copies_to, {}, rows, columns);
}

void add_pass(const RingPass& pass, std::int64_t tiles, Program& program) {
  Launch& launch = program.launches.add();
  launch.name = pass.copies_to != kNone ? "copy" : pass.operation == Operation::load ? "read" : "write";
  const int cta = launch.loops.push(counted("CTA", pass.ctas));
  launch.grid_loops = 1;
  const bool part = pass.share == RingShare::part;
  const int round = open_loop(launch, counted("round", pass.rounds));
  Loop steps = counted("tile", part ? ceil_div(tiles, pass.ctas) : tiles);
  steps.walk = pass.walk;
  if (pass.walk == Walk::alternating) steps.alternates_with = round;
  const int step = open_loop(launch, steps);
  Range rows = tile_of(step, kTileRows, tiles * kTileRows);
  if (part) rows.start = affine({{step, pass.ctas * kTileRows}, {cta, kTileRows}});
  for (int buffer = 0; buffer < pass.buffers; ++buffer) {
    touch_tile(launch, pass, pass.first_buffer + buffer, rows);
  }
  close_loop(launch, step);
  close_loop(launch, round);
}

}  // namespace

void build_ring_program(std::span<const Bytes> buffers, std::span<const RingPass> passes, Program& program) {
  program.algorithm = "ring";
  program.problem = {};
  program.tensors.clear();
  program.tables.clear();
  program.launches.clear();
  for (const Bytes bytes : buffers) {
    if (bytes == 0 || bytes % kRingTileBytes != 0) throw std::logic_error("a buffer that is not whole tiles");
    const int number = program.tensors.count();
    tensor(program, kNames.at(static_cast<std::size_t>(number)), role_of(number, passes), 1,
           static_cast<std::int64_t>(bytes / kRingLineBytes), kLineBytes, 1);
  }
  for (const RingPass& pass : passes) {
    check_pass(pass, buffers);
    const Bytes bytes = buffers[static_cast<std::size_t>(pass.first_buffer)];
    add_pass(pass, static_cast<std::int64_t>(bytes / kRingTileBytes), program);
  }
}

}  // namespace hbmscope
