#include "profiler/calibration/traced_launch.h"

#include <algorithm>
#include <cmath>
#include <random>
#include <span>

namespace hbmscope {
namespace {

constexpr int kAnyWindow = 1 << 29;  // of keys: all of them

std::vector<std::uint32_t> drawn_pairs() {
  constexpr std::size_t kDrawn = 1 << 20;  // and then again and again
  std::mt19937 random{7};
  std::vector<std::uint32_t> pairs(kDrawn);
  for (std::uint32_t& pair : pairs) pair = (static_cast<std::uint32_t>(random()) & 0x807f807fU) | 0x3f003f00U;
  return pairs;
}

void* pointer(CUdeviceptr address) {
  return reinterpret_cast<void*>(address);  // NOLINT(performance-no-int-to-ptr): as the driver has it
}

float* floats(const DeviceArray<float>& array) { return static_cast<float*>(pointer(array.address())); }

}  // namespace

CUdeviceptr RandomPairs::at_least(std::size_t pairs) {
  if (pairs > size_) {
    buffer_.reset();  // before there is another one
    buffer_ = std::make_unique<DeviceBuffer>(pairs * sizeof(std::uint32_t));
    size_ = pairs;
    static const std::vector<std::uint32_t> drawn = drawn_pairs();
    for (std::size_t i = 0; i < pairs; i += drawn.size()) {
      const std::span part(drawn.data(), std::min(drawn.size(), pairs - i));
      copy_to_device(buffer_->address() + i * sizeof(std::uint32_t), std::as_bytes(part));
    }
  }
  return buffer_->address();
}

TracedLaunch::TracedLaunch(Probe& probe, RandomPairs& inputs, const TracedKernel& traced, std::size_t ctas,
                           const TracedWork& work)
    : probe_(probe),
      inputs_(inputs),
      traced_(traced),
      work_(work),
      kernel_(probe.kernel(cta_trace_build(traced), "trace_ctas")),
      ctas_(ctas),
      o_(query_pairs()),
      o_fp32_(2 * query_pairs()),
      l_(statistics()),
      m_(statistics()),
      times_(ctas) {
  kernel_.allow_dynamic_shared_bytes(static_cast<unsigned>(traced.shared_bytes));
}

std::vector<CtaTrace> TracedLaunch::run() {
  probe_.run(kernel_,
             {.grid_x = static_cast<unsigned>(ctas_),
              .threads = static_cast<unsigned>(traced_.threads),
              .shared_bytes = static_cast<unsigned>(traced_.shared_bytes)},
             params(), times_.address());
  std::vector<CtaTrace> traces;
  for (const CtaTimes& times : times_.values()) {
    traces.push_back({static_cast<int>(traces.size()), static_cast<int>(times.sm), times.begin_ns,
                      times.end_ns, times.cycles});
  }
  return traces;
}

// Query heads are a multiple of KV heads.
std::size_t TracedLaunch::parts(std::size_t ctas_of_part) const {
  return ctas_of_part == 0 ? 1 : ctas_ / ctas_of_part;
}

std::size_t TracedLaunch::query_pairs() const {
  return rows() * static_cast<std::size_t>(traced_.head_dim) / 2;
}

std::size_t TracedLaunch::key_pairs() const {
  return kv_heads() * static_cast<std::size_t>(work_.keys) * static_cast<std::size_t>(traced_.head_dim) / 2;
}

// P or S.
std::size_t TracedLaunch::weight_pairs() const {
  return reads_weights(traced_) ? rows() * static_cast<std::size_t>(work_.keys) / 2 : 0;
}

std::size_t TracedLaunch::statistics() const {
  const bool by_tile = traced_.algorithm == "standard_online_pv";
  return rows() * static_cast<std::size_t>(by_tile ? ceil_div(work_.keys, traced_.bc) : 1);
}

AttentionParams TracedLaunch::params() {
  constexpr std::size_t kPairBytes = sizeof(std::uint32_t);
  const CUdeviceptr k = inputs_.at_least(2 * key_pairs() + query_pairs() + weight_pairs());
  const CUdeviceptr v = k + key_pairs() * kPairBytes;
  const CUdeviceptr q = v + key_pairs() * kPairBytes;
  AttentionParams params{};
  params.q = pointer(q);
  params.k = pointer(k);
  params.v = pointer(v);
  params.o = pointer(o_.address());
  params.s = params.p = pointer(q + query_pairs() * kPairBytes);
  params.o_fp32 = floats(o_fp32_);
  params.lse = params.l = floats(l_);
  params.m = floats(m_);
  params.batch = 1;
  params.heads = static_cast<int>(heads());
  params.kv_heads = static_cast<int>(kv_heads());
  params.seqlen_q = static_cast<int>(rows()) / params.heads;
  params.lse_columns = params.statistics_columns = params.seqlen_q;
  params.seqlen_kv = params.s_columns = work_.keys;
  params.window = kAnyWindow;
  params.scale = 1 / std::sqrt(static_cast<float>(traced_.head_dim));
  return params;
}

}  // namespace hbmscope
