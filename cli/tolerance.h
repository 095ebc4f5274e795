#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/record.h"

namespace hbmscope {

// The largest |error| that a boundary may have; absent where nobody asked.
struct Tolerance {
  std::optional<double> hbm;
  std::optional<double> l2;
  std::optional<double> sram;

  const std::optional<double>& at(Boundary boundary) const;
  bool any() const { return hbm || l2 || sram; }
};

// "l2=0.5%,sram=2%,hbm=10%". Throws UserError (--tolerance).
Tolerance parse_tolerance(std::string_view text);

// What was predicted and measured at a boundary.
struct BoundaryBytes {
  std::optional<std::uint64_t> predicted_read;
  std::optional<std::uint64_t> measured_read;
  std::optional<double> read_error;
  std::optional<std::uint64_t> predicted_write;
  std::optional<std::uint64_t> measured_write;  // at hbm with what was written back later
  std::optional<double> write_error;
};
BoundaryBytes bytes_at(Boundary boundary, const Record& record);

// Why a record with a measurement does not hold the tolerance; empty if it does. A value that was not
// measured, or was measured with other kernels, does not hold.
std::vector<std::string> violations(const Record& record, const Tolerance& tolerance);

inline constexpr Boundary kBoundaries[] = {Boundary::hbm, Boundary::l2, Boundary::sram};

}  // namespace hbmscope
