#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string_view>

#include "sim/fixed_list.h"
#include "sim/problem.h"
#include "sim/tile.h"

// An attention algorithm as data. An algorithm's file builds a Program; traffic, compulsory bytes, FLOPs,
// shared-memory bytes, occupancy, the stream of accesses and the explanation all derive from it and name no
// algorithm. Loops are numbered within their launch, tensors and tables within the program.
namespace hbmscope {

// Capacities of a program; what is kept beside one has the same.
inline constexpr int kMaxLoops = 8;
inline constexpr int kMaxSteps = 48;
inline constexpr int kMaxTensors = 24;
inline constexpr int kMaxLaunches = 16;
inline constexpr int kMaxMacros = 12;
inline constexpr int kNone = -1;
inline constexpr std::int64_t kUnbounded = std::numeric_limits<std::int64_t>::max();

// Some of a program's tensors: bit k is tensor k.
using TensorSet = std::uint32_t;
static_assert(kMaxTensors <= std::numeric_limits<TensorSet>::digits);

struct Term {
  int loop = 0;
  std::int64_t factor = 0;

  bool operator==(const Term&) const = default;
};

// floor or ceil of (constant + Σ factor · index[loop]) / divisor, over the first `count` terms.
struct Affine {
  std::int64_t constant = 0;
  int count = 0;
  std::array<Term, 4> terms{};
  std::int64_t divisor = 1;
  bool round_up = false;

  bool operator==(const Affine&) const = default;
};

// A number that an affine form and, optionally, a table give: offset + table[position] · scale. Page tables
// and the row offsets of a ragged batch come this way.
struct Index {
  Affine offset;
  int table = kNone;
  Affine position;
  std::int64_t scale = 1;

  bool operator==(const Index&) const = default;
};

// clamp(min(affine, table[position]), minimum, maximum), the table where there is one.
struct Bound {
  Affine affine;
  int table = kNone;
  Affine position;
  std::int64_t minimum = 0;
  std::int64_t maximum = kUnbounded;

  bool operator==(const Bound&) const = default;
};

struct Loop {
  std::string_view name;
  Bound begin;
  Bound end;
  Walk walk = Walk::up;
  int alternates_with = kNone;
};

// `extent` rows (or columns) from `start`, those below `limit` valid. What is valid moves; what is executed
// is the whole extent.
struct Range {
  Affine start;
  std::int64_t extent = 1;
  Bound limit{.affine = {.constant = kUnbounded}};

  bool operator==(const Range&) const = default;
};

// When a step within its loops takes place.
struct Guard {
  enum class Kind : std::uint8_t { always, first, not_first, last, not_last, when_not_negative };
  Kind kind = Kind::always;
  int loop = kNone;  // whose first or last iteration, in the order in which it walks
  Affine condition;  // for when_not_negative: e.g. the tile meets the diagonal

