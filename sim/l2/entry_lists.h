#pragma once

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

namespace hbmscope {

// Doubly linked lists of numbered entries, each in one list or in none, youngest first. The end of a list is
// an element of its own behind the last entry's number; an entry of no list links to itself.
class EntryLists {
 public:
  using Entry = std::uint32_t;

  EntryLists(std::size_t entries, std::size_t lists)
      : first_list_(static_cast<Entry>(entries)), next_(entries + lists) {
    std::iota(next_.begin(), next_.end(), Entry{0});
    previous_ = next_;
  }

  Entry end_of(std::size_t list) const { return first_list_ + static_cast<Entry>(list); }
  std::size_t lists() const { return next_.size() - first_list_; }

  bool holds(Entry entry) const { return next_[entry] != entry; }
  bool is_empty(Entry end) const { return next_[end] == end; }
  Entry youngest(Entry end) const { return next_[end]; }
  Entry oldest(Entry end) const { return previous_[end]; }
  Entry younger(Entry entry) const { return previous_[entry]; }
  Entry older(Entry entry) const { return next_[entry]; }

  // An entry of no list becomes the youngest of this one.
  void add(Entry entry, Entry end) {
    previous_[entry] = end;
    next_[entry] = next_[end];
    previous_[next_[end]] = entry;
    next_[end] = entry;
  }

  void remove(Entry entry) {
    next_[previous_[entry]] = next_[entry];
    previous_[next_[entry]] = previous_[entry];
    next_[entry] = entry;
    previous_[entry] = entry;
  }

 private:
  Entry first_list_;
  std::vector<Entry> next_;
  std::vector<Entry> previous_;
};

}  // namespace hbmscope
