#include "profiler/metrics.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace hbmscope {
namespace {

using namespace std::string_view_literals;

constexpr std::uint32_t kGv100 = 1U << 0;
constexpr std::uint32_t kTu10x = 1U << 1;
constexpr std::uint32_t kGa100 = 1U << 2;
constexpr std::uint32_t kGa10x = 1U << 3;
constexpr std::uint32_t kAd10x = 1U << 4;
constexpr std::uint32_t kGh100 = 1U << 5;
constexpr std::uint32_t kGb10x = 1U << 6;
constexpr std::uint32_t kGb20x = 1U << 7;
// Systems on a chip: the GPU shares the CPU's memory and has no DRAM counters of its own.
constexpr std::uint32_t kGa10b = 1U << 8;
constexpr std::uint32_t kGb10b = 1U << 9;
constexpr std::uint32_t kSystemsOnChip = kGa10b | kGb10b;
constexpr std::uint32_t kAll = (1U << 10) - 1;

constexpr std::array kGv100Chips{"GV100"sv};
constexpr std::array kTu10xChips{"TU102"sv, "TU104"sv, "TU106"sv, "TU116"sv, "TU117"sv};
constexpr std::array kGa100Chips{"GA100"sv};
constexpr std::array kGa10xChips{"GA102"sv, "GA103"sv, "GA104"sv, "GA106"sv, "GA107"sv};
constexpr std::array kAd10xChips{"AD102"sv, "AD103"sv, "AD104"sv, "AD106"sv, "AD107"sv};
constexpr std::array kGh100Chips{"GH100"sv};
constexpr std::array kGb10xChips{"GB100"sv, "GB102"sv, "GB110"sv};
constexpr std::array kGb20xChips{"GB202"sv, "GB203"sv, "GB205"sv, "GB206"sv, "GB207"sv};
constexpr std::array kGa10bChips{"GA10B"sv};
constexpr std::array kGb10bChips{"GB10B"sv, "GB20B"sv};

constexpr std::array kFamilies{
    ChipFamily{"GV100", "V100", kGv100, kGv100Chips},
    ChipFamily{"TU10x", "T4, RTX 20", kTu10x, kTu10xChips},
    ChipFamily{"GA100", "A100, A30", kGa100, kGa100Chips},
    ChipFamily{"GA10x", "A10, A40, RTX 30", kGa10x, kGa10xChips},
    ChipFamily{"AD10x", "L4, L40, RTX 40", kAd10x, kAd10xChips},
    ChipFamily{"GH100", "H100, H200, GH200", kGh100, kGh100Chips},
    ChipFamily{"GB10x", "B200, B300", kGb10x, kGb10xChips},
    ChipFamily{"GB20x", "RTX 50, RTX PRO Blackwell", kGb20x, kGb20xChips},
    ChipFamily{"GA10B", "Orin", kGa10b, kGa10bChips},
    ChipFamily{"GB10B", "Thor, GB10", kGb10b, kGb10bChips},
};

constexpr std::array kQuantities{
    QuantityInfo{Quantity::hbm_read, "hbm_read", "bytes", CounterSet::traffic, "DRAM to L2"},
    QuantityInfo{Quantity::hbm_write, "hbm_write", "bytes", CounterSet::traffic, "L2 to DRAM"},
    QuantityInfo{Quantity::l2_read, "l2_read", "bytes", CounterSet::traffic, "L2 to SM"},
    QuantityInfo{Quantity::l2_write, "l2_write", "bytes", CounterSet::traffic, "SM to L2"},
    QuantityInfo{Quantity::sram_read, "sram_read", "bytes", CounterSet::patched,
                 "shared memory to registers or tensor cores"},
    QuantityInfo{Quantity::sram_write, "sram_write", "bytes", CounterSet::patched,
                 "registers or cp.async to shared memory (TMA fills are in neither)"},
    QuantityInfo{Quantity::tma_fill, "tma_fill", "bytes", CounterSet::pipes,
                 "L2 to shared memory by TMA loads"},
    QuantityInfo{Quantity::local_read, "local_read", "bytes", CounterSet::pipes,
                 "spills read back, L1 lookups"},
    QuantityInfo{Quantity::local_write, "local_write", "bytes", CounterSet::pipes, "spills, L1 lookups"},
    QuantityInfo{Quantity::shared_wavefronts, "shared_wavefronts", "wavefronts", CounterSet::pipes,
                 "shared-memory data-stage cycles"},
    QuantityInfo{Quantity::bank_conflicts, "bank_conflicts", "wavefronts", CounterSet::pipes,
                 "wavefronts beyond the conflict-free ones"},
    QuantityInfo{Quantity::tensor_instructions, "tensor_instructions", "instructions", CounterSet::pipes,
                 "warp instructions on the tensor pipe"},
    QuantityInfo{Quantity::duration, "duration", "ns", CounterSet::pipes,
                 "time under the profiler; not what a report calls time"},
};

constexpr double kSectorBytes = 32;

constexpr std::array kDramRead{MetricTerm{"dram__bytes_read.sum"}};
constexpr std::array kDramWrite{MetricTerm{"dram__bytes_write.sum"}};
constexpr std::array kDramOpRead{MetricTerm{"dram__bytes_op_read.sum"}};
constexpr std::array kDramOpWrite{MetricTerm{"dram__bytes_op_write.sum"}};
constexpr std::array kL2Read{MetricTerm{"l1tex__m_xbar2l1tex_read_bytes.sum"}};
constexpr std::array kL2Write{MetricTerm{"l1tex__m_l1tex2xbar_write_bytes.sum"}};
constexpr std::array kTmaFill{MetricTerm{"l1tex__m_xbar2l1tex_read_bytes_mem_global_op_tma_ld.sum"}};
constexpr std::array kLocalRead{MetricTerm{"l1tex__t_sectors_pipe_lsu_mem_local_op_ld.sum", kSectorBytes}};
constexpr std::array kLocalWrite{MetricTerm{"l1tex__t_sectors_pipe_lsu_mem_local_op_st.sum", kSectorBytes}};
constexpr std::array kWavefronts{MetricTerm{"l1tex__data_pipe_lsu_wavefronts_mem_shared.sum"}};
constexpr std::array kConflicts{MetricTerm{"l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum"}};
constexpr std::array kTensor{MetricTerm{"sm__inst_executed_pipe_tensor.sum"}};
constexpr std::array kDuration{MetricTerm{"gpu__time_duration.sum"}};

constexpr MetricTerm kSassLd{"sm__sass_data_bytes_mem_shared_op_ld.sum"};
constexpr MetricTerm kSassLdsm{"sm__sass_data_bytes_mem_shared_op_ldsm.sum"};
constexpr MetricTerm kSassGmma{"sm__sass_data_bytes_mem_shared_op_gmma.sum"};
constexpr MetricTerm kSassSt{"sm__sass_data_bytes_mem_shared_op_st.sum"};
constexpr MetricTerm kSassStsm{"sm__sass_data_bytes_mem_shared_op_stsm.sum"};
// cp.async: 16 bytes for each of 32 lanes, as all kernels here issue it, zero-filled lanes included. The
// metric that should count these bytes, sm__sass_data_bytes_mem_shared_op_ldgsts, is not to be trusted: on
// GH100 (CUPTI and ncu of CUDA 13.0) it gives 6 to 100 % of what the instructions write, depending on the
// kernel, while this count, and the bytes that the same instructions ask of global memory, are exact.
constexpr MetricTerm kSassLdgsts{"sm__sass_inst_executed_op_ldgsts.sum", 32 * 16};
constexpr std::array kSramReadLd{kSassLd};
constexpr std::array kSramReadLdsm{kSassLd, kSassLdsm};
constexpr std::array kSramReadGmma{kSassLd, kSassLdsm, kSassGmma};
constexpr std::array kSramWriteSt{kSassSt};
constexpr std::array kSramWriteLdgsts{kSassSt, kSassLdgsts};
constexpr std::array kSramWriteStsm{kSassSt, kSassStsm, kSassLdgsts};

constexpr std::uint32_t kAmpereAda = kGa100 | kGa10x | kGa10b | kAd10x;
constexpr std::uint32_t kBlackwell = kGb10x | kGb20x | kGb10b;
constexpr std::uint32_t kTma = kGh100 | kBlackwell;
constexpr std::uint32_t kOwnDram = kAll & ~kSystemsOnChip;

constexpr std::array kSums{
    MetricSum{Quantity::hbm_read, kOwnDram & ~kGb20x, kDramRead},
    MetricSum{Quantity::hbm_read, kGb20x, kDramOpRead},
    MetricSum{Quantity::hbm_write, kOwnDram & ~kGb20x, kDramWrite},
    MetricSum{Quantity::hbm_write, kGb20x, kDramOpWrite},
    MetricSum{Quantity::l2_read, kAll, kL2Read},
    MetricSum{Quantity::l2_write, kAll, kL2Write},
    MetricSum{Quantity::sram_read, kGv100, kSramReadLd},
    MetricSum{Quantity::sram_read, kTu10x | kAmpereAda | kBlackwell, kSramReadLdsm},
    MetricSum{Quantity::sram_read, kGh100, kSramReadGmma},
    MetricSum{Quantity::sram_write, kGv100 | kTu10x, kSramWriteSt},
    MetricSum{Quantity::sram_write, kAmpereAda, kSramWriteLdgsts},
    MetricSum{Quantity::sram_write, kTma, kSramWriteStsm},
    MetricSum{Quantity::tma_fill, kTma, kTmaFill},
    MetricSum{Quantity::local_read, kAll, kLocalRead},
    MetricSum{Quantity::local_write, kAll, kLocalWrite},
    MetricSum{Quantity::shared_wavefronts, kAll, kWavefronts},
    MetricSum{Quantity::bank_conflicts, kAll, kConflicts},
    MetricSum{Quantity::tensor_instructions, kAll, kTensor},
    MetricSum{Quantity::duration, kAll, kDuration},
};

constexpr std::string_view kSharedMemoryReason =
    "the GPU shares the CPU's memory and has no DRAM counters of its own";
constexpr std::array kAbsences{
    MetricAbsence{Quantity::hbm_read, kSystemsOnChip, kSharedMemoryReason},
    MetricAbsence{Quantity::hbm_write, kSystemsOnChip, kSharedMemoryReason},
    MetricAbsence{Quantity::tma_fill, kAll & ~kTma, "the chip has no TMA"},
};

}  // namespace

