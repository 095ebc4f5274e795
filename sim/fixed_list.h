#pragma once

#include <cstddef>
#include <new>
#include <stdexcept>
#include <type_traits>

namespace hbmscope {

// A list with fixed capacity and no heap: what a point needs is built in place, so that a sweep allocates
// nothing. Only elements in use are touched.
template <class T, std::size_t Capacity>
class FixedList {
  static_assert(std::is_trivially_destructible_v<T>);

 public:
  FixedList() = default;
  FixedList(const FixedList& other) { append(other); }
  FixedList& operator=(const FixedList& other) {
    if (this != &other) {
      clear();
      append(other);
    }
    return *this;
  }
  ~FixedList() = default;

  // Returns the index of the new element. Throws std::length_error when full: a program too large for the
  // representation is a defect of the algorithm's file, not of the user.
  int push(const T& value) {
    check_room();
    new (slot()) T(value);
    return static_cast<int>(count_++);
  }
  // A default-constructed element to be filled in place.
  T& add() {
    check_room();
    T* element = new (slot()) T;
    ++count_;
    return *element;
  }
  void clear() { count_ = 0; }
  void pop() { --count_; }

  std::size_t size() const { return count_; }
  int count() const { return static_cast<int>(count_); }
  bool empty() const { return count_ == 0; }
  T* begin() { return std::launder(reinterpret_cast<T*>(storage_)); }
  T* end() { return begin() + count_; }
  const T* begin() const { return std::launder(reinterpret_cast<const T*>(storage_)); }
  const T* end() const { return begin() + count_; }
  T& operator[](int index) { return begin()[index]; }
  const T& operator[](int index) const { return begin()[index]; }
  T& back() { return begin()[count_ - 1]; }
  const T& back() const { return begin()[count_ - 1]; }

 private:
  void* slot() { return storage_ + count_ * sizeof(T); }
  void check_room() const {
    if (count_ == Capacity) throw std::length_error("FixedList: capacity exceeded");
  }
  // Into an empty list, where the other's elements always fit.
  void append(const FixedList& other) {
    for (const T& element : other) {
      new (slot()) T(element);
      ++count_;
    }
  }

  alignas(T) std::byte storage_[Capacity * sizeof(T)];
  std::size_t count_ = 0;
};

}  // namespace hbmscope
