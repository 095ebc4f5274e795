#pragma once

#include <string>
#include <vector>

#include "sim/gpu.h"
#include "sim/l2/l2_model.h"
#include "sim/program.h"
#include "sim/record.h"
#include "sim/traffic.h"

namespace hbmscope {

// A program with its counts, and with what a model of the L2 said of it.
struct ReasonedProgram {
  const Program& program;
  const Traffic& traffic;
  const GpuSpec& gpu;
  const HbmTraffic* hbm = nullptr;  // null where no model was asked, or its bytes are not at hand
};

// Why io, compulsory bytes and what DRAM sees differ, or coincide, a sentence each: what is counted again,
// what the L2 has to hold for its launches (launch_reasons), what is written more than once, and whose bytes
// DRAM moves beyond the compulsory ones.
std::vector<std::string> hbm_reasons(const ReasonedProgram& of);

// What these reasons come to: bytes at DRAM, predicted and measured, as multiples of the compulsory ones and
// as parts of io; without a model of the L2, which option asks for one. The record has a prediction.
std::vector<std::string> hbm_conclusions(const Record& record);

}  // namespace hbmscope
