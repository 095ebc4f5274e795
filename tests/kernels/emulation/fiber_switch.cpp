#include "tests/kernels/emulation/fiber_switch.h"

#include <cstdint>
#include <new>

namespace emulation {

#if defined(__x86_64__)

// System V ABI, AMD64: rbx, rbp and r12 to r15 are the callee's to preserve; rdi and rsi are the arguments.
asm(R"(
.text
.type emulation_switch_stack, @function
emulation_switch_stack:
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  movq %rsp, (%rdi)
  movq %rsi, %rsp
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
  ret
.size emulation_switch_stack, . - emulation_switch_stack
)");
extern "C" void emulation_switch_stack(void** here, void* there);

namespace {

// What emulation_switch_stack() finds on a stack that it goes on with.
struct Left {
  std::uintptr_t registers[6];
  void (*resume)();
  std::uintptr_t
      return_address;  // of resume(), which has none; a function begins 8 bytes off a multiple of 16
};
static_assert(sizeof(Left) % 16 == 0);

}  // namespace

void begin_on_stack(StackPlace& place, char* stack, std::size_t bytes, void (*entry)()) {
  const std::uintptr_t end = (reinterpret_cast<std::uintptr_t>(stack) + bytes) / 16 * 16;
  place.pointer = new (reinterpret_cast<void*>(end - sizeof(Left)))
      Left{.registers = {}, .resume = entry, .return_address = 0};
}

void switch_stack(StackPlace& here, StackPlace& there) {
  emulation_switch_stack(&here.pointer, there.pointer);
}

#else

void begin_on_stack(StackPlace& place, char* stack, std::size_t bytes, void (*entry)()) {
  getcontext(&place.context);
  place.context.uc_stack.ss_sp = stack;
  place.context.uc_stack.ss_size = bytes;
  place.context.uc_link = nullptr;
  makecontext(&place.context, entry, 0);
}

void switch_stack(StackPlace& here, StackPlace& there) { swapcontext(&here.context, &there.context); }

#endif

}  // namespace emulation
