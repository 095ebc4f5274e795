#include "cli/text_table.h"

#include <gtest/gtest.h>

#include <stdexcept>

namespace hbmscope {
namespace {

TEST(TextTable, AlignsColumnsUnderTheirGroup) {
  TextTable table({{"", "name", Align::left}, {"HBM, GB", "read"}, {"HBM, GB", "write"}});
  table.add_row({{"Qᵀ"}, {"1.000"}, {"22.500"}});
  table.add_row({{"longer"}, {"-"}, {"0.001"}});
  EXPECT_EQ(table.text(false),
            "              HBM, GB\n"
            "name     read   write\n"
            "Qᵀ      1.000  22.500\n"
            "longer      -   0.001\n");
}

TEST(TextTable, WidensForAGroupThatIsLongerThanItsColumns) {
  TextTable table({{"", "a", Align::left}, {"long heading", "b"}});
  table.add_row({{"x"}, {"1"}});
  EXPECT_EQ(table.text(false),
            "   long heading\n"
            "a             b\n"
            "x             1\n");
}

TEST(TextTable, ColoursOnlyWhenAsked) {
  TextTable table({{"", "a", Align::left}});
  table.add_row({{"x", Tone::bad}});
  EXPECT_EQ(table.text(false), "a\nx\n");
  EXPECT_EQ(table.text(true), "\x1b[1ma\x1b[0m\n\x1b[31mx\x1b[0m\n");
}

TEST(TextTable, RefusesARowOfAnotherLength) {
  TextTable table({{"", "a", Align::left}});
  EXPECT_THROW(table.add_row({}), std::logic_error);
}

}  // namespace
}  // namespace hbmscope
