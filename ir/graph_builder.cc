#include "ir/graph_builder.h"

#include <utility>

#include "ir/graph_validator.h"

namespace bufplan {

GraphBuilder::GraphBuilder(absl::string_view name) { graph_.name_ = std::string(name); }

void GraphBuilder::SetAttrs(std::string attrs_json) { graph_.attrs_json_ = std::move(attrs_json); }

Expr GraphBuilder::AddSymbol(absl::string_view name, int64_t min, int64_t max, int64_t multiple_of) {
  graph_.symbols_.push_back({std::string(name), min, max, multiple_of});
  return Expr::FromSymbol(SymbolId(static_cast<int32_t>(graph_.symbols_.size()) - 1));
}

SpaceId GraphBuilder::AddSpace(absl::string_view name, Space space) {
  graph_.spaces_.push_back(std::move(space));
  graph_.space_names_.emplace_back(name);
  return SpaceId(static_cast<int32_t>(graph_.spaces_.size()) - 1);
}

StreamId GraphBuilder::AddStream(absl::string_view name) {
  graph_.stream_names_.emplace_back(name);
  return StreamId(static_cast<int32_t>(graph_.stream_names_.size()) - 1);
}

ValueId GraphBuilder::Input(absl::string_view name, Expr bytes, ValueOptions options) {
  return AddValue(name, std::move(bytes), Role::kInput, std::move(options));
}
ValueId GraphBuilder::Constant(absl::string_view name, Expr bytes, ValueOptions options) {
  return AddValue(name, std::move(bytes), Role::kConstant, std::move(options));
}
ValueId GraphBuilder::External(absl::string_view name, Expr bytes, ValueOptions options) {
  return AddValue(name, std::move(bytes), Role::kExternal, std::move(options));
}
ValueId GraphBuilder::Variable(absl::string_view name, Expr bytes, ValueOptions options) {
  return AddValue(name, std::move(bytes), Role::kVariable, std::move(options));
}

ValueId GraphBuilder::AddValue(absl::string_view name, Expr bytes, Role role, ValueOptions options) {
  const ValueId id(static_cast<int32_t>(graph_.values_.size()));
  Value& v = graph_.values_.emplace_back();
  v.bytes = std::move(bytes);
  v.space = options.space;
  v.own_alignment_bytes = options.alignment_bytes;
  v.pinned_offset_bytes = options.pinned_offset_bytes;
  v.role = role;
  v.preserve = options.preserve;
  v.writable = options.writable;
  graph_.value_names_.emplace_back(name);
  if (!options.attrs_json.empty()) {
    graph_.value_attrs_.resize(id.index() + 1);
    graph_.value_attrs_.back() = std::move(options.attrs_json);
  }
  return id;
}

RegionId GraphBuilder::AddRegion(Region region) {
  graph_.regions_.push_back(std::move(region));
  return RegionId(static_cast<int32_t>(graph_.regions_.size()) - 1);
}

ValueId GraphBuilder::ResultValue(const Target& to, const Expr& bytes) {
  return to.value.has_value() ? *to.value : AddValue(to.name, bytes, Role::kTransient, to.options);
}

OpId GraphBuilder::StartOp(absl::string_view name, OpKind kind, OpOptions options) {
  const OpId id(static_cast<int32_t>(graph_.ops_.size()));
  Op& op = graph_.ops_.emplace_back();
  op.kind = kind;
  op.elide = options.elide;
  op.stream = options.stream;
  op.scratch_bytes = std::move(options.scratch_bytes);
  op.first_read = static_cast<uint32_t>(graph_.reads_.size());
  op.first_write = static_cast<uint32_t>(graph_.writes_.size());
  graph_.op_names_.emplace_back(name);
  if (!options.attrs_json.empty()) {
    graph_.op_attrs_.resize(id.index() + 1);
    graph_.op_attrs_.back() = std::move(options.attrs_json);
  }
  return id;
}

void GraphBuilder::AddRead(ValueId value, std::optional<Region> region, std::optional<Region> to_region,
                           bool strides_ok, int64_t offset_multiple) {
  Read& r = graph_.reads_.emplace_back();
  r.value = value;
  if (region.has_value()) r.region = AddRegion(*std::move(region));
  if (to_region.has_value()) r.to_region = AddRegion(*std::move(to_region));
  r.strides_ok = strides_ok;
  r.offset_multiple = offset_multiple;
  ++graph_.ops_.back().num_reads;
}

void GraphBuilder::AddWrite(ValueId value, std::optional<ValueId> base, std::optional<Region> region) {
  Write& w = graph_.writes_.emplace_back();
  w.value = value;
  w.base = base;
  if (region.has_value()) w.region = AddRegion(*std::move(region));
  w.first_in_place = static_cast<uint32_t>(graph_.in_place_.size());
  ++graph_.ops_.back().num_writes;
}

Results GraphBuilder::Compute(absl::string_view name, ComputeSpec spec) {
  std::vector<ValueId> ids;
  ids.reserve(spec.writes.size());
  for (Result& r : spec.writes) {
    ids.push_back(r.value.has_value() ? *r.value : AddValue(r.name, r.bytes, Role::kTransient, std::move(r.options)));
  }
  StartOp(name, OpKind::kCompute, std::move(spec.options));
  for (Operand& o : spec.reads) {
    AddRead(o.value, std::move(o.region), std::nullopt, o.strides_ok, o.offset_multiple);
  }
  for (size_t i = 0; i < spec.writes.size(); ++i) {
    Result& r = spec.writes[i];
    AddWrite(ids[i], r.base, std::move(r.region));
    Write& w = graph_.writes_.back();
    w.cover = r.cover;
    w.movable = r.movable;
    w.num_in_place = static_cast<uint32_t>(r.in_place.size());
    for (const InPlaceOf& p : r.in_place) graph_.in_place_.push_back({p.value, p.mode});
  }
  return Results(std::move(ids));
}

ValueId GraphBuilder::View(absl::string_view name, ValueId of, Expr at, Expr bytes, Target to, OpOptions options) {
  const ValueId result = ResultValue(to, bytes);
  StartOp(name, OpKind::kView, std::move(options));
  AddRead(of, Region{std::move(at), this->bytes(result), {}}, std::nullopt);
  AddWrite(result);
  return result;
}

ValueId GraphBuilder::Slice(absl::string_view name, ValueId of, Expr at, Expr bytes, Target to, OpOptions options) {
  const ValueId result = View(name, of, std::move(at), std::move(bytes), std::move(to), std::move(options));
  graph_.ops_.back().kind = OpKind::kSlice;
  return result;
}

ValueId GraphBuilder::Clone(absl::string_view name, ValueId of, Target to, OpOptions options) {
  const ValueId result = ResultValue(to, bytes(of));
  StartOp(name, OpKind::kClone, std::move(options));
  AddRead(of, std::nullopt, std::nullopt);
  AddWrite(result);
  return result;
}

ValueId GraphBuilder::Update(absl::string_view name, ValueId base, ValueId from, Expr at, Target to,
                             OpOptions options) {
  const ValueId result = ResultValue(to, bytes(base));
  StartOp(name, OpKind::kUpdate, std::move(options));
  AddRead(from, std::nullopt, Region{std::move(at), bytes(from), {}});
  AddWrite(result, base);
  return result;
}

ValueId GraphBuilder::Concat(absl::string_view name, absl::Span<const ValueId> from, Target to, OpOptions options) {
  Expr total = 0;
  for (ValueId v : from) total += bytes(v);
  const ValueId result = ResultValue(to, total);
  StartOp(name, OpKind::kConcat, std::move(options));
  Expr at = 0;
  for (ValueId v : from) {
    AddRead(v, std::nullopt, Region{at, bytes(v), {}});
    at += bytes(v);
  }
  AddWrite(result);
  return result;
}

ValueId GraphBuilder::Copy(absl::string_view name, std::vector<CopyPart> parts, std::optional<ValueId> base, Expr bytes,
                           Target to, OpOptions options) {
  const ValueId result = ResultValue(to, bytes);
  StartOp(name, OpKind::kCopy, std::move(options));
  for (CopyPart& p : parts) AddRead(p.from, std::move(p.from_region), std::move(p.to_region));
  AddWrite(result, base);
  return result;
}

ValueId GraphBuilder::Fill(absl::string_view name, std::optional<ValueId> base, std::optional<Region> region,
                           Expr bytes, Target to, OpOptions options) {
  const ValueId result = ResultValue(to, bytes);
  StartOp(name, OpKind::kFill, std::move(options));
  AddWrite(result, base, std::move(region));
  return result;
}

ValueId GraphBuilder::Transfer(absl::string_view name, ValueId from, Target to, OpOptions options) {
  const ValueId result = ResultValue(to, bytes(from));
  StartOp(name, OpKind::kTransfer, std::move(options));
  AddRead(from, std::nullopt, std::nullopt);
  AddWrite(result);
  return result;
}

OpId GraphBuilder::Commit(absl::string_view name, ValueId from, ValueId to, OpOptions options) {
  const OpId id = StartOp(name, OpKind::kCommit, std::move(options));
  AddRead(from, std::nullopt, std::nullopt);
  graph_.ops_.back().commit_target = to;
  return id;
}

OpId GraphBuilder::Barrier(absl::string_view name, OpOptions options) {
  return StartOp(name, OpKind::kBarrier, std::move(options));
}

void GraphBuilder::Order(OpId before, OpId after) { graph_.order_.push_back({before, after}); }
void GraphBuilder::KeepAliveUntil(ValueId value, OpId until) { graph_.keep_alive_.push_back({value, until}); }
void GraphBuilder::Disjoint(ValueId a, ValueId b) { graph_.disjoint_.push_back({a, b}); }
ConcurrentId GraphBuilder::OpenConcurrent(OpId fork) { return regions_.Open(fork); }
void GraphBuilder::AddToBranch(ConcurrentId region, int32_t branch, OpId op) {
  regions_.AddToBranch(region, branch, op);
}
void GraphBuilder::CloseConcurrent(ConcurrentId region, OpId join) { regions_.Close(region, join); }
void GraphBuilder::AddFusion(Fusion fusion) { graph_.fusions_.push_back(std::move(fusion)); }
void GraphBuilder::Output(ValueId value) { graph_.outputs_.push_back(value); }

absl::StatusOr<Graph> GraphBuilder::Build() && {
  absl::Status status = GraphValidator(graph_, regions_).Finish();
  if (!status.ok()) return status;
  return std::move(graph_);
}

}  // namespace bufplan
