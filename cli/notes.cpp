#include "cli/notes.h"

#include <fmt/format.h>

namespace hbmscope {
namespace {

constexpr std::size_t kMostNotes = 4;

}  // namespace

void Notes::add(const Record& record) {
  const std::string& note = record.provenance.note;
  if (note.empty() || notes_.contains(note)) return;
  if (notes_.size() < kMostNotes) {
    notes_.insert(note);
  } else {
    more_ = true;
  }
}

std::string Notes::text() const {
  std::string text;
  for (const std::string& note : notes_) text += fmt::format("note: {}\n", note);
  if (more_) text += "note: there are others; CSV and JSON have that of every point\n";
  return text;
}

}  // namespace hbmscope
