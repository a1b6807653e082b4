#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "io/json_dom.h"
#include "io/json_graph.h"
#include "io/json_graph_ops.h"
#include "io/json_text.h"

namespace bufplan {
namespace {

// Attributes are read back as part of a file, so that they may nest a few levels less deep.
constexpr int kMaxAttrsDepth = JsonDocument::kMaxDepth - 4;

class GraphJsonWriter {
 public:
  GraphJsonWriter(const Graph& graph, const GraphJsonOptions& options) : g_(graph), options_(options) {}
  std::string Write();

 private:
  std::string Bytes(const Expr& e) const { return JsonExpr(e, g_.symbols()); }
  std::string Name(ValueId v) const { return JsonString(g_.name(v)); }
  std::string Name(OpId o) const { return JsonString(g_.name(o)); }
  void AddAttrs(absl::string_view attrs, JsonObjectText& object) const;

  std::string SymbolText(const Symbol& s) const;
  std::string SpaceText(SpaceId id) const;
  std::string ValueText(ValueId id) const;
  std::string RegionText(const Region& region) const;
  std::string ReadText(const Read& read) const;
  std::string WriteText(const bufplan::Write& write) const;
  std::string PartText(const Read& read) const;
  std::string OpText(OpId id) const;
  void AddMovement(const Op& op, JsonObjectText& object) const;
  std::string FusionText(const Fusion& fusion) const;
  void WriteConstraints(JsonFileText& file) const;

