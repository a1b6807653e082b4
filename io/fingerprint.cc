#include "io/fingerprint.h"

#include <openssl/evp.h>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "io/json_graph.h"
#include "io/json_text.h"

namespace bufplan {

std::string Sha256Hex(absl::string_view bytes) {
  unsigned char digest[EVP_MAX_MD_SIZE];
  unsigned int size = 0;
  if (EVP_Digest(bytes.data(), bytes.size(), digest, &size, EVP_sha256(), nullptr) != 1) return "";  // Out of memory.
  return absl::BytesToHexString(absl::string_view(reinterpret_cast<const char*>(digest), size));
}

std::string Fingerprint(const Graph& graph) { return Sha256Hex(WriteGraphJson(graph, {.attrs = false})); }

absl::Status CheckFingerprint(const Graph& graph, const Plan& plan) {
  const std::string expected = Fingerprint(graph);
  if (plan.fingerprint == expected) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("the plan was made for another graph: the plan of ", Quoted(plan.graph_name), " has fingerprint ",
                   plan.fingerprint.empty() ? "\"\"" : Quoted(plan.fingerprint), ", graph ", Quoted(graph.name()),
                   " has \"", expected, "\" (names, sizes, constraints and symbol ranges all count)"));
}

}  // namespace bufplan
