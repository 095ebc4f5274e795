#include "tests/kernels/emulation/emulation.h"

#include <cstring>
#include <deque>
#include <functional>
#include <memory>
#include <stdexcept>

#include "tests/kernels/emulation/fiber_switch.h"

namespace emulation {

LaneIndex thread_index;
LaneIndex block_index;

namespace {

constexpr std::size_t kStackBytes = 256 * 1024;

struct Copy {
  unsigned shared;
  const void* global;
  bool valid;
};

struct Fiber {
  StackPlace place;
  std::unique_ptr<char[]> stack;
  bool done = false;
  std::vector<Copy> open_group;
  std::deque<std::vector<Copy>> groups;
};

// A point where `expected` fibers meet.
struct Meeting {
  unsigned arrived = 0;
  unsigned generation = 0;
};

struct Block {
  std::vector<Fiber> fibers;
  std::vector<Meeting> warp_meetings;
  std::vector<std::uint32_t> exchanged;  // per thread kExchangeWords
  Meeting block_meeting;
  std::vector<unsigned char> shared;
  StackPlace scheduler;
  unsigned current = 0;
  std::string violation;
  Counts counts;
  const Launch* launch = nullptr;
  void (*kernel)(const void*) = nullptr;
  const void* params = nullptr;
};

Block* block = nullptr;

void yield() { switch_stack(block->fibers[block->current].place, block->scheduler); }

// A violation ends the launch; the fiber never continues.
void violate(const std::string& what) {
  if (block->violation.empty()) block->violation = what;
  yield();
}

void meet(Meeting& meeting, unsigned expected) {
  if (++meeting.arrived == expected) {
    meeting.arrived = 0;
    ++meeting.generation;
    return;
  }
  const unsigned generation = meeting.generation;
  while (meeting.generation == generation) yield();
}

// The number of the range that an access lies in.
std::size_t check_global(const void* address, std::size_t bytes) {
  const auto begin = reinterpret_cast<std::uintptr_t>(address);
  const std::vector<Range>& memory = block->launch->memory;
  for (std::size_t index = 0; index < memory.size(); ++index) {
    const auto first = reinterpret_cast<std::uintptr_t>(memory[index].begin);
    if (begin >= first && begin + bytes <= first + memory[index].bytes) {
      if (begin % bytes != 0) violate("misaligned global access");
      return index;
    }
  }
  violate("global access outside every tensor");
  return 0;
}

void land(const Copy& copy) {
  unsigned char* const target = block->shared.data() + copy.shared;
  if (copy.valid) {
    std::memcpy(target, copy.global, 16);
  } else {
    std::memset(target, 0, 16);
  }
}

void fiber_main() {
  block->kernel(block->params);
  block->fibers[block->current].done = true;
  yield();
}

void run_block(const Launch& launch) {
  std::fill(block->shared.begin(), block->shared.end(), static_cast<unsigned char>(0xff));
  for (Fiber& fiber : block->fibers) {
    fiber.done = false;
    fiber.groups.clear();
    fiber.open_group.clear();
    begin_on_stack(fiber.place, fiber.stack.get(), kStackBytes, fiber_main);
  }
  bool running = true;
  while (running) {
    running = false;
    for (unsigned thread = 0; thread < launch.threads; ++thread) {
      if (block->fibers[thread].done) continue;
      running = true;
      block->current = thread;
      thread_index.x = thread;
      switch_stack(block->scheduler, block->fibers[thread].place);
      if (!block->violation.empty()) throw std::runtime_error(block->violation);
    }
  }
}

}  // namespace

Counts run(const Launch& launch, void (*kernel)(const void*), const void* params) {
  Block state;
  block = &state;
  state.launch = &launch;
  state.kernel = kernel;
  state.params = params;
  state.fibers.resize(launch.threads);
  for (Fiber& fiber : state.fibers) fiber.stack.reset(new char[kStackBytes]);
  state.warp_meetings.resize(launch.threads / 32);
  state.exchanged.resize(launch.threads * static_cast<std::size_t>(kExchangeWords));
  state.shared.resize(launch.shared_bytes);
  state.counts.read_bytes.resize(launch.memory.size());
  state.counts.written_bytes.resize(launch.memory.size());
  for (unsigned index = 0; index < launch.blocks; ++index) {
    block_index.x = index;
    run_block(launch);
  }
  return state.counts;
}

std::vector<Instance>& instances() {
  static std::vector<Instance> all;
  return all;
}

WarpView exchange(const std::uint32_t* words, int count) {
  const unsigned warp = block->current / 32;
  std::memcpy(&block->exchanged[block->current * static_cast<std::size_t>(kExchangeWords)], words,
              static_cast<std::size_t>(count) * sizeof(std::uint32_t));
  meet(block->warp_meetings[warp], 32);
  const std::uint32_t* const first = &block->exchanged[warp * static_cast<std::size_t>(32 * kExchangeWords)];
  return {reinterpret_cast<const std::uint32_t(*)[kExchangeWords]>(first)};
}

void leave_exchange() { meet(block->warp_meetings[block->current / 32], 32); }

void block_barrier() { meet(block->block_meeting, block->launch->threads); }

void copy_async(unsigned shared, const void* global, bool valid) {
  const std::size_t range = check_global(global, 16);
  if (shared % 16 != 0 || shared + 16 > block->shared.size()) violate("bad shared address of cp.async");
  block->counts.cp_async_bytes += 16;
  if (valid) block->counts.read_bytes[range] += 16;
  const Copy copy{shared, global, valid};
  if (block->launch->copy_time == CopyTime::kAtOnce) {
    land(copy);
  } else {
    block->fibers[block->current].open_group.push_back(copy);
  }
}

void commit_copies() {
  Fiber& fiber = block->fibers[block->current];
  fiber.groups.push_back(std::move(fiber.open_group));
  fiber.open_group.clear();
}

void wait_copies(int pending) {
  Fiber& fiber = block->fibers[block->current];
  while (fiber.groups.size() > static_cast<std::size_t>(pending)) {
    for (const Copy& copy : fiber.groups.front()) land(copy);
    fiber.groups.pop_front();
  }
}

unsigned read_shared(unsigned address, unsigned bytes) {
  if (address % bytes != 0 || address + bytes > block->shared.size()) violate("bad shared address");
  unsigned value = 0;
  std::memcpy(&value, block->shared.data() + address, bytes);
  return value;
}

// Each matrix is one phase: its 8 rows of 16 bytes must fall into the 8 different 16-byte groups of banks.
void note_ldmatrix(const WarpView& view) {
  const unsigned lane = block->current % 32;
  block->counts.ldmatrix_bytes += 16;
  if (view.lane[lane][0] % 16 != 0) violate("misaligned ldmatrix row");
  if (lane % 8 != 0) return;
  unsigned groups = 0;
  for (unsigned row = lane; row < lane + 8; ++row) groups |= 1u << (view.lane[row][0] / 16 % 8);
  if (groups != 0xff) ++block->counts.bank_conflicts;
}

void read_global(const void* address, std::size_t bytes) {
  block->counts.read_bytes[check_global(address, bytes)] += bytes;
}

void write_global(const void* address, std::size_t bytes) {
  block->counts.written_bytes[check_global(address, bytes)] += bytes;
}

}  // namespace emulation
