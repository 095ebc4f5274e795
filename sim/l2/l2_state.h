#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <vector>

#include "sim/l2/l2_geometry.h"
#include "sim/traffic.h"

namespace hbmscope {

// What the caches hold, block by block, and what DRAM is asked for. Replacement is exact LRU within a unit.
class L2State {
 public:
  // Everything is empty; `blocks` are at most kMostL2Blocks. Throws PointError (--l2) where this many caches
  // could hold too many shares of them. Bytes and unit of every block follow by describe_block.
  L2State(const L2Geometry& geometry, std::int64_t blocks);

  void describe_block(std::int64_t block, Bytes bytes, int unit);

  int homes() const { return homes_; }

  // The bytes of a block whose home this is.
  Bytes share_of(std::int64_t block, int home) const;

  // Where a load by an SM of this side would find that share now.
  enum class Found : std::uint8_t { near, home, dram };
  Found find(std::int64_t block, int side, int home) const;

  // Calls visit(block, home) for each share that a cache holds: once, however many do.
  template <class Visit>
  void visit_cached(Visit&& visit) const {
    for (Entry list = first_list_; list < next_.size(); ++list) {
      for (Entry entry = next_[list]; entry != list; entry = next_[entry]) {
        if (!is_held_before(entry)) visit(std::int64_t{entry / entries_per_block_}, home_of(entry));
      }
    }
  }

  // A block read by an SM of this side. Each line is looked up near, then at home, then comes from DRAM; it
  // ends up in both. `account` is who is billed, in 1 … 65535.
  void load(std::int64_t block, int side, int account);
  // The same; calls before(home) ahead of each share.
  void load(std::int64_t block, int side, int account, const std::function<void(int home)>& before);

  // A whole block written: it ends up near and, dirty, at home; other copies are dropped. Nothing is fetched.
  void store(std::int64_t block, int side, int account);

  // Writes back whatever is dirty, as what runs later will.
  void write_back_all();

  // Bytes by account; writes are billed to who made the block dirty last.
  const std::vector<ReadWrite>& accounts() const { return accounts_; }

 private:
  using Entry = std::uint32_t;

  // A block's share of one home in one cache.
  Entry entry_of(std::int64_t block, int cache, int home) const {
    return static_cast<Entry>(block) * entries_per_block_ + static_cast<Entry>(cache * homes_ + home);
  }
  Entry list_of(std::int64_t block, int cache) const {
    return first_list_ + static_cast<Entry>(cache * units_ + unit_[static_cast<std::size_t>(block)]);
  }
  int home_of(Entry entry) const {
    return static_cast<int>(entry % entries_per_block_ % static_cast<Entry>(homes_));
  }
  bool is_held_before(Entry entry) const;  // by a cache before the entry's own
  bool holds(Entry entry) const { return next_[entry] != entry; }
  template <class Before>
  void load_shares(std::int64_t block, int side, int account, Before&& before);
  void touch(Entry entry, Entry list);
  void insert(std::int64_t block, int cache, int home);
  void drop(std::int64_t block, int cache, int home);
  void remove(Entry entry, int cache, Bytes bytes);
  void make_dirty(std::int64_t block, int home, int account);
  void clean(Entry entry, Bytes bytes);
  ReadWrite& account(int number);

  L2Geometry geometry_;
  int homes_;
  int units_;
  Entry entries_per_block_;
  Entry first_list_;
  // Doubly linked LRU lists, most recent first; an entry that is not cached links to itself. One list for
  // each unit of each cache, its end marked by an element of its own.
  std::vector<Entry> next_;
  std::vector<Entry> previous_;
  std::vector<Bytes> used_;                        // by list
  std::vector<Bytes> bytes_;                       // by block
  std::vector<int> unit_;                          // by block
  std::vector<std::uint16_t> dirty_;               // by block and home: the account, 0 if clean
  std::vector<std::deque<std::int64_t>> written_;  // by home: blocks in the order in which they became dirty
  std::vector<Bytes> dirty_bytes_;                 // by home
  std::vector<ReadWrite> accounts_;
};

}  // namespace hbmscope