  bool operator==(const Guard&) const = default;
};

enum class Operation : std::uint8_t { load, store, reduce };  // reduce: atomic add carried out in the L2
enum class Path : std::uint8_t {
  registers,     // global -> registers or registers -> global, L1 bypassed
  registers_l1,  // as above through the L1
  shared_copy,   // cp.async: global -> shared memory, whole extents written, L1 bypassed
  tensor_copy,   // TMA: global <-> shared memory
};
enum class L2Hint : std::uint8_t { normal, evict_first, evict_last };

// One tile of a tensor moved between global memory and an SM.
struct Access {
  int tensor = kNone;
  Operation operation = Operation::load;
  Index plane;               // which (rows × columns) matrix of the tensor
  Range rows;                // logical rows: what is valid
  Range columns;             // within the tensor (a view's own columns)
  bool rows_placed = false;  // rows lie at `place`, not at rows.start (paged, ragged)
  Index place;
  Guard guard;
  Path path = Path::registers;
  L2Hint hint = L2Hint::normal;
  // The L2 sends the whole extent, zeros for what is not valid: a load by tensor_copy whose box sticks out.
  bool whole_box = false;
  // CTAs of a cluster whose shared memory one L2 read fills; a guard on the loop over the cluster's CTAs says
  // which of them issues it.
  std::int64_t multicast = 1;
};

// Bytes that a step moves between shared memory and registers each time it runs, from the shapes of its
// instructions: e.g. every warp reads the whole K tile once.
struct SharedOperand {
  std::string_view name;
  int tensor = kNone;  // kNone for what lives on chip only
  std::int64_t read_bytes = 0;
  std::int64_t write_bytes = 0;
};

enum class ComputeKind : std::uint8_t { matmul, softmax, elementwise };

// Arithmetic on a tile of (query, key) pairs. A matmul does 2 · depth FLOPs for each pair.
struct Compute {
  std::string_view name;  // pseudo-code, e.g. "S = Q Kᵀ"
  ComputeKind kind = ComputeKind::elementwise;
  Range queries;
  Range keys;
  std::int64_t depth = 0;
  std::int64_t exponentials_per_pair = 0;
  std::int64_t exponentials_per_query = 0;
  FixedList<SharedOperand, 4> shared;
  Guard guard;
};

// The body of a launch is a list of steps: loops open and close like brackets around accesses and computes.
// Grid loops are open around the whole body.
struct Step {
  enum class Kind : std::uint8_t { open_loop, close_loop, access, compute };
  Kind kind;
  int index;  // of the loop, access or compute
};

enum class Schedule : std::uint8_t {
  hardware,        // one CTA for each work item, in grid order
  static_stride,   // persistent CTAs, work item = CTA + k · CTAs
  atomic_counter,  // persistent CTAs, next item from a counter
  longest_first,   // as atomic_counter, items with the most iterations first
};

// A compile-time parameter of a kernel's source.
struct Macro {
  std::string_view name;
  std::int64_t value = 0;
};

// A matrix product that a library carries out: C = A B, or A Bᵀ, of each plane; sizes and strides are those
// of the tensors. The kernel is asked for by the tile of C that one of its CTAs computes.
struct LibraryGemm {
  int a = kNone;
  int b = kNone;
  int c = kNone;
  bool b_transposed = false;
  bool softmax_scale = false;  // the product is multiplied by 1 / sqrt(head_dim)
  std::int64_t tile_rows = 0;
  std::int64_t tile_columns = 0;
};

struct Launch {
  std::string_view name;                // shown to people
  std::string_view kernel;              // entry point of the compiled kernel; empty for a model-only launch
  FixedList<Macro, kMaxMacros> macros;  // all that the kernel's source asks for
  FixedList<Loop, kMaxLoops> loops;     // the first `grid_loops` span the grid, first = fastest
  int grid_loops = 0;
  FixedList<Access, 16> accesses;
  FixedList<Compute, 8> computes;
  FixedList<Step, kMaxSteps> body;
  Schedule schedule = Schedule::hardware;
  std::int64_t persistent_ctas = 0;  // for the persistent schedules
  std::int64_t threads = 0;          // 0: no kernel is described (occupancy unknown)
  std::int64_t ctas_per_sm = 0;      // what __launch_bounds__ promises
  std::int64_t shared_bytes = 0;
  std::int64_t cluster = 1;
  // How fast each further CTA of an SM goes relative to the older one before it; absent: as those of this
  // project's kernels.
  std::optional<double> younger_cta_rate;
  // How far the clocks of GPCs lie apart while it runs, as a share of them; absent: as under this project's
  // kernels.
  std::optional<double> gpc_clock_deviation;
  bool sram_described = true;               // the computes name all that is moved in shared memory
  std::optional<LibraryGemm> library_gemm;  // instead of a kernel
};

// Local memory is what registers spill to: every CTA that is resident at once has a matrix of its own, which
// the next CTA in its place takes over. How many there are is up to the GPU, so that footprint and compulsory
// bytes leave them out; `planes` is 1 and says nothing.
enum class Role : std::uint8_t { input, output, workspace, local, on_chip };

// Whether a tensor is memory that a program asks for, as opposed to what a kernel brings with it.
constexpr bool is_allocated(Role role) { return role != Role::local && role != Role::on_chip; }

// planes matrices of rows × columns elements, each row padded to row_stride elements. A view shares the
// planes and rows of its base and starts at one of its columns.
struct Tensor {
  std::string_view name;
  Role role = Role::input;
  std::int64_t planes = 1;
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  std::int64_t row_stride = 0;
  std::int64_t element_bytes = 0;
  int view_of = kNone;
  std::int64_t first_column = 0;  // of a view, in its base
};

struct Program {
  std::string_view algorithm;
  Problem problem;  // the mask decides which pairs are useful
  FixedList<Tensor, kMaxTensors> tensors;
  FixedList<std::span<const std::int64_t>, 6> tables;  // not owned
  FixedList<Launch, kMaxLaunches> launches;
};

// --- What a form says at given loop indices ---
using Indices = std::array<std::int64_t, kMaxLoops>;

inline std::int64_t value_of(const Affine& affine, const Indices& indices) {
  std::int64_t sum = affine.constant;
  for (std::size_t t = 0; t < static_cast<std::size_t>(affine.count); ++t) {
    const Term& term = affine.terms[t];
    sum += term.factor * indices[static_cast<std::size_t>(term.loop)];
  }
  if (affine.divisor == 1) return sum;
  return affine.round_up ? ceil_div(sum, affine.divisor) : floor_div(sum, affine.divisor);
}

// Throws std::logic_error for a position outside the table.
std::int64_t table_entry(const Program& program, int table, const Affine& position, const Indices& indices);

inline std::int64_t value_of(const Index& index, const Program& program, const Indices& indices) {
  const std::int64_t offset = value_of(index.offset, indices);
  if (index.table == kNone) return offset;
  return offset + table_entry(program, index.table, index.position, indices) * index.scale;
}

inline std::int64_t value_of(const Bound& bound, const Program& program, const Indices& indices) {
  std::int64_t value = value_of(bound.affine, indices);
  if (bound.table != kNone) {
    value = std::min(value, table_entry(program, bound.table, bound.position, indices));
  }
  return std::max(bound.minimum, std::min(value, bound.maximum));
}

// The base tensor of a view, or the tensor itself.
int base_tensor(const Program& program, int tensor);

// Throws std::logic_error naming what is wrong: brackets that do not match, loops, steps or tensors that do
// not exist, a view that stands before its base, a bound that reads a loop opened later, a read of a tensor
// that nothing has written. For tests of an algorithm: no prediction calls it.
void check_program(const Program& program);

}  // namespace hbmscope
