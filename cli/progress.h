#pragma once

#include <chrono>
#include <cstddef>
#include <string>

#include "cli/terminal.h"

namespace hbmscope {

// How far a run is, on standard error: a bar that redraws itself on a terminal, else a line now and then.
// Nothing if quiet, and nothing for runs that are over before anybody could wonder.
class Progress {
 public:
  Progress(std::string verb, std::string noun, std::size_t total, const Terminal& terminal);
  ~Progress();  // removes the bar
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void advance();

 private:
  using Clock = std::chrono::steady_clock;
  void draw(Clock::time_point now);

  std::string verb_;
  std::string noun_;
  std::size_t total_;
  Terminal terminal_;
  std::size_t done_ = 0;
  Clock::time_point start_;
  Clock::time_point next_;
  bool drawn_ = false;
};

}  // namespace hbmscope
