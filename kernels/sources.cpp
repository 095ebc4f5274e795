#include "kernels/sources.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <stdexcept>

#include "kernels/fnv.h"

namespace hbmscope {

namespace {

std::string source_name(const KernelBuild& build) {
  return fmt::format("{}/{}.cu", build.folder, build.kernel);
}

const EmbeddedFile* find_file(std::span<const EmbeddedFile> files, std::string_view name) {
  const auto found = std::ranges::find(files, name, &EmbeddedFile::name);
  return found == files.end() ? nullptr : &*found;
}

// The name in a line `#include "name"`; blanks are allowed where the preprocessor allows them.
std::optional<std::string_view> quoted_include(std::string_view line) {
  const auto skip_blanks = [&line] {
    line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
  };
  for (const std::string_view word : {"#", "include", "\""}) {
    skip_blanks();
    if (!line.starts_with(word)) return std::nullopt;
    line.remove_prefix(word.size());
  }
  return line.substr(0, line.find('"'));
}

std::vector<std::string_view> quoted_includes(std::string_view text) {
  std::vector<std::string_view> names;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    if (const auto name = quoted_include(text.substr(0, end))) names.push_back(*name);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return names;
}

std::string gemm_text(const Program& program, const LibraryGemm& gemm) {
  return fmt::format("{} = {}{} {}{} by cuBLAS in {}, tile {}x{}", program.tensors[gemm.c].name,
                     gemm.softmax_scale ? "softmax scale * " : "", program.tensors[gemm.a].name,
                     program.tensors[gemm.b].name, gemm.b_transposed ? "^T" : "",
                     to_string(program.problem.dtype), gemm.tile_rows, gemm.tile_columns);
}

}  // namespace

KernelBuild kernel_build(const Launch& launch) {
  KernelBuild build{std::string(launch.kernel), {}};
  for (const Macro& macro : launch.macros) {
    build.macros.push_back({std::string(macro.name), std::to_string(macro.value)});
  }
  std::ranges::sort(build.macros, {}, &KernelMacro::name);
  return build;
}

std::vector<KernelBuild> kernel_builds(const Program& program) {
  std::vector<KernelBuild> builds;
  for (const Launch& launch : program.launches) {
    if (!launch.library_gemm) builds.push_back(kernel_build(launch));
  }
  return builds;
}

std::vector<EmbeddedFile> needed_sources(const KernelBuild& build, std::span<const EmbeddedFile> files) {
  std::vector<EmbeddedFile> needed;
  const auto need = [&](std::string_view name, std::string_view because_of) {
    if (find_file(needed, name) != nullptr) return;
    const EmbeddedFile* file = find_file(files, name);
    if (file == nullptr) {
      throw std::logic_error(fmt::format("{} needs {}, which is not embedded", because_of, name));
    }
    needed.push_back(*file);
  };
  need(source_name(build), "a launch");
  for (std::size_t next = 0; next < needed.size(); ++next) {
    const EmbeddedFile file = needed[next];
    for (const std::string_view name : quoted_includes(file.text)) need(name, file.name);
  }
  return needed;
}

std::string kernel_hash(const KernelBuild& build, std::span<const EmbeddedFile> files) {
  Fnv1a hash;
  for (const EmbeddedFile& file : needed_sources(build, files)) {
    hash.add(file.name);
    hash.add(file.text);
  }
  for (const KernelMacro& macro : build.macros) {
    hash.add(macro.name);
    hash.add(macro.value);
  }
  return fmt::format("{:016x}", hash.value());
}

std::string kernel_hash(const Program& program) {
  std::vector<std::string> hashes;
  for (const Launch& launch : program.launches) {
    hashes.push_back(launch.library_gemm ? gemm_text(program, *launch.library_gemm)
                                         : kernel_hash(kernel_build(launch)));
  }
  if (hashes.size() == 1) return hashes.front();
  Fnv1a hash;
  for (const std::string& of_launch : hashes) hash.add(of_launch);
  return fmt::format("{:016x}", hash.value());
}

}  // namespace hbmscope
