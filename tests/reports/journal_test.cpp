#include "reports/journal.h"

#include <gmock/gmock.h>

#include "reports/csv.h"
#include "sim/error.h"
#include "tests/reports/temporary_folder.h"

namespace hbmscope {
namespace {

using std::chrono::hours;
using testing::HasSubstr;
using testing::IsEmpty;

const Configuration kConfiguration{{"--seqlen", "512"}, {"--br", "64"}};
const RunInfo kRun{.version = "1.0", .git_commit = "abc", .argv = {"hbmscope"}, .date = "2026-11-29"};

Record record_of(std::int64_t seqlen) {
  Record record;
  record.point.gpu = "h200";
  record.point.algorithm = "flash2";
  record.point.variant = "mma";
  record.point.problem.seqlen_q = seqlen;
  record.point.problem.seqlen_kv = seqlen;
  return record;
}

std::string message_of(const JournalOptions& options, const Configuration& configuration = kConfiguration) {
  try {
    const Journal journal(options, kRun, configuration);
  } catch (const UserError& error) {
    return error.what();
  }
  return "";
}

class JournalFile : public TemporaryFolder {
 protected:
  // A journal of the points at 512 and 1024.
  void write() const {
    Journal journal({.path = file_}, kRun, kConfiguration);
    journal.add(record_of(512));
    journal.add(record_of(1024));
  }

  std::string file_ = path("run.journal");
};

TEST_F(JournalFile, HasARecordAsSoonAsItIsAdded) {
  Journal journal({.path = file_}, kRun, kConfiguration);
  journal.add(record_of(512));
  EXPECT_EQ(read_journal(file_).records.size(), 1U);
  journal.add(record_of(1024));
  EXPECT_EQ(read_journal(file_).records.size(), 2U);
}

TEST_F(JournalFile, MayHoldRecordsBackForAWhileButNotForEver) {
  {
    Journal journal({.path = file_, .sync_interval = hours(1)}, kRun, kConfiguration);
    journal.add(record_of(512));
    EXPECT_THAT(read_journal(file_).records, IsEmpty());
    journal.sync();
    EXPECT_EQ(read_journal(file_).records.size(), 1U);
    journal.add(record_of(1024));
  }
  EXPECT_EQ(read_journal(file_).records.size(), 2U);
}

TEST_F(JournalFile, FindsWhatAnEarlierRunLeft) {
  write();
  Journal journal({.path = file_, .resume = true}, kRun, kConfiguration);
  EXPECT_EQ(journal.known(), 2U);
  ASSERT_NE(journal.find(record_of(1024).point), nullptr);
  EXPECT_EQ(write_csv({*journal.find(record_of(1024).point)}), write_csv({record_of(1024)}));
  EXPECT_EQ(journal.find(record_of(2048).point), nullptr);
  Point elsewhere = record_of(1024).point;
  elsewhere.l2_mode = L2Mode::replay;  // no key of recorded rows, but another question
  EXPECT_EQ(journal.find(elsewhere), nullptr);
}

TEST_F(JournalFile, DropsATornLineWhereverItIsTorn) {
  write();
  const std::string whole = text_of(file_);
  const std::size_t second = whole.rfind('\n', whole.size() - 2) + 1;
  for (std::size_t size = second; size < whole.size(); size += 9) {  // each costs two syncs
    put(file_, whole.substr(0, size));
    {
      Journal journal({.path = file_, .resume = true}, kRun, kConfiguration);
      ASSERT_EQ(journal.known(), 1U) << size;
      journal.add(record_of(1024));
    }
    ASSERT_EQ(text_of(file_), whole) << size;
  }
}

TEST_F(JournalFile, RefusesAnotherConfiguration) {
  write();
  const JournalOptions resume{.path = file_, .resume = true};
  EXPECT_THAT(message_of(resume, {{"--seqlen", "512"}, {"--br", "128"}}),
              HasSubstr("--br: '128' is not accepted; expected '64', with which"));
  EXPECT_THAT(message_of(resume, {{"--seqlen", "512"}}), HasSubstr("--br: expected '64'"));
  EXPECT_THAT(message_of(resume, {{"--seqlen", "512"}, {"--br", "64"}, {"--bc", "64"}}),
              HasSubstr("--bc: '64' is not accepted; expected ''"));
  EXPECT_EQ(message_of(resume, {{"--br", "64"}, {"--seqlen", "512"}}), "");
}

TEST_F(JournalFile, IsWrittenByOneAtATime) {
  const Journal journal({.path = file_}, kRun, kConfiguration);
  EXPECT_THAT(message_of({.path = file_, .resume = true}), HasSubstr("another hbmscope is writing it"));
}

TEST_F(JournalFile, GoesAgainIfNoRecordCameToIt) {
  EXPECT_EQ(message_of({.path = file_}), "");
  EXPECT_THAT(names(), IsEmpty());
}

TEST_F(JournalFile, NamesAFileThatCannotBeWritten) {
  EXPECT_THAT(message_of({.path = path("no/such/folder")}), HasSubstr("--journal"));
  EXPECT_THAT(message_of({.path = "/dev/null"}), HasSubstr("it is no regular file"));
}

TEST_F(JournalFile, IsToldFromOtherJsonLines) {
  put(file_, "{\"schema_version\":1,\"provenance\":{\"tool\":\"hbmscope\",\"argv\":[]}}\n");
  EXPECT_THROW(read_journal(file_), UserError);
}

}  // namespace
}  // namespace hbmscope
