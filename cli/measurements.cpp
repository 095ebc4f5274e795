#include "cli/measurements.h"

#include <fmt/format.h>

#include "cli/choose_gpu.h"
#include "cli/live_run.h"
#include "cli/recorded_rows.h"
#include "kernels/gpu.h"
#include "kernels/sources.h"
#include "profiler/recorded_source.h"
#include "reports/records_file.h"
#include "sim/enum_names.h"
#include "sim/error.h"

namespace hbmscope {
namespace {

constexpr EnumNames<CounterMode, 5> kModeNames{{"auto", "live", "required", "recorded", "none"}};

class LiveMeasurements : public Measurements {
 public:
  explicit LiveMeasurements(CounterNeed need) : run_(need) {}
  bool fill(const Program& program, Record& record) override { return run_.measure(program, record); }
  void describe(RunInfo& run) const override { run_.describe(run); }
  const std::string& gpu_name() const { return run_.gpu_name(); }

 private:
  LiveRun run_;
};

class RecordedMeasurements : public Measurements {
 public:
  explicit RecordedMeasurements(const std::string& file)
      : rows_(file.empty() ? recorded_rows() : read_records(file)) {}
  bool fill(const Program& program, Record& record) override {
    record.kernel_hash = kernel_hash(program);
    if (rows_.fill(record) != RecordedFit::none) return true;
    record.status = Status::skipped;
    record.reason = "no measurement of this point is recorded (hbmscope list recorded shows what is)";
    return true;
  }
  void describe(RunInfo&) const override {}
  bool wants_idle_cpu() const override { return false; }

 private:
  RecordedSource rows_;
};

std::unique_ptr<Measurements> open_live(CounterNeed need, const std::vector<GpuSpec>& gpus) {
  auto live = std::make_unique<LiveMeasurements>(need);
  for (const GpuSpec& gpu : gpus) {
    if (describes(gpu, live->gpu_name())) continue;
    throw UserError("--gpu", gpu.name,
                    fmt::format("expected auto or a description of the installed {}", live->gpu_name()));
  }
  return live;
}

// For a mode that was asked for by name: the error names it.
std::unique_ptr<Measurements> open_asked(CounterMode mode, CounterNeed need,
                                         const std::vector<GpuSpec>& gpus) {
  const std::string absence = gpu_absence_reason();
  if (!absence.empty()) {
    throw UserError("--counters", std::string(kModeNames.name(mode)),
                    "expected auto or recorded, because no GPU can be used here: " + absence);
  }
  return open_live(need, gpus);
}

}  // namespace

CounterMode parse_counter_mode(std::string_view text) {
  const std::optional<CounterMode> mode = kModeNames.parse(text);
  if (!mode)
    throw UserError("--counters", std::string(text), "expected auto, live, required, recorded or none");
  return *mode;
}

std::unique_ptr<Measurements> open_measurements(CounterMode mode, const std::vector<GpuSpec>& gpus,
                                                const std::string& recorded_file, const Terminal& terminal) {
  switch (mode) {
    case CounterMode::live:
      return open_asked(mode, CounterNeed::wanted, gpus);
    case CounterMode::required:
      return open_asked(mode, CounterNeed::needed, gpus);
    case CounterMode::none:
      return open_asked(mode, CounterNeed::none, gpus);
    case CounterMode::automatic:
      try {
        return open_live(CounterNeed::needed, gpus);
      } catch (const UserError& error) {
        if (!terminal.quiet)
          write_stderr(fmt::format("recorded counters are shown, because live ones cannot be read: {}\n",
                                   error.what()));
      }
      break;
    case CounterMode::recorded:
      break;
  }
  return std::make_unique<RecordedMeasurements>(recorded_file);
}

}  // namespace hbmscope
