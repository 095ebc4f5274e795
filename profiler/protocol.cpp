#include "profiler/protocol.h"

#include <array>
#include <cmath>
#include <map>

#include "profiler/statistics.h"
#include "sim/error.h"

namespace hbmscope {
namespace {

// Values of every repeat, by quantity.
using Samples = std::map<Quantity, std::vector<double>>;

struct Collected {
  Samples program;
  Samples deferred;
  std::map<Quantity, std::string> absent;
};

Replay replay_of(const MeasuredProgram& program, CacheState state) {
  Replay replay;
  replay.prepare = [&program, state] {
    program.clean_l2();
    if (state == CacheState::warm) program.launches();
  };
  replay.ranges = {{kProgramRange, program.launches}, {kDeferredRange, program.clean_l2}};
  return replay;
}

void append(Samples& samples, const std::map<Quantity, double>& values) {
  for (const auto& [quantity, value] : values) samples[quantity].push_back(value);
}

// A median of a counter that failed in some repeats would hide that it failed.
std::optional<std::uint64_t> median_bytes(const Collected& collected, const Samples& samples,
                                          Quantity quantity) {
  const auto found = samples.find(quantity);
  if (found == samples.end() || collected.absent.contains(quantity)) return std::nullopt;
  const std::optional<double> value = median(found->second);
  if (!value) return std::nullopt;
  return static_cast<std::uint64_t>(std::llround(*value));
}

Measurement to_measurement(const Collected& collected) {
  const auto program = [&](Quantity quantity) {
    return median_bytes(collected, collected.program, quantity);
  };
  Measurement result;
  result.hbm_read_bytes = program(Quantity::hbm_read);
  result.hbm_write_bytes = program(Quantity::hbm_write);
  result.hbm_deferred_write_bytes = median_bytes(collected, collected.deferred, Quantity::hbm_write);
  result.l2_read_bytes = program(Quantity::l2_read);
  result.l2_write_bytes = program(Quantity::l2_write);
  result.sram_read_bytes = program(Quantity::sram_read);
  result.sram_write_bytes = program(Quantity::sram_write);
  const auto local_read = program(Quantity::local_read);
  const auto local_write = program(Quantity::local_write);
  if (local_read && local_write) result.local_bytes = checked_add(*local_read, *local_write);
  return result;
}

std::string note_of(const std::map<Quantity, std::string>& absent) {
  std::string note;
  for (const auto& [quantity, reason] : absent) {
    if (!note.empty()) note += "; ";
    note += std::string(info(quantity).name) + " absent: " + reason;
  }
  return note;
}

}  // namespace

std::vector<Quantity> measurement_quantities() {
  return {Quantity::hbm_read,  Quantity::hbm_write,  Quantity::l2_read,    Quantity::l2_write,
          Quantity::sram_read, Quantity::sram_write, Quantity::local_read, Quantity::local_write};
}

ProtocolResult measure_program(CounterSource& source, const MeasuredProgram& program,
                               const ProtocolOptions& options) {
  if (options.repeats < 1) throw UserError("repeats", std::to_string(options.repeats), "1 or more");
  const Replay replay = replay_of(program, options.cache_state);
  Collected collected;
  ProtocolResult result;
  for (int repeat = 0; repeat < options.repeats; ++repeat) {
    // What happens inside the SMs is the same in every run; only the L2 and DRAM are worth asking again.
    const std::vector<Quantity> quantities =
        repeat == 0 ? options.quantities : quantities_of(CounterSet::traffic, options.quantities);
    if (quantities.empty()) break;
    const CounterReadings readings = source.measure(quantities, replay);
    append(collected.program, readings.ranges.at(0));
    append(collected.deferred, readings.ranges.at(1));
    collected.absent.insert(readings.absent.begin(), readings.absent.end());
    result.passes += readings.passes;
    ++result.repeats;
  }
  result.measurement = to_measurement(collected);
  if (result.measurement.hbm_read_bytes) result.hbm_spread = spread(collected.program[Quantity::hbm_read]);
  result.note = note_of(collected.absent);
  return result;
}

}  // namespace hbmscope
