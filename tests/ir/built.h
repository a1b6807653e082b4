// Graphs made by calls, for tests: a mistake in one fails the test and names itself.
#ifndef BUFPLAN_TESTS_IR_BUILT_H_
#define BUFPLAN_TESTS_IR_BUILT_H_

#include <functional>

#include "ir/graph.h"
#include "ir/graph_builder.h"

namespace bufplan {

// An empty graph where there is a mistake.
Graph Built(GraphBuilder b);
Graph Built(const std::function<void(GraphBuilder&)>& make);

}  // namespace bufplan

#endif  // BUFPLAN_TESTS_IR_BUILT_H_
