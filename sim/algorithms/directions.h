#pragma once

#include "sim/program.h"

// What a program holds depends on its direction: forward, backward alone (what the forward pass left is an
// input), or both, the launches of one after those of the other.
namespace hbmscope {

inline bool runs_forward(const Problem& problem) { return problem.direction != Direction::backward; }
inline bool runs_backward(const Problem& problem) { return problem.direction != Direction::forward; }

// Role of a tensor that the forward pass leaves for the backward pass.
inline Role saved_role(const Problem& problem, Role when_computed) {
  return runs_forward(problem) ? when_computed : Role::input;
}

// dO comes from outside; dQ, dK and dV are shaped as Q, K and V.
struct Gradients {
  int d_o = kNone;
  int d_q = kNone;
  int d_k = kNone;
  int d_v = kNone;
};

Gradients add_gradients(const Problem& problem, Program& program);

}  // namespace hbmscope
