#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

// Runs device code on the CPU, lane by lane: every CUDA thread is a fiber, warp-wide instructions and
// barriers are meeting points, shared memory is an array. It checks what a GPU does not say: addresses,
// alignment, bank conflicts of ldmatrix, copies that are used before they were waited for.
namespace emulation {

// When a cp.async lands: at once, or only at the wait that must see it. Correct code cannot tell them apart.
enum class CopyTime { kAtOnce, kAtWait };

struct Counts {
  std::uint64_t ldmatrix_bytes = 0;
  std::uint64_t cp_async_bytes = 0;       // written to shared memory, zero fill included
  std::vector<std::uint64_t> read_bytes;  // of each range of Launch::memory
  std::vector<std::uint64_t> written_bytes;
  std::uint64_t bank_conflicts = 0;  // ldmatrix phases of 8 rows that hit a bank twice
};

// Memory that device code may touch; anything else fails the launch.
struct Range {
  const void* begin;
  std::size_t bytes;
};

struct Launch {
  unsigned blocks;
  unsigned threads;
  std::size_t shared_bytes;
  CopyTime copy_time;
  std::vector<Range> memory;
};

// Calls kernel(params) for every thread of every block. Shared memory starts as NaN patterns. Throws
// std::runtime_error with the first violation.
Counts run(const Launch& launch, void (*kernel)(const void* params), const void* params);

// A kernel compiled with its macros.
struct Instance {
  std::string kernel;
  std::map<std::string, int> macros;
  void (*run)(const void* params);
};
std::vector<Instance>& instances();

// --- called by the emulated instructions, on the fiber of a thread ---
struct LaneIndex {
  unsigned x;
};
extern LaneIndex thread_index;
extern LaneIndex block_index;

constexpr int kExchangeWords = 8;

// Meets the other 31 lanes of the warp; each gives `words` and sees those of all.
struct WarpView {
  const std::uint32_t (*lane)[kExchangeWords];
};
WarpView exchange(const std::uint32_t* words, int count);
void leave_exchange();
void block_barrier();
void copy_async(unsigned shared, const void* global, bool valid);
void commit_copies();
void wait_copies(int pending);
unsigned read_shared(unsigned address, unsigned bytes);
void note_ldmatrix(const WarpView& view);
void read_global(const void* address, std::size_t bytes);
void write_global(const void* address, std::size_t bytes);

}  // namespace emulation
