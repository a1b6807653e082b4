#include "io/explain/text_table.h"

#include <cstdint>
#include <string>

#include "absl/time/time.h"
#include "gtest/gtest.h"

namespace bufplan {
namespace {

TEST(TextTableTest, AlignsColumnsAndTrimsLines) {
  TextTable table({TextAlign::kLeft, TextAlign::kRight, TextAlign::kLeft});
  table.Row({"space", "bytes", ""});
  table.Row({"d", "1,024", "x"});
  table.Row({"host"});
  EXPECT_EQ(table.Text(),
            "  space  bytes\n"
            "  d      1,024  x\n"
            "  host\n");
}

TEST(TextTableTest, CountsCodePointsNotBytes) {
  TextTable table({TextAlign::kLeft, TextAlign::kLeft}, 0);
  table.Row({"é", "1"});
  table.Row({"ab", "2"});
  EXPECT_EQ(table.Text(),
            "é   1\n"
            "ab  2\n");
  EXPECT_EQ(DisplayWidth("é→x"), 3u);
}

TEST(TextTableTest, ExtraCellsAreLeftOut) {
  TextTable table({TextAlign::kLeft}, 0);
  EXPECT_TRUE(table.empty());
  table.Row({"a", "b"});
  EXPECT_FALSE(table.empty());
  EXPECT_EQ(table.Text(), "a\n");
}

TEST(PrintableTest, ControlCharactersCannotReachTheTerminal) {
  EXPECT_EQ(Printable("a\nb\tc\x1b[31m\x7f"), "a\\nb\\tc\\x1B[31m\\x7F");
  // U+009B is a control sequence introducer of its own; U+00E9 is a letter.
  EXPECT_EQ(Printable("\xC2\x9B\xC3\xA9"), "\\u009B\xC3\xA9");
  EXPECT_EQ(InQuotes("x\n"), "\"x\\n\"");
}

TEST(PrintableTest, LongNamesAreCutInTheMiddle) {
  const std::string cut = Printable("0123456789abcdefghij", 10);
  EXPECT_EQ(cut, "0123..ghij");
  EXPECT_EQ(Printable("0123456789", 10), "0123456789");
  // Never inside of a code point.
  EXPECT_EQ(Printable("éééééééééééé", 8), "ééé..ééé");
}

TEST(FormatTest, Counts) {
  EXPECT_EQ(FormatCount(0), "0");
  EXPECT_EQ(FormatCount(999), "999");
  EXPECT_EQ(FormatCount(1000), "1,000");
  EXPECT_EQ(FormatCount(1234567), "1,234,567");
  EXPECT_EQ(FormatCount(-1234), "-1,234");
  EXPECT_EQ(FormatCount(INT64_MIN), "-9,223,372,036,854,775,808");
}

TEST(FormatTest, Sizes) {
  EXPECT_EQ(FormatSize(0), "0 B");
  EXPECT_EQ(FormatSize(1023), "1023 B");
  EXPECT_EQ(FormatSize(1024), "1.00 KiB");
  EXPECT_EQ(FormatSize(1 << 20), "1.00 MiB");
  EXPECT_EQ(FormatSize(int64_t{5} << 30), "5120.00 MiB");
  EXPECT_EQ(FormatSize(int64_t{16} << 30), "16.00 GiB");
}

TEST(FormatTest, Times) {
  EXPECT_EQ(FormatTime(absl::ZeroDuration()), "0 us");
  EXPECT_EQ(FormatTime(absl::Microseconds(999)), "999 us");
  EXPECT_EQ(FormatTime(absl::Milliseconds(1)), "1.00 ms");
  EXPECT_EQ(FormatTime(absl::Microseconds(12345)), "12.35 ms");
  EXPECT_EQ(FormatTime(absl::Seconds(90)), "90.00 s");
}

TEST(FormatTest, Plurals) {
  EXPECT_EQ(Plural(1, "op", "ops"), "1 op");
  EXPECT_EQ(Plural(0, "op", "ops"), "0 ops");
  EXPECT_EQ(Plural(1000, "op", "ops"), "1,000 ops");
}

}  // namespace
}  // namespace bufplan
