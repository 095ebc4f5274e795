#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace hbmscope {

// Doubly linked lists of numbered entries, each in one list or in none, youngest first. The end of a list is
// an element of its own behind the last entry's number; an entry of no list links to itself.
class EntryLists {
 public:
  using Entry = std::uint32_t;

  EntryLists(std::size_t entries, std::size_t lists)
      : first_list_(static_cast<Entry>(entries)), links_(entries + lists) {
    for (std::size_t entry = 0; entry < links_.size(); ++entry) {
      links_[entry] = {static_cast<Entry>(entry), static_cast<Entry>(entry)};
    }
  }

  Entry end_of(std::size_t list) const { return first_list_ + static_cast<Entry>(list); }
  std::size_t lists() const { return links_.size() - first_list_; }

  bool holds(Entry entry) const { return links_[entry].older != entry; }
  bool is_empty(Entry end) const { return links_[end].older == end; }
  Entry youngest(Entry end) const { return links_[end].older; }
  Entry oldest(Entry end) const { return links_[end].younger; }
  Entry younger(Entry entry) const { return links_[entry].younger; }
  Entry older(Entry entry) const { return links_[entry].older; }

  // An entry of no list becomes the youngest of this one.
  void add(Entry entry, Entry end) {
    const Entry before = links_[end].older;
    links_[entry] = {before, end};
    links_[before].younger = entry;
    links_[end].older = entry;
  }

  void remove(Entry entry) {
    const Links links = links_[entry];
    links_[links.younger].older = links.older;
    links_[links.older].younger = links.younger;
    links_[entry] = {entry, entry};
  }

  // An entry of this list becomes its youngest.
  void renew(Entry entry, Entry end) {
    const Links links = links_[entry];
    links_[links.younger].older = links.older;
    links_[links.older].younger = links.younger;
    add(entry, end);
  }

  // The same for two neighbours, which stay so.
  void renew_both(Entry older, Entry younger, Entry end) {
    const Entry before = links_[older].older;
    const Entry after = links_[younger].younger;
    links_[after].older = before;
    links_[before].younger = after;
    const Entry youngest = links_[end].older;
    links_[older].older = youngest;
    links_[younger].younger = end;
    links_[youngest].younger = older;
    links_[end].older = younger;
  }

 private:
  struct Links {
    Entry older;
    Entry younger;
  };

  Entry first_list_;
  std::vector<Links> links_;
};

}  // namespace hbmscope
