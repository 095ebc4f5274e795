#pragma once

#if !defined(__x86_64__)
#include <ucontext.h>
#endif

#include <cstddef>

// Leaving one stack for another, as swapcontext() does. On x86-64 without its system calls for the signal
// mask: an emulated warp switches stacks 128 times for each of its instructions.
namespace emulation {

// Where a stack was left.
struct StackPlace {
#if defined(__x86_64__)
  void* pointer = nullptr;  // to the registers that a call preserves and the address to go on at
#else
  ucontext_t context;
#endif
};

// `entry` will begin on this stack; it must not return.
void begin_on_stack(StackPlace& place, char* stack, std::size_t bytes, void (*entry)());

// Leaves the running stack at `here` and goes on at `there`.
void switch_stack(StackPlace& here, StackPlace& there);

}  // namespace emulation
