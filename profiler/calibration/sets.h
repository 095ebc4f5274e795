#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "sim/units.h"

namespace hbmscope {

// Lines of a set: the number on which most eviction sets agree. Searches that found nothing are 0. Throws
// std::runtime_error unless more than half of those that found something agree.
int ways_of(std::span<const int> eviction_sets);

// Sets of a side that hold a region of so many lines, when so many of them share a set: the median over
// targets. Throws std::runtime_error if it differs by more than a tenth from what capacity and ways say.
double sets_of_side(std::span<const double> sets_implied, Bytes capacity, int sides, int ways);

// Consecutive memory meets every set of a side as often as there are sides in `capacity / ways`. That is a
// power of two times an odd number: sets are chosen by address bits within a group and by a hash among an odd
// number of groups, and a group meets its sets evenly in the power of two. At least one block of the replay.
Bytes stretch_of(Bytes capacity, int ways);

// Of the aligned stretches of the region that hold a line of the set, those that hold as many as there are
// sides. `members` are numbers of lines in ascending order.
double share_of_whole_stretches(std::span<const std::uint32_t> members, Bytes stretch_bytes, int sides);

// Which line a full set gives up, from how often each was gone after all had been read in order, the first
// once more, and then another line: "LRU" if the second goes every time, "FIFO" if the first does, "other".
// Throws std::runtime_error if hardly any line was gone: a full set has to give up one.
std::string replacement_of(std::span<const unsigned> evictions, unsigned tries);

// How many lines of a set may be dirty, from whether the first of 1, 2, … written lines was still dirty after
// all of them were written: a line beyond the limit is written back. Throws std::runtime_error if it never
// was, if it was to the end, or if it was again after it had not been.
int dirty_ways_of(const std::vector<bool>& first_is_dirty);

}  // namespace hbmscope
