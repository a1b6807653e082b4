#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "io/fingerprint.h"
#include "io/json_plan.h"
#include "io/json_plan_words.h"
#include "io/json_text.h"

namespace bufplan {
namespace {

class PlanJsonWriter {
 public:
  PlanJsonWriter(const Graph& graph, const Plan& plan) : g_(graph), p_(plan) {
    for (size_t i = 0; i < g_.spaces().size(); ++i) {
      space_names_.insert(g_.name(SpaceId(static_cast<int32_t>(i))));
    }
  }
  std::string Write();

 private:
  std::string Name(OpId o) const { return JsonString(g_.name(o)); }
  std::string NameOrNull(const std::optional<OpId>& o) const { return o.has_value() ? Name(*o) : "null"; }
  std::string Number(const Expr& e) const { return JsonExpr(e, g_.symbols()); }
  void AddPlace(const Location& location, JsonObjectText& object) const;
  std::string ArenaText(const Arena& a) const;
  std::string ValueText(size_t i) const;
  std::string StatsText() const;
  void WriteOps(JsonFileText& file) const;
  void WriteFused(JsonFileText& file) const;

  const Graph& g_;
  const Plan& p_;
  absl::flat_hash_set<absl::string_view> space_names_;
};

void PlanJsonWriter::AddPlace(const Location& location, JsonObjectText& object) const {
  switch (location.kind) {
    case Location::Kind::kNone: object.Raw("in", "null"); return;
    case Location::Kind::kArena: object.String("in", g_.name(location.space())); break;
    case Location::Kind::kCaller:
      object.String("in", g_.name(location.owner()));
      if (space_names_.contains(g_.name(location.owner()))) object.Bool("owner", true);
      break;
  }
  if (location.chunk != 0) object.Integer("chunk", location.chunk);
  object.Raw("offset", Number(location.offset_bytes));
  if (location.strides == nullptr) return;
  object.Raw("run", Number(location.strides->run_bytes));
  object.Raw("dims", JsonArray(location.strides->dims, [&](const Dim& d) {
               return absl::StrCat("[", Number(d.count), ", ", Number(d.stride_bytes), "]");
             }));
}

std::string PlanJsonWriter::ArenaText(const Arena& a) const {
  JsonObjectText object;
  object.String("space", g_.name(a.space)).Integer("bytes", a.bytes).Integer("lower_bound", a.lower_bound);
  object.String("bound", BoundWords()[static_cast<size_t>(a.bound)]).Bool("optimal", a.optimal);
  object.Raw("chunks", JsonArray(a.chunks, [](int64_t bytes) { return absl::StrCat(bytes); }));
  return object.Finish();
}

std::string PlanJsonWriter::ValueText(size_t i) const {
  JsonObjectText object;
  object.String("name", g_.name(ValueId(static_cast<int32_t>(i))));
  AddPlace(p_.locations[i], object);
  const LiveRange live = i < p_.live.size() ? p_.live[i] : LiveRange();
  object.Raw("first", NameOrNull(live.first)).Raw("last", NameOrNull(live.last));
  return object.Finish();
}

// Notes and scratch, both ascending by op, merged.
void PlanJsonWriter::WriteOps(JsonFileText& file) const {
  file.BeginList("ops");
  size_t note = 0, scratch = 0;
  while (note < p_.notes.size() || scratch < p_.scratch.size()) {
    const bool has_note =
        note < p_.notes.size() && (scratch == p_.scratch.size() || p_.notes[note].op <= p_.scratch[scratch].op);
    const OpId op = has_note ? p_.notes[note].op : p_.scratch[scratch].op;
    const Action action = has_note ? p_.notes[note].action : Action::kRun;
    JsonObjectText object;
    object.String("name", g_.name(op)).String("action", ActionWords()[static_cast<size_t>(action)]);
    if (has_note) {
      const Note& n = p_.notes[note++];
      if (n.result.has_value()) object.String("result", g_.name(*n.result));
      object.String("why", WhyText(g_, n));
    }
    if (scratch < p_.scratch.size() && p_.scratch[scratch].op == op) {
      JsonObjectText place;
      AddPlace(p_.scratch[scratch++].location, place);
      object.Raw("scratch", place.Finish());
    }
    file.Element(object.Finish());
  }
  file.EndList();
}

void PlanJsonWriter::WriteFused(JsonFileText& file) const {
  file.BeginList("fused");
  for (const FusionDecision& d : p_.fused) {
    const Fusion& fusion = g_.fusions()[d.fusion.index()];
    JsonObjectText object;
    object.String("name", fusion.name).Raw("ops", JsonArray(fusion.ops, [&](OpId o) { return Name(o); }));
    object.String("action", FusionWords()[d.fused ? 1 : 0]);
    if (d.fused) object.Raw("at", Name(fusion.at));
    object.Integer("cost_bytes", d.cost_bytes);
    if (!d.why.empty()) object.String("why", d.why);
    file.Element(object.Finish());
  }
  file.EndList();
}

std::string PlanJsonWriter::StatsText() const {
  const PlanStats& s = p_.stats;
  JsonObjectText object;
  object.Integer("copies_elided", s.copies_elided).Integer("copies_kept", s.copies_kept);
  object.Integer("bytes_copied", s.bytes_copied).Integer("bytes_not_copied", s.bytes_not_copied);
  object.Integer("sum_bytes", s.sum_bytes).Raw("peak_op", NameOrNull(s.peak_op));
  object.Raw("live_at_peak", JsonArray(s.live_at_peak, [&](ValueId v) { return JsonString(g_.name(v)); }));
  return object.Finish();
}

std::string PlanJsonWriter::Write() {
  JsonFileText file(
      PlanHead(p_.graph_name, p_.fingerprint.empty() ? Fingerprint(g_) : p_.fingerprint, p_.options, p_.optimal));
  file.BeginList("arenas");
  for (const Arena& a : p_.arenas) file.Element(ArenaText(a));
  file.EndList();
  file.BeginList("values");
  for (size_t i = 0; i < p_.locations.size(); ++i) file.Element(ValueText(i));
  file.EndList();
  WriteOps(file);
  WriteFused(file);
  file.BeginList("order");
  for (const AddedEdge& e : p_.added_order) {
    JsonObjectText object;
    object.String("before", g_.name(e.before)).String("after", g_.name(e.after)).String("why", e.why);
    file.Element(object.Finish());
  }
  file.EndList();
  file.Member("stats", StatsText());
  return file.Finish();
}

}  // namespace

std::string WritePlanJson(const Graph& graph, const Plan& plan) { return PlanJsonWriter(graph, plan).Write(); }

}  // namespace bufplan
