// Reads, writes and latencies of lines of the L2: by all SMs or by one.

#include "kernels/device/ptx.cuh"
#include "profiler/calibration/device/lines.cuh"

namespace hbmscope {
namespace {

constexpr int kPieceBytes = 16;

// The threads that share the work: this one's number among them, and how many they are.
struct Worker {
  unsigned long long number;
  unsigned long long count;
};

__device__ Worker worker_of_cta() { return {threadIdx.x, blockDim.x}; }

__device__ Worker worker_of_grid() {
  return {blockIdx.x * static_cast<unsigned long long>(blockDim.x) + threadIdx.x,
          gridDim.x * static_cast<unsigned long long>(blockDim.x)};
}

__device__ void touch_lines(const char* lines, unsigned long long count, Worker worker) {
  unsigned sum = 0;
  for (unsigned long long i = worker.number; i < count; i += worker.count)
    sum += load(lines + i * kLineBytes);
  keep(sum);
}

__device__ void write_pieces(char* lines, unsigned long long count, Worker worker) {
  const unsigned long long pieces = count * (kLineBytes / kPieceBytes);
  for (unsigned long long i = worker.number; i < pieces; i += worker.count) {
    const unsigned word = static_cast<unsigned>(i);
    const unsigned words[4] = {word, word, word, word};
    store_global_piece(lines + i * kPieceBytes, words);
  }
}

__device__ unsigned folded(const Piece& piece) {
  return piece.word[0] ^ piece.word[1] ^ piece.word[2] ^ piece.word[3];
}

}  // namespace
}  // namespace hbmscope

// One sector of every line, each line by one SM.
extern "C" __global__ void touch_once(const char* lines, unsigned long long count) {
  hbmscope::touch_lines(lines, count, hbmscope::worker_of_grid());
}

// One sector of every line by every CTA.
extern "C" __global__ void touch_by_all(const char* lines, unsigned long long count) {
  hbmscope::touch_lines(lines, count, hbmscope::worker_of_cta());
}

extern "C" __global__ void touch_by(unsigned sm, unsigned* taken, const char* lines,
                                    unsigned long long count) {
  if (hbmscope::takes(sm, taken)) hbmscope::touch_lines(lines, count, hbmscope::worker_of_cta());
}

// All bytes, each line by one SM.
extern "C" __global__ void write_once(char* lines, unsigned long long count) {
  hbmscope::write_pieces(lines, count, hbmscope::worker_of_grid());
}

extern "C" __global__ void write_by(unsigned sm, unsigned* taken, char* lines, unsigned long long count) {
  if (hbmscope::takes(sm, taken)) hbmscope::write_pieces(lines, count, hbmscope::worker_of_cta());
}

// All bytes, each line by one SM.
extern "C" __global__ void read_once(const char* lines, unsigned long long count) {
  using namespace hbmscope;
  const Worker worker = worker_of_grid();
  const unsigned long long pieces = count * (kLineBytes / kPieceBytes);
  unsigned sum = 0;
  for (unsigned long long i = worker.number; i < pieces; i += worker.count)
    sum ^= folded(load_global_piece(lines + i * kPieceBytes));
  keep(sum);
}

// All bytes, each line by one SM, to as many lines elsewhere or to the same ones.
extern "C" __global__ void copy_once(const char* lines, unsigned long long count, char* to) {
  using namespace hbmscope;
  const Worker worker = worker_of_grid();
  const unsigned long long pieces = count * (kLineBytes / kPieceBytes);
  for (unsigned long long i = worker.number; i < pieces; i += worker.count) {
    const Piece piece = load_global_piece(lines + i * kPieceBytes);
    store_global_piece(to + i * kPieceBytes, piece.word);
  }
}

// All bytes by every CTA, `rounds` times, every second time backwards if `turns` is not 0. `count` lines are
// a multiple of what a CTA reads at once.
extern "C" __global__ void read_ring(const char* lines, unsigned long long count, int rounds, int turns) {
  using namespace hbmscope;
  const long long steps = static_cast<long long>(count * (kLineBytes / kPieceBytes) / blockDim.x);
  unsigned sum = 0;
  for (int round = 0; round < rounds; ++round) {
    const bool down = turns != 0 && round % 2 != 0;
    for (long long step = 0; step < steps; ++step) {
      const long long place = down ? steps - 1 - step : step;
      sum ^= folded(load_global_piece(lines + (place * blockDim.x + threadIdx.x) * kPieceBytes));
    }
  }
  keep(sum);
}

// Cycles that one thread waits for lines, one after the other in the order of `order`.
extern "C" __global__ void time_lines(unsigned sm, unsigned* taken, const char* lines, const unsigned* order,
                                      unsigned long long count, unsigned short* cycles) {
  using namespace hbmscope;
  if (!takes(sm, taken)) return;
  for (unsigned long long i = 0; i < count; ++i)
    cycles[i] = static_cast<unsigned short>(min(timed_load(address_of(lines, order[i])), 65535u));
}
