#include "ir/checker/reporter.h"

#include "absl/strings/str_cat.h"

namespace bufplan::checker {

void Reporter::Add(ViolationKind kind, std::string message) {
  if (!full()) violations_.push_back({kind, std::move(message), symbols_});
}

bool Reporter::IsNew(ViolationKind kind, int32_t subject, int32_t other) {
  return !full() && said_.insert({static_cast<int>(kind), subject, other}).second;
}

std::string Reporter::Text(ValueId v) const { return absl::StrCat("value \"", graph_->name(v), "\""); }
std::string Reporter::Text(OpId o) const { return absl::StrCat("op \"", graph_->name(o), "\""); }
std::string Reporter::Text(ByteRange r) { return absl::StrCat("[", r.begin, ",", r.end, ")"); }

}  // namespace bufplan::checker
