// What a plan file knows its graph by: SHA-256, as 64 hexadecimal digits, of the graph's canonical JSON without free
// attributes.
//
// Everything that matters to a plan file changes it: structure, sizes, symbol ranges, constraints, names. Attributes do
// not. Whoever narrows symbol ranges while reading has another graph, and plans of it fit only with the same ranges.
//
// COST: writes the graph's JSON once; about 1 ms per 1,000 ops. THREADS: no shared state.
#ifndef BUFPLAN_IO_FINGERPRINT_H_
#define BUFPLAN_IO_FINGERPRINT_H_

#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "ir/graph.h"
#include "ir/plan.h"

namespace bufplan {

// SHA-256 of any bytes, as 64 hexadecimal digits in lower case.
std::string Sha256Hex(absl::string_view bytes);

std::string Fingerprint(const Graph& graph);

// OK if the plan was made for exactly this graph.
// ERRORS: InvalidArgument with both fingerprints, or if the plan has none.
absl::Status CheckFingerprint(const Graph& graph, const Plan& plan);

}  // namespace bufplan

#endif  // BUFPLAN_IO_FINGERPRINT_H_
