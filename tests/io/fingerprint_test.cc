#include "io/fingerprint.h"

#include <string>

#include "absl/strings/str_replace.h"
#include "gtest/gtest.h"
#include "io/json_graph.h"

namespace bufplan {
namespace {

constexpr absl::string_view kGraph = R"({"format": "bufplan.graph", "version": 1, "name": "g",
 "values": [{"name": "x", "bytes": 64, "role": "input", "attrs": {"a": 1}}], "outputs": ["x"]})";

std::string FingerprintOf(absl::string_view from, absl::string_view to) {
  const absl::StatusOr<Graph> graph = ReadGraphJson(absl::StrReplaceAll(kGraph, {{from, to}}));
  EXPECT_TRUE(graph.ok()) << graph.status();
  return graph.ok() ? Fingerprint(*graph) : "";
}

TEST(Fingerprint, Sha256IsThatOfTheStandard) {
  // FIPS 180-2, appendix B.
  EXPECT_EQ(Sha256Hex("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(Sha256Hex(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
}

TEST(Fingerprint, DependsOnWhatAPlanDependsOn) {
  const std::string original = FingerprintOf("", "");
  EXPECT_EQ(original.size(), 64u);
  EXPECT_EQ(FingerprintOf(R"({"a": 1})", R"({"b": "other"})"), original);
  EXPECT_EQ(FingerprintOf("64", "\"60 + 4\""), original);
  EXPECT_NE(FingerprintOf("64", "65"), original);
  EXPECT_NE(FingerprintOf("\"x\"", "\"y\""), original);
  EXPECT_NE(FingerprintOf("\"g\"", "\"h\""), original);
  EXPECT_NE(FingerprintOf("input", "constant"), original);
}

}  // namespace
}  // namespace bufplan
