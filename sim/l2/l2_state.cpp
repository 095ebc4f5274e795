#include "sim/l2/l2_state.h"

#include <limits>
#include <numeric>
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
      bytes_(at(blocks)),
      unit_(at(blocks)),
      dirty_(at(blocks * geometry.homes)),
      written_(at(geometry.homes)),
      dirty_bytes_(at(geometry.homes)) {
  const std::int64_t entries = blocks * entries_per_block_;
  const std::int64_t lists = std::int64_t{geometry.caches()} * units_;
  first_list_ = static_cast<Entry>(entries);
  next_.resize(at(entries + lists));
  std::iota(next_.begin(), next_.end(), Entry{0});
  previous_ = next_;
  used_.resize(at(lists));
}

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
  if (holds(entry_of(block, side, home))) return Found::near;
  return holds(entry_of(block, geometry_.home_cache(home), home)) ? Found::home : Found::dram;
}

// The entries of a block lie cache by cache.
bool L2State::is_held_before(Entry entry) const {
  const auto step = static_cast<Entry>(homes_);
  const Entry number = entry % entries_per_block_;
  for (Entry earlier = entry - number + number % step; earlier < entry; earlier += step) {
    if (holds(earlier)) return true;
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
    if (holds(near)) {
      touch(near, list_of(block, side));
      continue;
    }
    const int home_cache = geometry_.home_cache(home);
    const Entry at_home = entry_of(block, home_cache, home);
    if (home_cache != side && holds(at_home)) {
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
      if (stays && holds(entry)) {
        touch(entry, list_of(block, cache));
      } else if (stays) {
        insert(block, cache, home);
      } else if (holds(entry)) {
        remove(entry, cache, share_of(block, home));
      }
    }
    make_dirty(block, home, account_number);
  }
}

void L2State::touch(Entry entry, Entry list) {
  if (next_[list] == entry) return;
  next_[previous_[entry]] = next_[entry];
  previous_[next_[entry]] = previous_[entry];
  next_[entry] = next_[list];
  previous_[entry] = list;
  previous_[next_[list]] = entry;
  next_[list] = entry;
}

void L2State::insert(std::int64_t block, int cache, int home) {
  const Entry list = list_of(block, cache);
  const Entry entry = entry_of(block, cache, home);
  Bytes& used = used_[list - first_list_];
  used += share_of(block, home);
  previous_[entry] = list;
  next_[entry] = next_[list];
  previous_[next_[list]] = entry;
  next_[list] = entry;
  const Bytes capacity = geometry_.capacity(cache) / static_cast<Bytes>(units_);
  while (used > capacity && previous_[list] != list) {
    const Entry oldest = previous_[list];
    drop(oldest / entries_per_block_, cache, home_of(oldest));
  }
}

void L2State::drop(std::int64_t block, int cache, int home) {
  remove(entry_of(block, cache, home), cache, share_of(block, home));
  if (cache != geometry_.home_cache(home)) return;
  clean(static_cast<Entry>(block * homes_ + home), share_of(block, home));
}

void L2State::remove(Entry entry, int cache, Bytes bytes) {
  const std::int64_t block = entry / entries_per_block_;
  next_[previous_[entry]] = next_[entry];
  previous_[next_[entry]] = previous_[entry];
  next_[entry] = entry;
  previous_[entry] = entry;
  used_[list_of(block, cache) - first_list_] -= bytes;
}

// Lines beyond the limit are written back, the longest dirty ones first; they stay cached.
void L2State::make_dirty(std::int64_t block, int home, int account_number) {
  std::uint16_t& dirty = dirty_[at(block * homes_ + home)];
  const bool was_dirty = dirty != 0;
  dirty = static_cast<std::uint16_t>(account_number);
  if (!holds(entry_of(block, geometry_.home_cache(home), home))) {  // a cache too small for a block
    dirty_bytes_[at(home)] += was_dirty ? 0 : share_of(block, home);
    clean(static_cast<Entry>(block * homes_ + home), share_of(block, home));
    return;
  }
  if (was_dirty) return;
  dirty_bytes_[at(home)] += share_of(block, home);
  std::deque<std::int64_t>& written = written_[at(home)];
  written.push_back(block);
  while (dirty_bytes_[at(home)] > geometry_.dirty_bytes && written.size() > 1) {
    const std::int64_t oldest = written.front();
    written.pop_front();
    clean(static_cast<Entry>(oldest * homes_ + home), share_of(oldest, home));
  }
}

void L2State::clean(Entry entry, Bytes bytes) {
  std::uint16_t& dirty = dirty_[entry];
  if (dirty == 0) return;
  account(dirty).write += bytes;
  dirty_bytes_[entry % static_cast<Entry>(homes_)] -= bytes;
  dirty = 0;
}

void L2State::write_back_all() {
  for (std::size_t entry = 0; entry < dirty_.size(); ++entry) {
    const auto home = static_cast<int>(entry % at(homes_));
    clean(static_cast<Entry>(entry), share_of(static_cast<std::int64_t>(entry / at(homes_)), home));
  }
}

}  // namespace hbmscope