  const Graph& g_;
  const GraphJsonOptions& options_;
};

template <class IdType, class Range>
std::vector<IdType> Ids(const Range& range) {
  std::vector<IdType> ids;
  ids.reserve(range.size());
  for (size_t i = 0; i < range.size(); ++i) ids.push_back(IdType(static_cast<int32_t>(i)));
  return ids;
}

void GraphJsonWriter::AddAttrs(absl::string_view attrs, JsonObjectText& object) const {
  if (attrs.empty() || !options_.attrs) return;
  const absl::StatusOr<JsonDocument> doc = JsonDocument::Parse(attrs, kMaxAttrsDepth);
  if (doc.ok() && doc->root().kind() == JsonKind::kObject) {
    object.Raw("attrs", doc->Dump(doc->root()));
  } else {
    object.Raw("attrs", JsonObjectText().String("text", attrs).Finish());
  }
}

std::string GraphJsonWriter::SymbolText(const Symbol& s) const {
  JsonObjectText object;
  object.String("name", s.name).Integer("min", s.min).Integer("max", s.max);
  if (s.multiple_of != 1) object.Integer("multiple_of", s.multiple_of);
  return object.Finish();
}

std::string GraphJsonWriter::SpaceText(SpaceId id) const {
  const Space& s = g_.space(id);
  JsonObjectText object;
  object.String("name", g_.name(id)).Integer("alignment", s.alignment_bytes);
  if (s.capacity_bytes.has_value()) object.Integer("capacity", *s.capacity_bytes);
  if (s.max_allocation_bytes.has_value()) object.Integer("max_allocation", *s.max_allocation_bytes);
  if (!s.unified_with.empty()) {
    object.Raw("unified_with", JsonArray(s.unified_with, [&](SpaceId o) { return JsonString(g_.name(o)); }));
  }
  return object.Finish();
}

std::string GraphJsonWriter::ValueText(ValueId id) const {
  const Value& v = g_.value(id);
  JsonObjectText object;
  object.String("name", g_.name(id)).Raw("bytes", Bytes(v.bytes));
  if (v.role != Role::kTransient) object.String("role", RoleWords()[static_cast<size_t>(v.role)]);
  if (v.space != SpaceId(0)) object.String("space", g_.name(v.space));
  if (v.own_alignment_bytes.has_value()) object.Integer("alignment", *v.own_alignment_bytes);
  if (v.pinned_offset_bytes.has_value()) object.Integer("offset", *v.pinned_offset_bytes);
  if (v.preserve) object.Bool("preserve", true);
  if (v.writable) object.Bool("writable", true);
  AddAttrs(g_.attrs_json(id), object);
  return object.Finish();
}

std::string GraphJsonWriter::RegionText(const Region& region) const {
  JsonObjectText object;
  object.Raw("at", Bytes(region.at)).Raw(region.contiguous() ? "bytes" : "run", Bytes(region.run_bytes));
  if (!region.contiguous()) {
    object.Raw("dims", JsonArray(region.dims, [&](const Dim& d) {
                 return absl::StrCat("[", Bytes(d.count), ", ", Bytes(d.stride_bytes), "]");
               }));
  }
  return object.Finish();
}

std::string GraphJsonWriter::ReadText(const Read& read) const {
  if (!read.region.has_value() && !read.strides_ok && read.offset_multiple == 1) return Name(read.value);
  JsonObjectText object;
  object.String("value", g_.name(read.value));
  if (read.region.has_value()) object.Raw("region", RegionText(g_.region(*read.region)));
  if (read.strides_ok) object.Bool("strides_ok", true);
  if (read.offset_multiple != 1) object.Integer("offset_multiple", read.offset_multiple);
  return object.Finish();
}

std::string GraphJsonWriter::WriteText(const bufplan::Write& write) const {
  const absl::Span<const InPlace> in_place = g_.in_place(write);
  if (!write.base.has_value() && !write.region.has_value() && write.cover == Cover::kAll && write.movable &&
      in_place.empty()) {
    return Name(write.value);
  }
  JsonObjectText object;
  object.String("value", g_.name(write.value));
  if (write.base.has_value()) object.String("base", g_.name(*write.base));
  if (write.region.has_value()) object.Raw("region", RegionText(g_.region(*write.region)));
  if (write.cover == Cover::kPart) object.String("cover", "part");
  if (!in_place.empty()) {
    object.Raw(
        "in_place", JsonArray(in_place, [&](const InPlace& p) {
          JsonObjectText permission;
          permission.String("value", g_.name(p.value)).String("mode", InPlaceModeWords()[static_cast<size_t>(p.mode)]);
          return permission.Finish();
        }));
  }
  if (!write.movable) object.Bool("movable", false);
  return object.Finish();
}

std::string GraphJsonWriter::PartText(const Read& read) const {
  JsonObjectText object;
  object.String("from", g_.name(read.value));
  if (read.region.has_value()) object.Raw("from_region", RegionText(g_.region(*read.region)));
  if (read.to_region.has_value()) object.Raw("to_region", RegionText(g_.region(*read.to_region)));
  return object.Finish();
}

// The members of a data movement, in the order of its kind.
void GraphJsonWriter::AddMovement(const Op& op, JsonObjectText& object) const {
  const absl::Span<const Read> reads = g_.reads(op);
  const absl::Span<const bufplan::Write> writes = g_.writes(op);
  const bool has_base = !writes.empty() && writes[0].base.has_value();
  if (has_base) object.String("base", g_.name(*writes[0].base));
  switch (op.kind) {
    case OpKind::kView:
    case OpKind::kSlice:
      object.String("of", g_.name(reads[0].value));
      object.Raw("at", reads[0].region.has_value() ? Bytes(g_.region(*reads[0].region).at) : "0");
      break;
    case OpKind::kClone: object.String("of", g_.name(reads[0].value)); break;
    case OpKind::kUpdate:
      object.String("from", g_.name(reads[0].value));
      object.Raw("at", reads[0].to_region.has_value() ? Bytes(g_.region(*reads[0].to_region).at) : "0");
      break;
    case OpKind::kConcat: object.Raw("from", JsonArray(reads, [&](const Read& r) { return Name(r.value); })); break;
    case OpKind::kCopy: object.Raw("parts", JsonArray(reads, [&](const Read& r) { return PartText(r); })); break;
    case OpKind::kFill:
      if (writes[0].region.has_value()) object.Raw("region", RegionText(g_.region(*writes[0].region)));
      break;
    default:  // transfer, commit
      object.String("from", g_.name(reads[0].value));
      break;
  }
  object.String("to", g_.name(op.kind == OpKind::kCommit ? *op.commit_target : writes[0].value));
}

std::string GraphJsonWriter::OpText(OpId id) const {
  const Op& op = g_.op(id);
  JsonObjectText object;
  object.String("name", g_.name(id));
  if (op.kind != OpKind::kCompute) object.String("kind", OpKindWords()[static_cast<size_t>(op.kind)]);
  if (op.stream != StreamId(0)) object.String("stream", g_.name(op.stream));
  if (op.kind == OpKind::kCompute) {
    object.Raw("reads", JsonArray(g_.reads(op), [&](const Read& r) { return ReadText(r); }));
    object.Raw("writes", JsonArray(g_.writes(op), [&](const bufplan::Write& w) { return WriteText(w); }));
  } else if (op.kind != OpKind::kBarrier) {
    AddMovement(op, object);
  }
  if (op.scratch_bytes != Expr(0)) object.Raw("scratch", Bytes(op.scratch_bytes));
  if (op.elide != Elide::kAuto) object.String("elide", ElideWords()[static_cast<size_t>(op.elide)]);
  AddAttrs(g_.attrs_json(id), object);
  return object.Finish();
}

std::string GraphJsonWriter::FusionText(const Fusion& fusion) const {
  JsonObjectText object;
  object.String("name", fusion.name);
  object.Raw("ops", JsonArray(fusion.ops, [&](OpId o) { return Name(o); }));
  if (fusion.benefit != 1.0) object.Raw("benefit", JsonNumber(fusion.benefit));
  if (fusion.required) object.Bool("required", true);
  if (!fusion.in_place.empty()) {
    object.Raw("in_place", JsonArray(fusion.in_place, [&](const FusionInPlace& p) {
                 JsonObjectText permission;
                 permission.String("result", g_.name(p.result)).String("value", g_.name(p.value));
                 permission.String("mode", InPlaceModeWords()[static_cast<size_t>(p.mode)]);
                 return permission.Finish();
               }));
  }
  return object.Finish();
}

// Writes a list unless it is empty.
template <class Range, class TextOf>
void AddList(absl::string_view key, const Range& range, TextOf text_of, JsonFileText& file) {
  if (range.empty()) return;
  file.BeginList(key);
  for (const auto& element : range) file.Element(text_of(element));
  file.EndList();
}

void GraphJsonWriter::WriteConstraints(JsonFileText& file) const {
  AddList(
      "order", g_.order(),
      [&](const OrderEdge& e) { return absl::StrCat("[", Name(e.before), ", ", Name(e.after), "]"); }, file);
  AddList(
      "keep_alive", g_.keep_alive(),
      [&](const KeepAlive& k) {
        JsonObjectText object;
        object.String("value", g_.name(k.value)).String("until", g_.name(k.until));
        return object.Finish();
      },
      file);
  AddList(
      "disjoint", g_.disjoint(),
      [&](const DisjointPair& d) { return absl::StrCat("[", Name(d.a), ", ", Name(d.b), "]"); }, file);
  AddList(
      "fusions", g_.fusions(), [&](const Fusion& f) { return FusionText(f); }, file);
}

std::string GraphJsonWriter::Write() {
  JsonObjectText head;
  head.String("format", "bufplan.graph").Integer("version", 1).String("name", g_.name());
  AddAttrs(g_.attrs_json(), head);
  JsonFileText file(std::move(head));
  AddList(
      "symbols", g_.symbols(), [&](const Symbol& s) { return SymbolText(s); }, file);
  AddList(
      "spaces", Ids<SpaceId>(g_.spaces()), [&](SpaceId s) { return SpaceText(s); }, file);
  std::vector<StreamId> streams;
  streams.reserve(static_cast<size_t>(g_.num_streams()));
  for (int32_t i = 0; i < g_.num_streams(); ++i) streams.push_back(StreamId(i));
  file.Member("streams", JsonArray(streams, [&](StreamId s) { return JsonString(g_.name(s)); }));
  AddList(
      "values", Ids<ValueId>(g_.values()), [&](ValueId v) { return ValueText(v); }, file);
  AddList(
      "ops", Ids<OpId>(g_.ops()), [&](OpId o) { return OpText(o); }, file);
  WriteConstraints(file);
  file.Member("outputs", JsonArray(g_.outputs(), [&](ValueId v) { return Name(v); }));
  return file.Finish();
}

}  // namespace

std::string WriteGraphJson(const Graph& graph, const GraphJsonOptions& options) {
  return GraphJsonWriter(graph, options).Write();
}

}  // namespace bufplan
