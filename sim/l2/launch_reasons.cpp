#include "sim/l2/launch_reasons.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "sim/l2/byte_words.h"
#include "sim/l2/cta_slots.h"
#include "sim/l2/l2_geometry.h"
#include "sim/l2/replay_values.h"
#include "sim/l2/reuse.h"

namespace hbmscope {
namespace {

using TensorList = FixedList<RereadTensor, kMaxTensors>;

// Tensors that begin and end anywhere overflow the fullest sets of an L2 from this share of it on
// (docs/l2_replay.md).
constexpr double kFullestSets = 0.8;

std::string names(const TensorList& tensors, const Program& program) {
  std::vector<std::string> words;
  for (const RereadTensor& tensor : tensors) words.emplace_back(program.tensors[tensor.tensor].name);
  return joined_words(words);
}

double distinct_bytes(const TensorList& tensors) {
  double bytes = 0;
  for (const RereadTensor& tensor : tensors) bytes += static_cast<double>(tensor.distinct);
  return bytes;
}

// "64 times", "2 to 64 times".
std::string times(const TensorList& tensors) {
  double fewest = 0;
  double most = 0;
  for (const RereadTensor& tensor : tensors) {
    const double own = static_cast<double>(tensor.loaded) / static_cast<double>(tensor.distinct);
    fewest = fewest == 0 ? own : std::min(fewest, own);
    most = std::max(most, own);
  }
  const bool same = count_text(fewest) == count_text(most);
  return same ? count_text(most) + " times"
              : fmt::format("{} to {} times", count_text(fewest), count_text(most));
}

// How much the caches hold of bytes that SMs of all sides read, or that one SM or another reads.
struct Room {
  double bytes = 0;
  std::string text;
};

Room room_of(const GpuSpec& gpu, bool for_all_sms) {
  const L2Geometry geometry = l2_geometry(gpu);
  const Bytes bytes = for_all_sms ? geometry.shared_capacity() : geometry.private_capacity();
  const bool copies = bytes != geometry.total_capacity();
  return {static_cast<double>(bytes),
          cache_text(static_cast<double>(bytes)) + (copies ? " effective" : " of L2")};
}

// One launch with what the sentences about it need.
struct Subject {
  const ReasonedProgram& of;
  int number = 0;
  LaunchReuse reuse;