std::span<const QuantityInfo> quantities() { return kQuantities; }
std::span<const ChipFamily> chip_families() { return kFamilies; }
std::vector<std::string> metric_names(const MetricSum& sum) {
  std::vector<std::string> names;
  for (const MetricTerm& term : sum.terms) names.emplace_back(term.metric);
  return names;
}

std::string formula(const MetricSum& sum) {
  std::string text;
  for (const MetricTerm& term : sum.terms) {
    if (!text.empty()) text += " + ";
    text += term.factor == 1 ? std::string(term.metric) : fmt::format("{} x {}", term.factor, term.metric);
  }
  return text;
}

std::span<const MetricSum> metric_sums() { return kSums; }
std::span<const MetricAbsence> metric_absences() { return kAbsences; }

const QuantityInfo& info(Quantity quantity) { return kQuantities[static_cast<std::size_t>(quantity)]; }

std::optional<Quantity> parse_quantity(std::string_view name) {
  const auto row = std::ranges::find(kQuantities, name, &QuantityInfo::name);
  if (row == kQuantities.end()) return std::nullopt;
  return row->quantity;
}

std::string_view to_string(CounterSet set) {
  constexpr std::array kNames{"traffic"sv, "pipes"sv, "patched"sv};
  return kNames[static_cast<std::size_t>(set)];
}

const ChipFamily* family_of(std::string_view chip) {
  for (const ChipFamily& family : kFamilies) {
    if (std::ranges::find(family.chips, chip) != family.chips.end()) return &family;
  }
  return nullptr;
}

MetricLookup find_metric_sum(Quantity quantity, std::string_view chip) {
  const ChipFamily* family = family_of(chip);
  if (family == nullptr) {
    return {nullptr, "the metric table has no chip " + std::string(chip) + "; see docs/counters.md"};
  }
  for (const MetricSum& sum : kSums) {
    if (sum.quantity == quantity && (sum.families & family->bit) != 0) return {&sum, ""};
  }
  for (const MetricAbsence& absence : kAbsences) {
    if (absence.quantity == quantity && (absence.families & family->bit) != 0) {
      return {nullptr, std::string(absence.reason)};
    }
  }
  return {nullptr, "the metric table has no row for it on " + std::string(chip)};
}

}  // namespace hbmscope
