#pragma once

#include <span>
#include <string>
#include <string_view>

#include "sim/program.h"
#include "sim/record.h"
#include "sim/tile.h"

namespace hbmscope {

// What an algorithm needs to know to write its program down.
struct Plan {
  Problem problem;
  Tile tile;
  Order order = Order::q_fastest;
};

// One implementation of an algorithm. `build` fills an empty program for any problem and tile.
struct Variant {
  std::string_view name;
  std::string_view summary;
  // A kernel exists; if so, `limit` says why it cannot run a plan: "" or what is needed and what is allowed.
  bool has_kernel = false;
  void (*build)(const Plan& plan, Program& program) = nullptr;
  std::string (*limit)(const Plan& plan) = nullptr;
};

struct Algorithm {
  std::string_view name;
  std::string_view summary;
  std::span<const Variant> variants;  // the first is what validate runs
};

// All algorithms. A new one is a file in this folder that defines an Algorithm, and its name in
// registry.cpp.
std::span<const Algorithm* const> algorithms();

// Throws UserError (--algorithm, --variant) listing what there is.
const Algorithm& find_algorithm(std::string_view name);
const Variant& find_variant(const Algorithm& algorithm, std::string_view name);

// Empties `program` and builds it.
void build_program(const Algorithm& algorithm, const Variant& variant, const Plan& plan, Program& program);

}  // namespace hbmscope
