#pragma once

#include <cstdint>
#include <vector>

#include "sim/l2/entry_lists.h"
#include "sim/l2/l2_geometry.h"
#include "sim/program.h"
#include "sim/traffic.h"

namespace hbmscope {

// What the caches hold, block by block, and what DRAM is asked for. A unit is a set of the cache: what leaves
// it is the least recently used block that is neither dirty nor being written back; reads may ask for a block
// to be evicted first or last. Every rule was measured line by line in sets of an H200 (docs/l2_replay.md,
// "Writes").
class L2State {
 public:
  // Everything is empty; `blocks` are at most kMostL2Blocks. Throws PointError (--l2) where this many caches
  // could hold too many shares of them. Bytes and unit of every block follow by describe_block.
  L2State(const L2Geometry& geometry, std::int64_t blocks);

  void describe_block(std::int64_t block, Bytes bytes, int unit);

  int homes() const { return homes_; }

  // The bytes of a block whose home this is: lines are dealt evenly, what is left over goes to the last.
  Bytes share_of(std::int64_t block, int home) const {
    const Bytes bytes = blocks_[index(block)].bytes;
    const Bytes share = bytes / static_cast<Bytes>(homes_);
    return home + 1 < homes_ ? share : bytes - share * static_cast<Bytes>(homes_ - 1);
  }

  // Where a load by an SM of this side would find that share now.
  enum class Found : std::uint8_t { near, home, dram };
  Found find(std::int64_t block, int side, int home) const;

  // Calls visit(block, home) for each share that a cache holds: once, however many do.
  template <class Visit>
  void visit_cached(Visit&& visit) const {
    for (std::size_t list = 0; list < cached_.lists(); ++list) {
      const Entry end = cached_.end_of(list);
      for (Entry entry = cached_.youngest(end); entry != end; entry = cached_.older(entry)) {
        if (!is_held_before(entry)) visit(block_of(entry), home_of(entry));
      }
    }
  }

  // A write-back that begins from here on is over when SMs have moved so many bytes more; those under way are
  // over.
  void begin_launch(Bytes write_back_delay);

  // A block read by an SM of this side. Each line is looked up near, then at home, then comes from DRAM; it
  // ends up in both. `account` is who is billed, in 1 … 65535. Calls before(home) ahead of each share.
  template <class Before>
  void load_seen(std::int64_t block, int side, int account, L2Hint hint, Before&& before) {
    clock_ += blocks_[index(block)].bytes;
    const bool was_last = is_youngest(block, side);  // nothing changes: many SMs read a tile in turn
    for (int home = 0; home < homes_; ++home) {
      before(home);
      if (was_last) continue;
      const Entry near = entry_of(block, side, home);
      if (cached_.holds(near)) {
        touch(near, block, side, home);
      } else {
        fetch(block, side, home, account, hint);
      }
    }
  }
  void load(std::int64_t block, int side, int account, L2Hint hint = L2Hint::normal) {
    if (homes_ == 2 && touch_both(block, side)) return;
    load_seen(block, side, account, hint, [](int /*home*/) {});
  }

  // A whole block written: it ends up near and, dirty, at home; other copies are dropped. Nothing is fetched.
  void store(std::int64_t block, int side, int account, L2Hint hint = L2Hint::normal);

  // Writes back whatever is dirty, as what runs later will.
  void write_back_all();

  // Of the bytes written back in this launch so far, those of lines beyond the dirty limit: their stores go
  // on meanwhile.
  Bytes early_writes() const { return early_writes_; }

  // Bytes read from DRAM so far.
  Bytes fetched() const { return fetched_; }

  // Bytes that began to be written back so far.
  Bytes written_back() const { return written_back_; }

  // Bytes by account; writes are billed to who made the block dirty last.
  const std::vector<ReadWrite>& accounts() const { return accounts_; }

 private:
  using Entry = EntryLists::Entry;

  // Looked up at every access, so as small as can be: a block has at most kL2BlockBytes.
  struct Block {
    std::uint32_t bytes = 0;
    int unit = 0;
  };

  // A block's share of one home, dirty there or not.
  struct Share {
    Bytes written_at = 0;       // when its last write-back is over
    std::uint16_t dirty = 0;    // the account that made it so, 0 if clean
    std::uint16_t written = 0;  // the account that its last write-back was billed to
    bool early = false;         // that was one of lines beyond the dirty limit
  };

