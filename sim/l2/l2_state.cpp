#include "sim/l2/l2_state.h"

#include <limits>
#include <string>

#include "sim/error.h"

namespace hbmscope {
namespace {

std::size_t at(std::int64_t index) { return static_cast<std::size_t>(index); }

// Entries are numbered in 32 bits, ends of lists among them.
const L2Geometry& checked(const L2Geometry& geometry, std::int64_t blocks) {
  const std::int64_t entries = blocks * geometry.caches() * geometry.homes;
  const std::int64_t lists = std::int64_t{geometry.caches()} * geometry.units();
  if (entries + lists <= std::numeric_limits<std::int32_t>::max()) return geometry;
  throw PointError("--l2", "replay",
                   "expected model or none: the tensors are too many blocks for the caches of this GPU; use "
                   "smaller sizes");
}

}  // namespace

L2State::L2State(const L2Geometry& geometry, std::int64_t blocks)
    : geometry_(checked(geometry, blocks)),
      homes_(geometry.homes),
      units_(geometry.units()),
      entries_per_block_(static_cast<Entry>(geometry.caches() * geometry.homes)),
      cached_(at(blocks * entries_per_block_), at(std::int64_t{geometry.caches()} * units_)),
      written_(at(blocks * geometry.homes), at(std::int64_t{geometry.homes} * units_)),
      used_(cached_.lists()),
      dirty_bytes_(written_.lists()),
      bytes_(at(blocks)),
      unit_(at(blocks)),
      dirty_(at(blocks * geometry.homes)) {}

void L2State::describe_block(std::int64_t block, Bytes bytes, int unit) {
  bytes_[at(block)] = bytes;
  unit_[at(block)] = unit;
}

// Lines are dealt to the homes evenly; what is left over goes to the last.
Bytes L2State::share_of(std::int64_t block, int home) const {
  const auto homes = static_cast<Bytes>(homes_);
  const Bytes share = bytes_[at(block)] / homes;
  return home + 1 < homes_ ? share : bytes_[at(block)] - share * (homes - 1);
}

L2State::Found L2State::find(std::int64_t block, int side, int home) const {
  if (cached_.holds(entry_of(block, side, home))) return Found::near;
  return cached_.holds(entry_of(block, geometry_.home_cache(home), home)) ? Found::home : Found::dram;
}

// The entries of a block lie cache by cache.
bool L2State::is_held_before(Entry entry) const {
  const auto step = static_cast<Entry>(homes_);
  const Entry number = entry % entries_per_block_;
  for (Entry earlier = entry - number + number % step; earlier < entry; earlier += step) {
    if (cached_.holds(earlier)) return true;
  }
  return false;
}

ReadWrite& L2State::account(int number) {
  if (accounts_.size() <= at(number)) accounts_.resize(at(number) + 1);
  return accounts_[at(number)];
}

template <class Before>
void L2State::load_shares(std::int64_t block, int side, int account_number, Before&& before) {
  for (int home = 0; home < homes_; ++home) {
    before(home);
    const Entry near = entry_of(block, side, home);
    if (cached_.holds(near)) {
      touch(near, list_of(block, side));
      continue;
    }
    const int home_cache = geometry_.home_cache(home);
    const Entry at_home = entry_of(block, home_cache, home);
    if (home_cache != side && cached_.holds(at_home)) {
      touch(at_home, list_of(block, home_cache));
    } else {
      account(account_number).read += share_of(block, home);
      if (home_cache != side) insert(block, home_cache, home);
    }
    insert(block, side, home);
  }
}

void L2State::load(std::int64_t block, int side, int account_number) {
  load_shares(block, side, account_number, [](int /*home*/) {});
}

void L2State::load(std::int64_t block, int side, int account_number,
                   const std::function<void(int home)>& before) {
  load_shares(block, side, account_number, before);
}

void L2State::store(std::int64_t block, int side, int account_number) {
  for (int home = 0; home < homes_; ++home) {
    const int home_cache = geometry_.home_cache(home);
    for (int cache = 0; cache < geometry_.caches(); ++cache) {
      const Entry entry = entry_of(block, cache, home);
      const bool stays = cache == side || cache == home_cache;
      if (stays && cached_.holds(entry)) {
        touch(entry, list_of(block, cache));
      } else if (stays) {
        insert(block, cache, home);
      } else if (cached_.holds(entry)) {
        remove(entry, cache, share_of(block, home));
      }
    }
    make_dirty(block, home, account_number);
  }
}

void L2State::touch(Entry entry, std::size_t list) {
  const Entry end = cached_.end_of(list);
  if (cached_.youngest(end) == entry) return;
  cached_.remove(entry);
  cached_.add(entry, end);
}

void L2State::insert(std::int64_t block, int cache, int home) {
  const std::size_t list = list_of(block, cache);
  used_[list] += share_of(block, home);
  cached_.add(entry_of(block, cache, home), cached_.end_of(list));
  const Bytes capacity = geometry_.capacity(cache) / static_cast<Bytes>(units_);
  while (used_[list] > capacity && !cached_.is_empty(cached_.end_of(list))) make_room(list, cache);
}

bool L2State::is_dirty(Entry entry, int cache) const {
  const int home = home_of(entry);
  return geometry_.home_cache(home) == cache && dirty_[share_number(entry / entries_per_block_, home)] != 0;
}

// The oldest goes. If that is dirty it is written back, and the oldest clean one goes in its place.
void L2State::make_room(std::size_t list, int cache) {
  const Entry end = cached_.end_of(list);
  const Entry oldest = cached_.oldest(end);
  Entry leaves = oldest;
  if (is_dirty(oldest, cache)) {
    while (leaves != end && is_dirty(leaves, cache)) leaves = cached_.younger(leaves);
    if (leaves == end || leaves == cached_.youngest(end)) leaves = oldest;
    clean(share_number(oldest / entries_per_block_, home_of(oldest)));
  }
  remove(leaves, cache, share_of(leaves / entries_per_block_, home_of(leaves)));
}

void L2State::remove(Entry entry, int cache, Bytes bytes) {
  cached_.remove(entry);
  used_[list_of(entry / entries_per_block_, cache)] -= bytes;
}

// A unit's lines beyond the limit are written back, the longest dirty ones first; they stay cached.
void L2State::make_dirty(std::int64_t block, int home, int account_number) {
  const Entry share = share_number(block, home);
  const bool was_dirty = dirty_[share] != 0;
  dirty_[share] = static_cast<std::uint16_t>(account_number);
  const std::size_t list = list_of(block, home);
  const Entry end = written_.end_of(list);
  if (!was_dirty) {
    dirty_bytes_[list] += share_of(block, home);
    written_.add(share, end);
  }
  if (!cached_.holds(entry_of(block, geometry_.home_cache(home), home)))
    clean(share);  // a cache too small for it
  const Bytes limit = geometry_.dirty_bytes / static_cast<Bytes>(units_);
  while (dirty_bytes_[list] > limit && written_.oldest(end) != written_.youngest(end)) {
    const Entry longest_dirty = written_.oldest(end);
    early_writes_ += share_of(longest_dirty / static_cast<Entry>(homes_), home);
    clean(longest_dirty);
  }
}

void L2State::clean(Entry share) {
  std::uint16_t& dirty = dirty_[share];
  if (dirty == 0) return;
  const auto block = static_cast<std::int64_t>(share / static_cast<Entry>(homes_));
  const auto home = static_cast<int>(share % static_cast<Entry>(homes_));
  account(dirty).write += share_of(block, home);
  dirty_bytes_[list_of(block, home)] -= share_of(block, home);
  written_.remove(share);
  dirty = 0;
}

void L2State::write_back_all() {
  for (std::size_t share = 0; share < dirty_.size(); ++share) clean(static_cast<Entry>(share));
}

}  // namespace hbmscope
