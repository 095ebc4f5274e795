// L2State: which lines are dirty, and what is to be evicted first and last.
#include "sim/l2/l2_state.h"

namespace hbmscope {
namespace {

// What is to be evicted last is kept in so many ways of a set, the youngest ones.
constexpr Bytes kLastWays = 3;
constexpr Bytes kLastOfWays = 16;

}  // namespace

void L2State::renew_dirty(std::int64_t block, int home) {
  const Entry share = share_number(block, home);
  if (shares_[share].dirty != 0) written_.renew(share, written_.end_of(list_of(block, home)));
}

// A unit's lines beyond the limit are written back, the least recently used ones first; they stay cached. A
// line that is written again while its write-back is under way has not left yet.
void L2State::make_dirty(std::int64_t block, int home, int account_number) {
  const Entry number = share_number(block, home);
  const Bytes bytes = share_of(block, home);
  const std::size_t list = list_of(block, home);
  const Entry end = written_.end_of(list);
  Share& share = shares_[number];
  if (share.written_at > clock_) {
    account(share.written).write -= bytes;
    if (share.early) early_writes_ -= bytes;
  }
  share.written_at = 0;
  if (share.dirty == 0) {
    dirty_bytes_[list] += bytes;
    written_.add(number, end);
  } else {
    written_.renew(number, end);
  }
  share.dirty = static_cast<std::uint16_t>(account_number);
  if (!cached_.holds(entry_of(block, geometry_.home_cache(home), home)))
    clean(number);  // a cache too small for it
  const Bytes limit = geometry_.dirty_bytes / static_cast<Bytes>(units_);
  while (dirty_bytes_[list] > limit && written_.oldest(end) != written_.youngest(end)) {
    const Entry oldest = written_.oldest(end);
    clean(oldest);
    shares_[oldest].early = true;
    early_writes_ += share_of(oldest / static_cast<Entry>(homes_), home);
  }
}

void L2State::clean(Entry number) {
  Share& share = shares_[number];
  if (share.dirty == 0) return;
  const auto block = static_cast<std::int64_t>(number / static_cast<Entry>(homes_));
  const auto home = static_cast<int>(number % static_cast<Entry>(homes_));
  const Bytes bytes = share_of(block, home);
  account(share.dirty).write += bytes;
  written_back_ += bytes;
  dirty_bytes_[list_of(block, home)] -= bytes;
  written_.remove(number);
  share = {.written_at = clock_ + write_back_delay_, .dirty = 0, .written = share.dirty};
}

void L2State::write_back_all() {
  for (std::size_t share = 0; share < shares_.size(); ++share) clean(static_cast<Entry>(share));
}

void L2State::label(Entry entry, std::size_t list, int cache, L2Hint hint) {
  if (hints_.empty()) {
    hints_.resize(static_cast<std::size_t>(cached_.end_of(0)));
    first_.resize(cached_.lists());
    last_.resize(cached_.lists());
  }
  hints_[entry] = hint;
  if (hint == L2Hint::evict_first) {
    ++first_[list];
    return;
  }
  last_[list] += share_of(block_of(entry), home_of(entry));
  const Bytes most = geometry_.capacity(cache) / static_cast<Bytes>(units_) * kLastWays / kLastOfWays;
  const Entry end = cached_.end_of(list);
  for (Entry old = cached_.oldest(end); last_[list] > most && old != end; old = cached_.younger(old)) {
    if (hints_[old] == L2Hint::evict_last) unlabel(old, list);
  }
}

void L2State::unlabel(Entry entry, std::size_t list) {
  if (hints_[entry] == L2Hint::evict_first) --first_[list];
  if (hints_[entry] == L2Hint::evict_last) last_[list] -= share_of(block_of(entry), home_of(entry));
  hints_[entry] = L2Hint::normal;
}

}  // namespace hbmscope