  static std::size_t index(std::int64_t number) { return static_cast<std::size_t>(number); }

  // A block's share of one home in one cache; those of a block lie cache by cache.
  Entry entry_of(std::int64_t block, int cache, int home) const {
    return (static_cast<Entry>(block) << block_shift_) | static_cast<Entry>(cache * homes_ + home);
  }
  std::int64_t block_of(Entry entry) const { return entry >> block_shift_; }
  int home_of(Entry entry) const { return home_of_slot_[entry & ((Entry{1} << block_shift_) - 1)]; }
  // The list of such shares that are cached, and of those that are dirty, for which homes count as caches.
  std::size_t list_of(std::int64_t block, int cache) const {
    return index(cache) * index(units_) + index(blocks_[index(block)].unit);
  }
  // The same share among those of homes alone, for what is dirty is so at home.
  Entry share_number(std::int64_t block, int home) const {
    return static_cast<Entry>(block) * static_cast<Entry>(homes_) + static_cast<Entry>(home);
  }

  // Whether the side used this block last, all shares of it.
  bool is_youngest(std::int64_t block, int side) const {
    Entry share = cached_.youngest(cached_.end_of(list_of(block, side)));
    for (int home = homes_ - 1; home >= 0; --home) {
      if (share != entry_of(block, side, home)) return false;
      share = cached_.older(share);
    }
    return true;
  }

  // Loads and stores alike are uses.
  void touch(Entry entry, std::int64_t block, int cache, int home) {
    const std::size_t list = list_of(block, cache);
    const Entry end = cached_.end_of(list);
    if (cached_.youngest(end) == entry) return;
    cached_.renew(entry, end);
    if (geometry_.home_cache(home) == cache) renew_dirty(block, home);
  }

  // What most loads are, in one step: both shares of a block that this side used together the last time.
  bool touch_both(std::int64_t block, int side) {
    const std::size_t list = list_of(block, side);
    const Entry end = cached_.end_of(list);
    const Entry first = entry_of(block, side, 0);
    const Entry second = first + 1;
    if (cached_.older(second) != first) return false;
    clock_ += blocks_[index(block)].bytes;
    if (cached_.youngest(end) == second) return true;
    cached_.renew_both(first, second, end);
    for (int home = 0; home < homes_; ++home) {
      if (geometry_.home_cache(home) == side && dirty_bytes_[list_of(block, home)] > 0)
        renew_dirty(block, home);
    }
    return true;
  }

  bool is_held_before(Entry entry) const;  // by a cache before the entry's own
  void fetch(std::int64_t block, int side, int home, int account, L2Hint hint);
  void insert(std::int64_t block, int cache, int home, L2Hint hint, Operation operation);
  void make_room(Entry leaves, std::size_t list, int cache, Operation operation);
  Entry leaving(std::size_t list, int cache) const;
  bool is_dirty(Entry entry, int cache) const;
  bool can_leave(Entry entry, int cache) const;
  void remove(Entry entry, int cache);
  void label(Entry entry, std::size_t list, int cache, L2Hint hint);
  void unlabel(Entry entry, std::size_t list);
  void renew_dirty(std::int64_t block, int home);
  void make_dirty(std::int64_t block, int home, int account);
  void clean(Entry share);
  void clean_oldest(std::size_t list, int cache);
  ReadWrite& account(int number);

  L2Geometry geometry_;
  int homes_;
  int units_;
  int block_shift_;
  std::vector<std::uint8_t> home_of_slot_;
  EntryLists cached_;               // by use: one list for each unit of each cache
  EntryLists written_;              // dirty shares, by use at home: one for each unit of each home
  std::vector<Bytes> used_;         // by list
  std::vector<Bytes> dirty_bytes_;  // by list of dirty shares
  std::vector<Block> blocks_;
  std::vector<Share> shares_;
  std::vector<L2Hint> hints_;  // by entry; empty as long as no access carries one
  std::vector<int> first_;     // by list: entries to evict first
  std::vector<Bytes> last_;    // by list: bytes to evict last
  std::vector<ReadWrite> accounts_;
  Bytes clock_ = 0;  // bytes that SMs have moved
  Bytes write_back_delay_ = 0;
  Bytes early_writes_ = 0;
  Bytes fetched_ = 0;
  Bytes written_back_ = 0;
};

}  // namespace hbmscope
