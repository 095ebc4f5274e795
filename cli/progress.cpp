#include "cli/progress.h"

#include <fmt/format.h>

#include <utility>

namespace hbmscope {
namespace {

using namespace std::chrono_literals;

constexpr auto kFirst = 500ms;
constexpr auto kRedraw = 100ms;
constexpr auto kLine = 10s;
constexpr std::size_t kBarWidth = 30;

}  // namespace

Progress::Progress(std::string verb, std::string noun, std::size_t total, const Terminal& terminal)
    : verb_(std::move(verb)),
      noun_(std::move(noun)),
      total_(total),
      terminal_(terminal),
      start_(Clock::now()),
      next_(start_ + (terminal.bar ? std::chrono::milliseconds(kFirst) : std::chrono::milliseconds(kLine))) {}

Progress::~Progress() {
  if (drawn_ && terminal_.bar) write_stderr("\r\x1b[K");
}

void Progress::advance() {
  ++done_;
  if (terminal_.quiet) return;
  const Clock::time_point now = Clock::now();
  if (now >= next_) draw(now);
}

void Progress::draw(Clock::time_point now) {
  drawn_ = true;
  const double seconds = std::chrono::duration<double>(now - start_).count();
  if (!terminal_.bar) {
    write_stderr(fmt::format("{} {} of {} {}, {:.0f} s\n", verb_, done_, total_, noun_, seconds));
    next_ = now + kLine;
    return;
  }
  const std::size_t filled = kBarWidth * done_ / total_;
  const double left = seconds / static_cast<double>(done_) * static_cast<double>(total_ - done_);
  write_stderr(fmt::format("\r\x1b[K{} [{:#<{}}{:-<{}}] {} of {} {}, {:.0f} s left", verb_, "", filled, "",
                           kBarWidth - filled, done_, total_, noun_, left));
  next_ = now + kRedraw;
}

}  // namespace hbmscope
