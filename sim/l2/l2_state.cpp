#include "sim/l2/l2_state.h"

#include <bit>
#include <limits>
#include <string>

#include "sim/error.h"

namespace hbmscope {
namespace {

std::size_t at(std::int64_t index) { return static_cast<std::size_t>(index); }

int slots_of_block(const L2Geometry& geometry) { return geometry.caches() * geometry.homes; }

int shift_of_block(const L2Geometry& geometry) {
  return static_cast<int>(std::bit_width(static_cast<unsigned>(slots_of_block(geometry)) - 1U));
}

// Entries are numbered in 32 bits, ends of lists among them.
const L2Geometry& checked(const L2Geometry& geometry, std::int64_t blocks) {
  const std::int64_t entries = blocks << shift_of_block(geometry);
  const std::int64_t lists = std::int64_t{geometry.caches()} * geometry.units();
  if (entries + lists <= std::numeric_limits<std::int32_t>::max()) return geometry;
  throw PointError("--l2", "replay",
                   "expected model or none: the tensors are too many blocks for the caches of this GPU; use "
                   "smaller sizes");
}

// A block leaves whole, where of a real unit's sets only some give up a line: units would lose half a block
// each. So each one may hold a part of what would leave next beyond its capacity, 0 to 1023 / 1024 of it
// evenly over all units (multiples of the golden ratio): together they hold what they can, and no more blocks
// than fit where whole numbers do. The limits of what is dirty and of what is to be evicted last are cut at
// whole blocks.
Bytes overhang(std::size_t list, Bytes share) {
  constexpr std::size_t kParts = 1024;
  constexpr std::size_t kGoldenParts = 633;
  return share * (list * kGoldenParts % kParts) / kParts;
}

}  // namespace

L2State::L2State(const L2Geometry& geometry, std::int64_t blocks)
    : geometry_(checked(geometry, blocks)),
      homes_(geometry.homes),
      units_(geometry.units()),
      block_shift_(shift_of_block(geometry)),
      home_of_slot_(std::size_t{1} << static_cast<unsigned>(block_shift_)),
      cached_(at(blocks << block_shift_), at(std::int64_t{geometry.caches()} * units_)),
      written_(at(blocks * geometry.homes), at(std::int64_t{geometry.homes} * units_)),
      used_(cached_.lists()),
      dirty_bytes_(written_.lists()),
      blocks_(at(blocks)),
      shares_(at(blocks * geometry.homes)) {
  for (std::size_t slot = 0; slot < home_of_slot_.size(); ++slot) {
    home_of_slot_[slot] = static_cast<std::uint8_t>(slot % at(homes_));
  }
}

void L2State::describe_block(std::int64_t block, Bytes bytes, int unit) {
  blocks_[at(block)] = {static_cast<std::uint32_t>(bytes), unit};
}

L2State::Found L2State::find(std::int64_t block, int side, int home) const {
  if (cached_.holds(entry_of(block, side, home))) return Found::near;
  return cached_.holds(entry_of(block, geometry_.home_cache(home), home)) ? Found::home : Found::dram;
}

bool L2State::is_held_before(Entry entry) const {
  const auto step = static_cast<Entry>(homes_);
  const Entry first = static_cast<Entry>(block_of(entry)) << block_shift_;
  for (Entry earlier = first + static_cast<Entry>(home_of(entry)); earlier < entry; earlier += step) {
    if (cached_.holds(earlier)) return true;
  }
  return false;
}

ReadWrite& L2State::account(int number) {
  if (accounts_.size() <= at(number)) accounts_.resize(at(number) + 1);
  return accounts_[at(number)];
}

void L2State::begin_launch(Bytes write_back_delay) {
  clock_ += write_back_delay_;
  write_back_delay_ = write_back_delay;
  early_writes_ = 0;
}

// What is not near is looked up at home.
void L2State::fetch(std::int64_t block, int side, int home, int account_number, L2Hint hint) {
  const int home_cache = geometry_.home_cache(home);
  const Entry at_home = entry_of(block, home_cache, home);
  if (home_cache != side && cached_.holds(at_home)) {
    touch(at_home, block, home_cache, home);
  } else {
    account(account_number).read += share_of(block, home);
    fetched_ += share_of(block, home);
    if (home_cache != side) insert(block, home_cache, home, hint, Operation::load);
  }
  insert(block, side, home, hint, Operation::load);
}

void L2State::store(std::int64_t block, int side, int account_number, L2Hint hint) {
  clock_ += blocks_[at(block)].bytes;
  for (int home = 0; home < homes_; ++home) {
    const int home_cache = geometry_.home_cache(home);
    for (int cache = 0; cache < geometry_.caches(); ++cache) {
      const Entry entry = entry_of(block, cache, home);
      const bool stays = cache == side || cache == home_cache;
      if (stays && cached_.holds(entry)) {
        touch(entry, block, cache, home);
      } else if (stays) {
        insert(block, cache, home, hint, Operation::store);
      } else if (cached_.holds(entry)) {
        remove(entry, cache);
      }
    }
    make_dirty(block, home, account_number);
  }
}

void L2State::insert(std::int64_t block, int cache, int home, L2Hint hint, Operation operation) {
  const std::size_t list = list_of(block, cache);
  const Entry entry = entry_of(block, cache, home);
  used_[list] += share_of(block, home);
  cached_.add(entry, cached_.end_of(list));
  if (hint != L2Hint::normal) label(entry, list, cache, hint);
  const Bytes capacity = geometry_.capacity(cache) / static_cast<Bytes>(units_);
  while (used_[list] > capacity && !cached_.is_empty(cached_.end_of(list))) {
    const Entry leaves = leaving(list, cache);
    if (used_[list] <= capacity + overhang(list, share_of(block_of(leaves), home_of(leaves)))) break;
    make_room(leaves, list, cache, operation);
  }
}

bool L2State::is_dirty(Entry entry, int cache) const {
  const int home = home_of(entry);
  return geometry_.home_cache(home) == cache && shares_[share_number(block_of(entry), home)].dirty != 0;
}

// What is dirty or being written back cannot, and what is to be evicted last need not.
bool L2State::can_leave(Entry entry, int cache) const {
  if (!hints_.empty() && hints_[entry] == L2Hint::evict_last) return false;
  const int home = home_of(entry);
  if (geometry_.home_cache(home) != cache) return true;
  const Share& share = shares_[share_number(block_of(entry), home)];
  return share.dirty == 0 && share.written_at <= clock_;
}

// The oldest that can; the oldest of all, if none but the youngest can. What is to be evicted first goes
// ahead.
L2State::Entry L2State::leaving(std::size_t list, int cache) const {
  const Entry end = cached_.end_of(list);
  const Entry youngest = cached_.youngest(end);
  if (!hints_.empty() && first_[list] > 0) {
    for (Entry entry = cached_.oldest(end); entry != youngest; entry = cached_.younger(entry)) {
      if (hints_[entry] == L2Hint::evict_first && can_leave(entry, cache)) return entry;
    }
  }
  for (Entry entry = cached_.oldest(end); entry != youngest; entry = cached_.younger(entry)) {
    if (can_leave(entry, cache)) return entry;
  }
  return cached_.oldest(end);
}

// Dirty lines that are passed over or have come to the end begin to be written back: at a load the oldest one
// that stood in the way, at a store also the one that would stand in the next one's.
void L2State::make_room(Entry leaves, std::size_t list, int cache, Operation operation) {
  const bool first = !hints_.empty() && hints_[leaves] == L2Hint::evict_first;
  if (!first) clean_oldest(list, cache);
  remove(leaves, cache);
  if (operation != Operation::load) clean_oldest(list, cache);
}

void L2State::clean_oldest(std::size_t list, int cache) {
  const Entry end = cached_.end_of(list);
  const Entry oldest = cached_.oldest(end);
  if (oldest != end && is_dirty(oldest, cache)) clean(share_number(block_of(oldest), home_of(oldest)));
}

void L2State::remove(Entry entry, int cache) {
  const std::int64_t block = block_of(entry);
  const std::size_t list = list_of(block, cache);
  if (!hints_.empty()) unlabel(entry, list);
  cached_.remove(entry);
  used_[list] -= share_of(block, home_of(entry));
  if (geometry_.home_cache(home_of(entry)) == cache) {
    const Entry share = share_number(block, home_of(entry));
    clean(share);
    shares_[share].written_at = 0;
  }
}

}  // namespace hbmscope
