// The journal of a long run: the same when written and read again, and after a kill at any byte it holds the
// records whose lines are whole.
#include "reports/journal.h"

#include <algorithm>

#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/json_records.h"

namespace hbmscope::fuzz {
namespace {

constexpr std::size_t kCuts = 20;

RunRecords parse(std::string_view text) { return parse_journal(text, "f.journal"); }

// `text` is the journal as hbmscope writes it.
void check_torn(const RunRecords& journal, const std::string& text) {
  const std::size_t header_size = text.find('\n') + 1;
  for (std::size_t cut = 0; cut < kCuts; ++cut) {
    const std::size_t size = header_size + (text.size() - header_size) * cut / kCuts;
    RunRecords whole = journal;
    const auto lines = std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(size), '\n');
    whole.records.resize(static_cast<std::size_t>(lines) - 1);
    require(jsonl_of(parse(std::string_view(text).substr(0, size))) == jsonl_of(whole),
            "a torn journal holds its whole lines");
  }
}

}  // namespace

bool check_input(std::string_view input) {
  const auto journal = accepted([&] { return parse(input); });
  if (!journal) return false;
  const std::string text = jsonl_of(*journal);
  require(jsonl_of(parse(text)) == text, "a journal is the same when read again");
  check_torn(*journal, text);
  return true;
}

}  // namespace hbmscope::fuzz
