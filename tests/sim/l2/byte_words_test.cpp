#include "sim/l2/byte_words.h"

#include <gtest/gtest.h>

namespace hbmscope {

TEST(ByteWords, HaveThreeDigitsAndTheRightUnit) {
  EXPECT_EQ(cache_text(30.0 * 1024 * 1024), "30.0 MiB");
  EXPECT_EQ(cache_text(1.5 * 1024 * 1024 * 1024), "1.50 GiB");
  EXPECT_EQ(cache_text(7168), "7.00 KiB");
  EXPECT_EQ(traffic_text(5.1e9), "5.10 GB");
  EXPECT_EQ(traffic_text(67.4e6), "67.4 MB");
  EXPECT_EQ(traffic_text(999), "1.00 kB");
  EXPECT_EQ(digits_text(9.996), "10.0");
  EXPECT_EQ(count_text(2.06), "2.1");
  EXPECT_EQ(count_text(63.98), "64");
}

TEST(ByteWords, JoinAsASentenceDoes) {
  EXPECT_EQ(joined_words({}), "");
  EXPECT_EQ(joined_words({"K"}), "K");
  EXPECT_EQ(joined_words({"K", "V"}), "K and V");
  EXPECT_EQ(joined_words({"Q", "K", "V"}), "Q, K and V");
}

TEST(ByteWords, NameTheLargestShares) {
  EXPECT_EQ(shares_text({{"K", 1}, {"V", 3}}), "V 75 % and K 25 %");
  EXPECT_EQ(shares_text({{"a", 4}, {"b", 3}, {"c", 2}, {"d", 1}}), "a 40 %, b 30 %, c 20 % and others 10 %");
  EXPECT_EQ(shares_text({{"a", 1000}, {"b", 1}}), "a 100 %");
}

}  // namespace hbmscope
