// One copy kernel from a clean L2, under our counters (`copy_program counters`: prints one line per counter)
// or under nothing (`copy_program plain`), to be measured by ncu. scripts/compare_with_ncu runs both.
#include <cstdio>
#include <string_view>
#include <vector>

#include "profiler/cupti_source.h"
#include "profiler/device_arena.h"
#include "profiler/nvtx.h"
#include "profiler/protocol.h"
#include "profiler/sweep.h"
#include "sim/error.h"
#include "tests/profiler/stream_kernels.h"

namespace {

using namespace hbmscope;

constexpr Bytes kCopiedBytes = kGiB;

void print(const char* name, std::optional<std::uint64_t> value) {
  if (value) std::printf("%s %llu\n", name, static_cast<unsigned long long>(*value));
}

int run(std::string_view mode) {
  const Device device;
  const DeviceArena arena(device, 2 * kCopiedBytes);
  const L2Sweep sweep(device);
  const StreamKernels stream(device);
  const auto places = arena.place(std::vector<Bytes>{kCopiedBytes, kCopiedBytes}, 1, 0);
  const MeasuredProgram program{[&] { stream.copy(places[1], places[0], kCopiedBytes); },
                                [&] { sweep.run(); }};
  if (mode == "plain") {
    const NvtxRange range("copy");
    program.clean_l2();
    program.launches();
    device.synchronize();
    return 0;
  }
  CuptiCounterSource source(device);
  const ProtocolResult result = measure_program(source, program);
  print("hbm_read", result.measurement.hbm_read_bytes);
  print("hbm_write", result.measurement.hbm_write_bytes);
  print("l2_read", result.measurement.l2_read_bytes);
  print("l2_write", result.measurement.l2_write_bytes);
  if (!result.note.empty()) std::fprintf(stderr, "%s\n", result.note.c_str());
  return result.note.empty() ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string_view mode = argc == 2 ? argv[1] : "";
  if (mode != "plain" && mode != "counters") {
    std::fprintf(stderr, "usage: copy_program plain|counters\n");
    return 2;
  }
  try {
    return run(mode);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "copy_program: %s\n", error.what());
    return 2;
  }
}
