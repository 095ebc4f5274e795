#include "profiler/calibration/cta_rates.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <stdexcept>

#include "profiler/statistics.h"

namespace hbmscope {
namespace {

// With fewer pieces of work a rate is not worth a look.
constexpr double kFewestPieces = 2;

// Pieces of work, and how long they took.
struct Pieces {
  double count = 0;
  double ns = 0;

  double rate() const { return count / ns; }
};

// Adds the pieces that a CTA began and ended between two times: those of either end are partly of another
// kind.
void add_between(Pieces& pieces, const CtaTrace& trace, std::uint64_t begin_ns, std::uint64_t end_ns) {
  const auto first = std::ranges::lower_bound(trace.times_ns, begin_ns);
  const auto after = std::ranges::upper_bound(trace.times_ns, end_ns);
  if (after - first < 2) return;
  pieces.count += static_cast<double>(after - first - 1);
  pieces.ns += static_cast<double>(*(after - 1) - *first);
}

// What the CTAs of one SM did while there were two of them, the older and the younger apart, and what the
// last one to end did after all others had.
struct Shared {
  Pieces older;
  Pieces younger;
  Pieces alone;
};

std::uint64_t end_of(const CtaTrace* trace) { return trace->times_ns.back(); }

void add_pair(Shared& shared, const CtaTrace& older, const CtaTrace& younger) {
  const std::uint64_t begin = std::max(older.times_ns.front(), younger.times_ns.front());
  const std::uint64_t end = std::min(older.times_ns.back(), younger.times_ns.back());
  if (begin >= end) return;
  add_between(shared.older, older, begin, end);
  add_between(shared.younger, younger, begin, end);
}

// `ctas` in the order in which they started.
Shared shared_by(const std::vector<const CtaTrace*>& ctas) {
  Shared shared;
  for (std::size_t younger = 1; younger < ctas.size(); ++younger) {
    for (std::size_t older = 0; older < younger; ++older) add_pair(shared, *ctas[older], *ctas[younger]);
  }
  const CtaTrace* const last = *std::ranges::max_element(ctas, {}, end_of);
  std::uint64_t begin = 0;
  for (const CtaTrace* other : ctas) {
    if (other != last) begin = std::max(begin, end_of(other));
  }
  add_between(shared.alone, *last, begin, end_of(last));
  return shared;
}

bool is_usable(const CtaTrace& trace) {
  for (std::size_t i = 1; i < trace.times_ns.size(); ++i) {
    if (trace.times_ns[i] <= trace.times_ns[i - 1]) return false;
  }
  return trace.times_ns.size() > 2;
}

}  // namespace

CtaRates cta_rates_of(std::span<const CtaTrace> traces) {
  std::map<int, std::vector<const CtaTrace*>> by_sm;
  for (const CtaTrace& trace : traces) {
    if (is_usable(trace)) by_sm[trace.sm].push_back(&trace);
  }
  std::vector<double> younger;
  std::vector<double> lone;
  for (auto& [sm, ctas] : by_sm) {
    std::ranges::sort(ctas, {}, &CtaTrace::cta);
    const Shared shared = shared_by(ctas);
    if (std::min(shared.older.count, shared.younger.count) < kFewestPieces) continue;
    younger.push_back(shared.younger.rate() / shared.older.rate());
    if (shared.alone.count >= kFewestPieces) lone.push_back(shared.alone.rate() / shared.older.rate());
  }
  const CtaRates rates{median(younger).value_or(0), median(lone).value_or(0),
                       static_cast<int>(younger.size())};
  if (lone.empty() || rates.younger < 0.3 || rates.younger > 1 || rates.lone < 0.9 || rates.lone > 2.2) {
    throw std::runtime_error(fmt::format(
        "on {} SMs with two CTAs the younger one goes at {:.3f} of the older one's rate, and on {} SMs one "
        "alone at {:.3f}: expected 0.3 to 1 and 0.9 to 2.2",
        younger.size(), rates.younger, lone.size(), rates.lone));
  }
  return rates;
}

}  // namespace hbmscope
