#include "io/iree_scope.h"

#include <string>

#include "gtest/gtest.h"

namespace bufplan {
namespace {

IreeRef Ref(absl::string_view name, uint32_t index = 0) { return {name, index, 0}; }

IreeBinding Resource(size_t number) {
  IreeBinding binding;
  binding.resource = number;
  return binding;
}

TEST(IreeScope, NamesOfARegionAreGoneBehindIt) {
  IreeScope scope;
  scope.Define("%a", {Resource(1)});
  scope.Define("%r", {Resource(2), Resource(3)});
  scope.Open();
  scope.Define("%a", {Resource(4)});
  scope.Define("%b", {Resource(5)});
  scope.Open();
  scope.Define("%a", {Resource(6)});
  EXPECT_FALSE(scope.Define("%a", {Resource(8)}));
  EXPECT_EQ(scope.Find(Ref("%a"))->resource, 6u);
  EXPECT_EQ(scope.Find(Ref("%b"))->resource, 5u);
  scope.Close();
  EXPECT_EQ(scope.Find(Ref("%a"))->resource, 4u);
  scope.Close();
  EXPECT_EQ(scope.Find(Ref("%a"))->resource, 1u);
  EXPECT_EQ(scope.Find(Ref("%b")), nullptr);
  EXPECT_EQ(scope.Find(Ref("%r", 1))->resource, 3u);
  EXPECT_EQ(scope.Find(Ref("%r", 2)), nullptr);
}

TEST(IreeNames, EachIsGivenOnce) {
  IreeNames names;
  EXPECT_EQ(names.Take("x", "."), "x");
  EXPECT_EQ(names.Take("x", "."), "x.2");
  EXPECT_TRUE(names.TakeExactly("x.3"));
  EXPECT_EQ(names.Take("x", "."), "x.4");
  EXPECT_FALSE(names.TakeExactly("x"));
  EXPECT_TRUE(names.Has("x.4"));
  EXPECT_FALSE(names.Has("x.5"));
}

}  // namespace
}  // namespace bufplan
