#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "sim/units.h"

namespace hbmscope {

enum class DataType : std::uint8_t { fp32, bf16, fp16, fp8 };
enum class Mask : std::uint8_t { full, causal, window };
enum class Direction : std::uint8_t { forward, backward, both };

// An attention problem: softmax(Q Kᵀ / sqrt(head_dim)) V.
// Q: (batch, heads, seqlen_q, head_dim); K: (batch, kv_heads, seqlen_kv, head_dim);
// V: (batch, kv_heads, seqlen_kv, head_dim_v); O: (batch, heads, seqlen_q, head_dim_v); all contiguous.
// Query head h reads KV head h / (heads / kv_heads): MHA, GQA and MQA are one thing.
struct Problem {
  std::int64_t batch = 1;
  std::int64_t heads = 16;
  std::int64_t kv_heads = 16;
  std::int64_t seqlen_q = 4096;
  std::int64_t seqlen_kv = 4096;
  std::int64_t head_dim = 128;
  std::int64_t head_dim_v = 128;
  DataType dtype = DataType::bf16;
  Mask mask = Mask::full;
  std::int64_t window = 0;     // keys a query sees, itself included; only under Mask::window
  std::int64_t page_size = 0;  // tokens in a KV-cache page; 0 = contiguous
  Direction direction = Direction::forward;

  std::int64_t group() const { return heads / kv_heads; }
};

// No size may exceed this: products of two sizes, and sums of a few, then fit in 63 bits.
inline constexpr std::int64_t kLargestSize = std::int64_t{1} << 30;

// Throws UserError, naming the command-line option, for a value outside smallest … kLargestSize.
void check_size(const char* option, std::int64_t value, std::int64_t smallest);

// The same for all sizes of a problem, and for kv_heads that do not divide heads.
void check_problem(const Problem& problem);

std::int64_t element_bytes(DataType dtype);

std::string_view to_string(DataType dtype);
std::string_view to_string(Mask mask);
std::string_view to_string(Direction direction);
std::optional<DataType> parse_data_type(std::string_view text);
std::optional<Mask> parse_mask(std::string_view text);
std::optional<Direction> parse_direction(std::string_view text);

// Number of (query, key) pairs that the mask lets through within query rows [row_begin, row_end) and keys
// [key_begin, key_end). Causal and window masks are aligned bottom-right: query i sees keys up to
// i + seqlen_kv - seqlen_q. Rows beyond seqlen_q are those of the next query heads, seqlen_q each.
std::uint64_t visible_pairs(const Problem& problem, std::int64_t row_begin, std::int64_t row_end,
                            std::int64_t key_begin, std::int64_t key_end);

}  // namespace hbmscope
