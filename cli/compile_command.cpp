#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <set>
#include <string>
#include <utility>

#include "cli/command.h"
#include "cli/point_columns.h"
#include "cli/progress.h"
#include "cli/run_arguments.h"
#include "cli/text_table.h"
#include "kernels/compiler.h"
#include "sim/error.h"

namespace hbmscope {
namespace {

// A kernel that some of the points need, for one architecture.
struct WantedKernel {
  KernelBuild build;
  int compute_capability = 0;
};

struct Wanted {
  std::vector<WantedKernel> kernels;  // each once
  std::set<std::string> reasons;      // why points have none
};

// Builds the point's program; why no kernel runs it, "" if one does.
std::string reason_without_kernel(const PointContext& context, const Point& point, Program& program) {
  if (!context.variant->has_kernel) return fmt::format("{} {} has no kernel", point.algorithm, point.variant);
  const Plan plan{point.problem, point.tile, point.order, point.kv_walk};
  try {
    build_program(*context.algorithm, *context.variant, plan, program);
    return infeasible_reason(context, plan, program);
  } catch (const CountOverflow& error) {
    return error.what();
  }
}

// Every kernel once: points that differ in lengths or batch share theirs.
Wanted wanted_kernels(const PointList& points) {
  Wanted wanted;
  std::set<std::pair<std::string, int>> seen;
  Program program;
  Point point;
  for (std::size_t index = 0; index < points.size() && !interrupted(); ++index) {
    const PointContext context = points.fill(index, point);
    const std::string reason = reason_without_kernel(context, point, program);
    if (!reason.empty()) {
      wanted.reasons.insert(reason);
      continue;
    }
    const int capability = static_cast<int>(context.gpu->compute_capability.value());
    for (KernelBuild& build : kernel_builds(program)) {
      if (seen.emplace(kernel_hash(build), capability).second) {
        wanted.kernels.push_back({std::move(build), capability});
      }
    }
  }
  return wanted;
}

std::string macro_text(const KernelBuild& build) {
  std::vector<std::string> words;
  for (const KernelMacro& macro : build.macros) words.push_back(macro.name + "=" + macro.value);
  return fmt::format("{}", fmt::join(words, " "));
}

void add_row(TextTable& table, const WantedKernel& kernel, const CompiledKernels& compiled) {
  const KernelResources& resources = compiled.resources_of(kernel.build.kernel);
  const int spills = resources.spill_store_bytes + resources.spill_load_bytes;
  table.add_row({{kernel.build.kernel},
                 {macro_text(kernel.build)},
                 {compiled.architecture},
                 {fmt::format("{}", resources.registers)},
                 {fmt::format("{}", spills), spills == 0 ? Tone::plain : Tone::bad},
                 {fmt::format("{}", resources.static_shared_bytes)},
                 {compiled.kernel_hash},
                 {compiled.from_cache ? "was cached" : "compiled"}});
}

int run_compile(const PointWork& work) {
  const Terminal& terminal = work.terminal;
  const Wanted wanted = wanted_kernels(work.points);
  const std::string reasons = fmt::format("{}", fmt::join(wanted.reasons, "; "));
  if (wanted.kernels.empty() && !interrupted())
    throw UserError("points", "", "none has a kernel: " + reasons);
  const KernelCompiler compiler;
  TextTable table({{"", "kernel", Align::left},
                   {"", "macros", Align::left},
                   {"", "arch", Align::left},
                   {"per thread", "registers"},
                   {"per thread", "spilled B"},
                   {"per CTA", "static B"},
                   {"", "hash", Align::left},
                   {"", "state", Align::left}});
  int code = kDone;
  std::size_t done = 0;
  {
    Progress progress("compiling", "kernels", wanted.kernels.size(), terminal);
    for (const WantedKernel& kernel : wanted.kernels) {
      if (interrupted()) break;
      try {
        add_row(table, kernel, compiler.compile(kernel.build, kernel.compute_capability));
      } catch (const UserError&) {
        throw;
      } catch (const std::runtime_error& error) {
        write_stderr(fmt::format("{} {}: {}\n", kernel.build.kernel, macro_text(kernel.build), error.what()));
        code = kFailed;
      }
      ++done;
      progress.advance();
    }
  }
  write_stdout(table.text(terminal.color_out));
  if (!terminal.quiet) {
    write_stderr(fmt::format("{} kernels in {}\n", done, compiler.cache().directory().string()));
    if (!reasons.empty()) write_stderr(fmt::format("without a kernel: {}\n", reasons));
  }
  return interrupted() ? end_interrupted(done, wanted.kernels.size()) : code;
}

}  // namespace

Action add_compile(CLI::App& command) {
  const auto arguments = std::make_shared<RunArguments>();
  arguments->add_points_to(command);
  arguments->add_terminal_to(command);
  command.footer(command.get_footer() +
                 "\nThe cache: $HBMSCOPE_CACHE_DIR, else $XDG_CACHE_HOME/hbmscope, else ~/.cache/hbmscope.");
  return [arguments](const RunInfo& run) { return run_points(*arguments, run, {}, run_compile); };
}

}  // namespace hbmscope
