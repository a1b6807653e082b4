#include "tests/ir/built.h"

#include <utility>

#include "absl/status/statusor.h"
#include "gtest/gtest.h"

namespace bufplan {

Graph Built(GraphBuilder b) {
  absl::StatusOr<Graph> graph = std::move(b).Build();
  EXPECT_TRUE(graph.ok()) << graph.status();
  if (!graph.ok()) return *GraphBuilder().Build();
  return *std::move(graph);
}

Graph Built(const std::function<void(GraphBuilder&)>& make) {
  GraphBuilder b;
  make(b);
  return Built(std::move(b));
}

}  // namespace bufplan
