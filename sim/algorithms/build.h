#pragma once

#include <cstdint>
#include <initializer_list>
#include <string_view>

#include "sim/loops.h"
#include "sim/program.h"

// Short words for writing programs down. An algorithm's file reads like its pseudo-code with these.
namespace hbmscope::build {

Affine affine(std::initializer_list<Term> terms, std::int64_t constant = 0);
Affine floored(std::initializer_list<Term> terms, std::int64_t constant, std::int64_t divisor);
Affine ceiled(std::initializer_list<Term> terms, std::int64_t constant, std::int64_t divisor);

// A bound that is a number.
Bound fixed(std::int64_t value);

// Loop 0 … count - 1.
Loop counted(std::string_view name, std::int64_t count);

// Rows [loop · extent, (loop + 1) · extent), those below `limit` valid.
Range tile_of(int loop, std::int64_t extent, std::int64_t limit);
// Rows [0, extent), all valid.
Range whole(std::int64_t extent);

Index plane(std::initializer_list<Term> terms, std::int64_t divisor = 1);

// A contiguous tensor of planes × rows × columns; returns its number.
int tensor(Program& program, std::string_view name, Role role, std::int64_t planes, std::int64_t rows,
           std::int64_t columns, std::int64_t element_bytes);

// --- Steps, appended to the launch's body in the order of execution ---
int open_loop(Launch& launch, const Loop& loop);  // returns its number
void close_loop(Launch& launch, int loop);
Access& load(Launch& launch, int tensor, const Index& plane, const Range& rows, const Range& columns,
             Path path = Path::registers);
Access& store(Launch& launch, int tensor, const Index& plane, const Range& rows, const Range& columns);
Access& reduce(Launch& launch, int tensor, const Index& plane, const Range& rows, const Range& columns);
Compute& matmul(Launch& launch, std::string_view name, const Range& queries, const Range& keys,
                std::int64_t depth);
Compute& softmax(Launch& launch, std::string_view name, const Range& queries, const Range& keys,
                 std::int64_t exponentials_per_pair, std::int64_t exponentials_per_query);
// Arithmetic that is neither: rescaling, combining, holding fragments.
Compute& elementwise(Launch& launch, std::string_view name, const Range& queries);

// The grid of Q-outer kernels: q tile, query head and batch, in the order asked for. Where heads are not the
// fastest, the batch may come before them.
struct QueryGrid {
  int q_tile;
  int head;
  int batch;
  Index query_plane;      // b · heads + h
  Index key_value_plane;  // b · kv_heads + floor(h / group)
  Range query_rows;
};
QueryGrid query_grid(Launch& launch, const Problem& problem, std::int64_t br, bool head_fastest,
                     bool batch_before_head = false);
// The heads of all batches in sections of so many, which divide them: heads fastest, then q tile, then
// section, for which `batch` stands.
QueryGrid query_grid_in_sections(Launch& launch, const Problem& problem, std::int64_t br, std::int64_t heads);

// K/V tiles [begin, end) that a q tile of `br` rows sees: all of them, or those its mask lets through.
// Query i sees keys up to i + Nkv − Nq, and under a window W not before i + Nkv − Nq − W + 1.
Loop visible_kv_tiles(const Problem& problem, int q_tile, std::int64_t br, std::int64_t bc);

// Q tiles that see a K/V tile of `bc` rows: the same relation, for K/V-outer loops.
Loop seeing_q_tiles(const Problem& problem, int kv_tile, std::int64_t br, std::int64_t bc);

}  // namespace hbmscope::build