  const Program& program() const { return of.program; }
  const Launch& launch() const { return of.program.launches[number]; }
};

// "head", or of K and V that query heads share "KV head".
std::string_view head_word(const Subject& subject) {
  const Problem& problem = subject.program().problem;
  const bool grouped =
      problem.kv_heads < problem.heads && subject.reuse.heads == problem.batch * problem.kv_heads;
  return grouped ? "KV head" : "head";
}

// The younger CTAs of an SM fall behind, unless they wait for the same bytes: docs/l2_replay.md, "Time".
std::string drift(const Subject& subject) {
  if (subject.reuse.in_flight <= subject.of.gpu.sms) return "";
  const CtaRates rates = cta_rates(subject.launch(), subject.program(), subject.of.gpu);
  const std::string younger =
      fmt::format(" The younger CTA of an SM runs at {:.3f} of the older one's rate", rates.younger);
  const double in_step = rates.in_step(1);
  if (in_step >= 1) return younger + ", but keeps in step: both wait for what neither has read.";
  return fmt::format("{} and is {} behind after one walk.", younger,
                     cache_text((1 - in_step) * subject.reuse.head_bytes));
}

// How often DRAM is asked for each byte of what the launch reads more than once; 1 where nobody has predicted
// it.
double times_fetched(const Subject& subject) {
  if (subject.of.hbm == nullptr) return 1;
  double fetched = 0;
  double distinct = 0;
  for (const RereadTensor& within : subject.reuse.within) {
    fetched += static_cast<double>(subject.of.hbm->launches[subject.number].tensors[within.tensor].read);
    distinct += static_cast<double>(within.distinct);
  }
  return distinct > 0 ? fetched / distinct : 1;
}

// What becomes of what the live heads need.
std::string outcome(const Subject& subject, double live_bytes, const Room& room, bool one_cta) {
  const LaunchReuse& reuse = subject.reuse;
  const double fetched = times_fetched(subject);
  if (live_bytes <= room.bytes && fetched > 1.05)
    return fmt::format(
        "They would fit, but CTAs that start later walk the same {} again when others have passed: DRAM is "
        "asked {:.2f} times for each byte.",
        head_word(subject), fetched);
  if (live_bytes <= kFullestSets * room.bytes) return "They fit: DRAM is asked about once for each byte.";
  if (live_bytes <= room.bytes)
    return "They fit only just: the fullest sets overflow, and where the tensors lie decides which.";
  if (one_cta) return "They do not fit: what a walk leaves is gone before the next one.";
  const double waves = reuse.ctas_per_head * reuse.heads_live / static_cast<double>(reuse.in_flight);
  if (waves > 1.05)
    return fmt::format("They do not fit: each of the {} waves of a {} may fetch them again.{}",
                       count_text(waves), head_word(subject), drift(subject));
  return fmt::format(
      "They do not fit, but the CTAs of a {} walk them together: a tile is shared as long as they stay "
      "close.{}",
      head_word(subject), drift(subject));
}

// Reads of a launch that repeat its own.
std::string within_words(const Subject& subject) {
  const LaunchReuse& reuse = subject.reuse;
  if (reuse.within.empty() || reuse.heads_live <= 0) return "";
  const std::string tensors = names(reuse.within, subject.program());
  const bool one_cta = static_cast<double>(reuse.in_flight) < 1.5 * reuse.heads_live;
  const Room room = room_of(subject.of.gpu, !one_cta);
  const double live_bytes = reuse.heads_live * reuse.head_bytes;
  return fmt::format(
      "{}: {} of {} CTAs in flight. {} {} read {}, {} CTA{} to a {}; {} {}{} live at once: {} of them "
      "against {}. {}",
      subject.launch().name, reuse.in_flight, reuse.ctas, tensors, reuse.within.count() == 1 ? "is" : "are",
      times(reuse.within), count_text(reuse.ctas_per_head), count_text(reuse.ctas_per_head) == "1" ? "" : "s",
      head_word(subject), count_text(reuse.heads_live), head_word(subject),
      count_text(reuse.heads_live) == "1" ? "" : "s", cache_text(live_bytes), room.text,
      outcome(subject, live_bytes, room, one_cta));
}

// Bytes that DRAM is asked for although earlier launches had them.
double fetched_back(const Subject& subject) {
  double bytes = 0;
  const LaunchHbmTraffic& moved = subject.of.hbm->launches[subject.number];
  for (int tensor = 0; tensor < subject.program().tensors.count(); ++tensor) {
    for (const RereadTensor& carried : subject.reuse.carried) {
      if (base_tensor(subject.program(), tensor) == carried.tensor)
        bytes += static_cast<double>(moved.tensors[tensor].read);
    }
  }
  return bytes;
}

// Reads of what earlier launches left in the L2, or not.
std::string carried_words(const Subject& subject) {
  const TensorList& carried = subject.reuse.carried;
  if (carried.empty()) return "";
  const Room room = room_of(subject.of.gpu, false);
  const double bytes = distinct_bytes(carried);
  std::string outcome;
  if (subject.of.hbm != nullptr) {
    const double share = std::min(1.0, fetched_back(subject) / bytes);
    outcome = share < 0.01 ? "all of it is found in the L2"
                           : fmt::format("{} of it comes back from DRAM", percent_text(share));
  } else {
    outcome = bytes > room.bytes                  ? "too much to be found there"
              : bytes > kFullestSets * room.bytes ? "some of it may be found there"
                                                  : "little enough to be found there";
  }
  return fmt::format("{} reads {} of {} that launches before it had, against {}: {}.", subject.launch().name,
                     cache_text(bytes), names(carried, subject.program()), room.text, outcome);
}

}  // namespace

std::vector<std::string> launch_reasons(const ReasonedProgram& of, int launch) {
  const Subject subject{of, launch, launch_reuse(of.program, of.traffic, launch, of.gpu)};
  std::vector<std::string> sentences;
  for (std::string& sentence : std::array{within_words(subject), carried_words(subject)}) {
    if (!sentence.empty()) sentences.push_back(std::move(sentence));
  }
  return sentences;
}

}  // namespace hbmscope
