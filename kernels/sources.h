#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sim/embedded_file.h"
#include "sim/program.h"

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
  std::string kernel;  // file, and entry point of attention: "flash2_mma" is in kernels/device/flash2_mma.cu
  std::vector<KernelMacro> macros;
  std::string folder = "kernels/device";
};

// kernels/device/* and sim/kernel_shapes/*.
std::span<const EmbeddedFile> device_sources();

// What runs a launch. Points that differ only in what its macros do not say share a build: lengths, heads and
// batch are arguments of a kernel.
KernelBuild kernel_build(const Launch& launch);

// One for every launch of the program that runs a kernel of ours, in order.
std::vector<KernelBuild> kernel_builds(const Program& program);

// The source and every embedded file that it includes, directly or not, in the order of first inclusion.
// Includes in quotes are names from the repository's root. Throws std::logic_error for one that is not among
// `files`, and for a launch without a kernel.
std::vector<EmbeddedFile> needed_sources(const KernelBuild& build,
                                         std::span<const EmbeddedFile> files = device_sources());

// 64-bit FNV-1a over the needed sources (names and text) and the macros, 16 hex digits. The same on every
// machine and for every compiler and GPU; it changes when the text of the kernel or of a macro does.
std::string kernel_hash(const KernelBuild& build, std::span<const EmbeddedFile> files = device_sources());

// Of all launches of a program: the hash of one, or a hash over the hashes. A product by a library counts
// with its description; which version of the library runs is a matter of the machine.
std::string kernel_hash(const Program& program);

}  // namespace hbmscope
