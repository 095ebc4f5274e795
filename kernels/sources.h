#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sim/embedded_file.h"
#include "sim/problem.h"
#include "sim/tile.h"

// The device sources that travel inside the binary, and what they are compiled with. Needs no CUDA: a machine
// without a toolkit computes the same hash, and so recognises what was recorded from a kernel.
namespace hbmscope {

struct KernelMacro {
  std::string name;
  std::string value;
};

// A translation unit and its macros, sorted by name: everything of ours that decides what the kernels
// compute.
struct KernelBuild {
  std::string source;  // name of an embedded file: "kernels/device/flash2_mma.cu"
  std::vector<KernelMacro> macros;
};

// kernels/device/* and sim/kernel_shapes/*.
std::span<const EmbeddedFile> device_sources();

// Whether there is a kernel for it at all, whatever the tile: models like `paper` have none.
bool has_kernel(std::string_view algorithm, std::string_view variant);

// What runs `problem` with `tile`. The kernels depend on the shape only through head dim, dtype and mask, so
// that points over lengths, heads and batch share one build. Throws UserError when has_kernel() is false.
KernelBuild kernel_build(std::string_view algorithm, std::string_view variant, const Problem& problem,
                         const Tile& tile);

// The source and every embedded file that it includes, directly or not, in the order of first inclusion.
// Includes in quotes are names from the repository's root. Throws std::logic_error for one that is not among
// `files`.
std::vector<EmbeddedFile> needed_sources(const KernelBuild& build,
                                         std::span<const EmbeddedFile> files = device_sources());

// 64-bit FNV-1a over the needed sources (names and text) and the macros, 16 hex digits. The same on every
// machine and for every compiler and GPU; it changes when the text of the kernel or of a macro does.
std::string kernel_hash(const KernelBuild& build, std::span<const EmbeddedFile> files = device_sources());

}  // namespace hbmscope
