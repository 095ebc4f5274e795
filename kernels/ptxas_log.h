#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace hbmscope {

// What the assembler says of one compiled kernel, per thread or per CTA.
struct KernelResources {
  std::string entry;          // name of the kernel
  int registers = 0;          // per thread
  int stack_bytes = 0;        // per thread, in local memory; spilled registers lie here
  int spill_store_bytes = 0;  // per thread, of the instructions in the text: a loop executes them again
  int spill_load_bytes = 0;
  int static_shared_bytes = 0;  // per CTA; dynamic shared memory is the launch's
};

// Reads the lines that `ptxas -v` writes for every entry function. Throws std::runtime_error for a log that
// lacks them, so that a compiler that words them differently is noticed.
std::vector<KernelResources> parse_ptxas_log(std::string_view log);

}  // namespace hbmscope
