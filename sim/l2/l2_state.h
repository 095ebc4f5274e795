#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "sim/l2/entry_lists.h"
#include "sim/l2/l2_geometry.h"
#include "sim/traffic.h"

namespace hbmscope {

// What the caches hold, block by block, and what DRAM is asked for. Within a unit the block that goes is the
// least recently used one of those that are not dirty; an older dirty one is written back instead, and may go
// next.
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
    for (std::size_t list = 0; list < cached_.lists(); ++list) {
      const Entry end = cached_.end_of(list);
      for (Entry entry = cached_.youngest(end); entry != end; entry = cached_.older(entry)) {
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

  // Of all bytes written back so far, those of lines beyond the dirty limit: their stores go on meanwhile.
  Bytes early_writes() const { return early_writes_; }

  // Bytes by account; writes are billed to who made the block dirty last.
  const std::vector<ReadWrite>& accounts() const { return accounts_; }

 private:
  using Entry = EntryLists::Entry;

  // A block's share of one home in one cache.
  Entry entry_of(std::int64_t block, int cache, int home) const {
    return static_cast<Entry>(block) * entries_per_block_ + static_cast<Entry>(cache * homes_ + home);
  }
  // The list of such shares that are cached, and of those that are dirty, for which homes count as caches.
  std::size_t list_of(std::int64_t block, int cache) const {
    return static_cast<std::size_t>(std::int64_t{cache} * units_ + unit_[static_cast<std::size_t>(block)]);
  }
  // The same share among those of homes alone, for what is dirty is so at home.
  Entry share_number(std::int64_t block, int home) const {
    return static_cast<Entry>(block) * static_cast<Entry>(homes_) + static_cast<Entry>(home);
  }
  int home_of(Entry entry) const {
    return static_cast<int>(entry % entries_per_block_ % static_cast<Entry>(homes_));
  }
  bool is_held_before(Entry entry) const;  // by a cache before the entry's own
  template <class Before>
  void load_shares(std::int64_t block, int side, int account, Before&& before);
  void touch(Entry entry, std::size_t list);
  void insert(std::int64_t block, int cache, int home);
  void make_room(std::size_t list, int cache);
  bool is_dirty(Entry entry, int cache) const;
  void remove(Entry entry, int cache, Bytes bytes);
  void make_dirty(std::int64_t block, int home, int account);
  void clean(Entry share);
  ReadWrite& account(int number);

  L2Geometry geometry_;
  int homes_;
  int units_;
  Entry entries_per_block_;
  EntryLists cached_;               // by use: one list for each unit of each cache
  EntryLists written_;              // dirty shares, by when they became dirty: one for each unit of each home
  std::vector<Bytes> used_;         // by list
  std::vector<Bytes> dirty_bytes_;  // by list of dirty shares
  std::vector<Bytes> bytes_;        // by block
  std::vector<int> unit_;           // by block
  std::vector<std::uint16_t> dirty_;  // by share: the account, 0 if clean
  std::vector<ReadWrite> accounts_;
  Bytes early_writes_ = 0;
};

}  // namespace hbmscope
