#include "ir/graph_validator.h"

#include <algorithm>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "ir/expr_proof.h"
#include "ir/where.h"

namespace bufplan {
namespace {

constexpr size_t kMaxNameBytes = 1024;
constexpr int64_t kMaxSum = int64_t{1} << 62;  // leaves room for sums of such sums

bool IsPowerOfTwo(int64_t x) { return x > 0 && (x & (x - 1)) == 0; }

// Well-formed UTF-8 without overlong forms and surrogates.
bool IsUtf8(absl::string_view s) {
  for (size_t i = 0; i < s.size();) {
    const unsigned char c = static_cast<unsigned char>(s[i]);
    const size_t length = c < 0x80                  ? 1
                          : (c >= 0xC2 && c < 0xE0) ? 2
                          : (c >= 0xE0 && c < 0xF0) ? 3
                          : (c >= 0xF0 && c < 0xF5) ? 4
                                                    : 0;
    if (length == 0 || i + length > s.size()) return false;
    for (size_t j = 1; j < length; ++j) {
      if ((static_cast<unsigned char>(s[i + j]) & 0xC0) != 0x80) return false;
    }
    const unsigned char second = length > 1 ? static_cast<unsigned char>(s[i + 1]) : 0;
    if ((c == 0xE0 && second < 0xA0) || (c == 0xED && second >= 0xA0) || (c == 0xF0 && second < 0x90) ||
        (c == 0xF4 && second >= 0x90)) {
      return false;
    }
    i += length;
  }
  return true;
}

// Names that the author left out become prefix + index, with as many '_' behind it as it takes to be new.
void FillNames(absl::string_view prefix, std::vector<std::string>& names) {
  if (std::none_of(names.begin(), names.end(), [](const std::string& n) { return n.empty(); })) return;
  absl::flat_hash_set<std::string> taken(names.begin(), names.end());
  for (size_t i = 0; i < names.size(); ++i) {
    if (!names[i].empty()) continue;
    std::string name = absl::StrCat(prefix, i);
    while (!taken.insert(name).second) name += '_';
    names[i] = std::move(name);
  }
}

std::string Shorten(absl::string_view name) {
  return name.size() <= 60 ? std::string(name) : absl::StrCat(name.substr(0, 60), "...");
}

}  // namespace

std::string GraphValidator::Text(ValueId v) const { return absl::StrCat("value \"", g_.name(v), "\""); }
std::string GraphValidator::Text(OpId o) const {
  return absl::StrCat("op \"", g_.name(o), "\" (", ToString(g_.op(o).kind), ")");
}

absl::Status GraphValidator::Finish() {
  AddDefaults();
  DropRepeatedFusions();
  for (auto step : {&GraphValidator::CheckNames, &GraphValidator::ApplyRegions, &GraphValidator::CheckSymbols,
                    &GraphValidator::CheckSpaces, &GraphValidator::CheckValues, &GraphValidator::CheckOps,
                    &GraphValidator::CheckSums, &GraphValidator::CheckOrder, &GraphValidator::CheckKeepAlive,
                    &GraphValidator::CheckDisjoint, &GraphValidator::CheckFusions, &GraphValidator::CheckOutputs}) {
    absl::Status status = (this->*step)();
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

void GraphValidator::AddDefaults() {
  if (g_.spaces_.empty()) {
    g_.spaces_.emplace_back();
    g_.space_names_.emplace_back("device");
  }
  if (g_.stream_names_.empty()) g_.stream_names_.emplace_back("main");
  FillNames("space", g_.space_names_);
  FillNames("stream", g_.stream_names_);
  FillNames("v", g_.value_names_);
  FillNames("op", g_.op_names_);
}

absl::Status GraphValidator::CheckNames() {
  if (g_.values_.size() > INT32_MAX || g_.ops_.size() > INT32_MAX)
    return FaultAt("", "more than 2^31 - 1 values or ops");
  const auto check = [this](absl::string_view list, absl::string_view kind,
                            const std::vector<std::string>& names) -> absl::Status {
    absl::flat_hash_set<absl::string_view> seen;
    seen.reserve(names.size());
    for (size_t i = 0; i < names.size(); ++i) {
      const auto where = [&] {
        return absl::StrCat("/", list, "/", list == "fusions" ? fusion_place_[i] : i, list == "streams" ? "" : "/name");
      };
      if (names[i].empty() || names[i].size() > kMaxNameBytes) {
        return FaultAt(where(), absl::StrCat(kind, " \"", Shorten(names[i]), "\": name has ", names[i].size(),
                                             " bytes, must have 1..", kMaxNameBytes));
      }
      if (!IsUtf8(names[i])) return FaultAt(where(), absl::StrCat(kind, " ", i, ": name is not UTF-8"));
      if (!seen.insert(names[i]).second) {
        return FaultAt(where(), absl::StrCat(kind, " \"", names[i], "\": name is used twice, must be unique"));
      }
    }
    return absl::OkStatus();
  };
  std::vector<std::string> symbol_names, fusion_names;
  for (const Symbol& s : g_.symbols_) symbol_names.push_back(s.name);
  for (const Fusion& f : g_.fusions_) fusion_names.push_back(f.name);
  if (absl::Status s = check("symbols", "symbol", symbol_names); !s.ok()) return s;
  if (absl::Status s = check("fusions", "fusion", fusion_names); !s.ok()) return s;
  if (absl::Status s = check("spaces", "space", g_.space_names_); !s.ok()) return s;
  if (absl::Status s = check("streams", "stream", g_.stream_names_); !s.ok()) return s;
  if (absl::Status s = check("values", "value", g_.value_names_); !s.ok()) return s;
  return check("ops", "op", g_.op_names_);
}

absl::Status GraphValidator::ApplyRegions() {
  return regions_.Apply(g_.op_names_, g_.ops_, g_.stream_names_, g_.order_);
}

absl::Status GraphValidator::CheckSymbols() {
  for (size_t i = 0; i < g_.symbols_.size(); ++i) {
    const Symbol& s = g_.symbols_[i];
    const std::string where = absl::StrCat("/symbols/", i);
    if (!IsSymbolName(s.name)) {
      return FaultAt(where + "/name",
                     absl::StrCat("symbol \"", s.name,
                                  "\": a name in expressions has letters, digits, '_', '.', '$' and does "
                                  "not begin with a digit or '.'"));
    }
    if (s.multiple_of < 1) {
      return FaultAt(where + "/multiple_of",
                     absl::StrCat("symbol \"", s.name, "\": multiple_of=", s.multiple_of, ", must be >= 1"));
    }
    if (s.min > s.max) {
      return FaultAt(where, absl::StrCat("symbol \"", s.name, "\": min=", s.min, " is above max=", s.max));
    }
    if (!RangeOf(s).has_value()) {
      return FaultAt(where, absl::StrCat("symbol \"", s.name, "\": no multiple of ", s.multiple_of, " lies in [", s.min,
                                         ", ", s.max, "]"));
    }
  }
  return absl::OkStatus();
}

absl::Status GraphValidator::CheckSpaces() {
  for (size_t i = 0; i < g_.spaces_.size(); ++i) {
    const Space& s = g_.spaces_[i];
    const std::string where = absl::StrCat("/spaces/", i);
    const std::string who = absl::StrCat("space \"", g_.space_names_[i], "\"");
    if (!IsPowerOfTwo(s.alignment_bytes)) {
      return FaultAt(where + "/alignment",
                     absl::StrCat(who, ": alignment=", s.alignment_bytes, ", must be a power of two"));
    }
    if (s.capacity_bytes.has_value() && *s.capacity_bytes < 0) {
      return FaultAt(where + "/capacity", absl::StrCat(who, ": capacity=", *s.capacity_bytes, ", must be >= 0"));
    }
    if (s.max_allocation_bytes.has_value() && *s.max_allocation_bytes < 1) {
      return FaultAt(where + "/max_allocation",
                     absl::StrCat(who, ": max_allocation=", *s.max_allocation_bytes, ", must be >= 1"));
    }
    for (SpaceId other : s.unified_with) {
      if (other.index() >= g_.spaces_.size() || other.index() == i) {
        return FaultAt(where + "/unified_with", absl::StrCat(who, ": unified_with names itself or an unknown space"));
      }
    }
  }
  // unified_with is an equivalence: close it, so that the author may state it in one direction only.
  std::vector<size_t> root(g_.spaces_.size());
  for (size_t i = 0; i < root.size(); ++i) root[i] = i;
  for (size_t i = 0; i < root.size(); ++i) {
    for (SpaceId other : g_.spaces_[i].unified_with) {
      const size_t from = std::max(root[i], root[other.index()]), to = std::min(root[i], root[other.index()]);
      std::replace(root.begin(), root.end(), from, to);
    }
  }
  for (size_t i = 0; i < root.size(); ++i) {
    g_.spaces_[i].unified_with.clear();
    for (size_t j = 0; j < root.size(); ++j) {
      if (j != i && root[j] == root[i]) g_.spaces_[i].unified_with.push_back(SpaceId(static_cast<int32_t>(j)));
    }
  }
  return absl::OkStatus();
}

absl::Status GraphValidator::CheckValues() {
  for (size_t i = 0; i < g_.values_.size(); ++i) {
    if (absl::Status s = CheckValue(ValueId(static_cast<int32_t>(i))); !s.ok()) return s;
  }
  return absl::OkStatus();
}

absl::Status GraphValidator::CheckValue(ValueId id) {
  Value& v = g_.values_[id.index()];
  const std::string where = absl::StrCat("/values/", id.index());
  if (v.space.index() >= g_.spaces_.size()) return FaultAt(where + "/space", absl::StrCat(Text(id), ": unknown space"));
  if (!v.bytes.valid()) {
    return FaultAt(where + "/bytes", absl::StrCat(Text(id), ": bytes: ", v.bytes.error()));
  }
  const std::optional<SymbolId> symbol = v.bytes.MaxSymbol();
  if (symbol.has_value() && symbol->index() >= g_.symbols_.size()) {
    return FaultAt(where + "/bytes", absl::StrCat(Text(id), ": bytes uses an unknown symbol"));
  }
  const std::optional<Bounds> bounds = BoundsOf(v.bytes, g_.symbols_);
  if (!bounds.has_value()) {
    return FaultAt(where + "/bytes", absl::StrCat(Text(id), ": bytes=", Text(v.bytes),
                                                  " exceeds 64 bits or divides by zero for some symbol value"));
  }
  if (bounds->min < 0) {
    return FaultAt(where + "/bytes",
                   v.bytes.is_constant()
                       ? absl::StrCat(Text(id), ": bytes=", bounds->min, ", must be >= 0")
                       : absl::StrCat(Text(id), ": bytes=", Text(v.bytes), " can be ", bounds->min, ", must be >= 0"));
  }
  v.max_bytes = bounds->max;
  if (v.own_alignment_bytes.has_value() && !IsPowerOfTwo(*v.own_alignment_bytes)) {
    return FaultAt(where + "/alignment",
                   absl::StrCat(Text(id), ": alignment=", *v.own_alignment_bytes, ", must be a power of two"));
  }
  v.alignment_bytes = v.own_alignment_bytes.value_or(g_.space(v.space).alignment_bytes);
  if (v.preserve && v.role != Role::kInput) {
    return FaultAt(where + "/preserve",
                   absl::StrCat(Text(id), ": preserve is for inputs, this is a ", ToString(v.role)));
  }
  if (v.writable && v.role != Role::kExternal) {
    return FaultAt(where + "/writable",
                   absl::StrCat(Text(id), ": writable is for externals, this is a ", ToString(v.role)));
  }
  return v.pinned_offset_bytes.has_value() ? CheckPin(id) : absl::OkStatus();
}

absl::Status GraphValidator::CheckPin(ValueId id) {
  const Value& v = g_.values_[id.index()];
  const std::string where = absl::StrCat("/values/", id.index(), "/offset");
  const std::string who = absl::StrCat(Text(id), ": offset=", *v.pinned_offset_bytes);
  if (v.role != Role::kTransient && v.role != Role::kInput) {
    return FaultAt(where, absl::StrCat(who, ": only values in the arena can be pinned, this is a ", ToString(v.role)));
  }
  if (*v.pinned_offset_bytes < 0) return FaultAt(where, absl::StrCat(who, ", must be >= 0"));
  if (*v.pinned_offset_bytes % v.alignment_bytes != 0) {
    return FaultAt(where, absl::StrCat(who, ", must be a multiple of its alignment ", v.alignment_bytes));
  }
  int64_t end = 0;
  if (__builtin_add_overflow(*v.pinned_offset_bytes, v.max_bytes, &end)) {
    return FaultAt(where, absl::StrCat(who, " plus ", v.max_bytes, " bytes exceeds 64 bits"));
  }
  const Space& space = g_.space(v.space);
  const int64_t limit =
      std::min(space.capacity_bytes.value_or(INT64_MAX), space.max_allocation_bytes.value_or(INT64_MAX));
  if (end > limit) {
    return FaultAt(where, absl::StrCat(who, " plus ", v.max_bytes, " bytes ends at ", end, ", above the ", limit,
                                       " bytes of space \"", g_.name(v.space), "\""));
  }
  return absl::OkStatus();
}

// What every later sum of sizes relies on: all values of an arena, each padded to its alignment, and all pins fit in 62
// bits together.
absl::Status GraphValidator::CheckSums() {
  std::vector<int64_t> sum(g_.spaces_.size(), 0);
  const auto add = [&](SpaceId space, int64_t bytes, int64_t alignment, int64_t pin) {
    int64_t padded = 0;
    if (__builtin_add_overflow(bytes, alignment - 1, &padded)) return false;
    padded &= ~(alignment - 1);
    int64_t& total = sum[space.index()];
    return !__builtin_add_overflow(total, padded, &total) && !__builtin_add_overflow(total, pin, &total) &&
           total <= kMaxSum;
  };
  for (size_t i = 0; i < g_.values_.size(); ++i) {
    const ValueId id(static_cast<int32_t>(i));
    const Value& v = g_.values_[i];
    const std::optional<OpId> producer = g_.producer(id);
    const bool view = producer.has_value() && g_.op(*producer).kind == OpKind::kView;
    if (view && v.pinned_offset_bytes.has_value()) {
      return FaultAt(absl::StrCat("/values/", i, "/offset"), absl::StrCat(Text(id), ": a view cannot be pinned"));
    }
    if (view) continue;
    if (!add(v.space, v.max_bytes, v.alignment_bytes, v.pinned_offset_bytes.value_or(0))) {
      return FaultAt(absl::StrCat("/values/", i, "/bytes"),
                     absl::StrCat(Text(id), ": with its ", v.max_bytes, " bytes (alignment ", v.alignment_bytes,
                                  ") the sizes in space \"", g_.name(v.space), "\" add up to more than 2^62"));
    }
    const std::optional<int64_t> limit = g_.space(v.space).max_allocation_bytes;
    const bool in_arena = v.role == Role::kTransient || v.role == Role::kInput;
    if (in_arena && limit.has_value() && v.max_bytes > *limit) {
      return FaultAt(absl::StrCat("/values/", i, "/bytes"),
                     absl::StrCat(Text(id), ": bytes=", v.max_bytes, ", above max_allocation=", *limit, " of space \"",
                                  g_.name(v.space), "\""));
    }
  }
  for (size_t i = 0; i < g_.ops_.size(); ++i) {
    const Op& op = g_.ops_[i];
    const Space& space = g_.space(op.scratch_space);
    const OpId id(static_cast<int32_t>(i));
    if (!add(op.scratch_space, op.max_scratch_bytes, space.alignment_bytes, 0)) {
      return FaultAt(
          absl::StrCat("/ops/", i, "/scratch"),
          absl::StrCat(Text(id), ": with its ", op.max_scratch_bytes, " bytes of scratch the sizes in space \"",
                       g_.name(op.scratch_space), "\" add up to more than 2^62"));
    }
    if (space.max_allocation_bytes.has_value() && op.max_scratch_bytes > *space.max_allocation_bytes) {
      return FaultAt(absl::StrCat("/ops/", i, "/scratch"),
                     absl::StrCat(Text(id), ": scratch=", op.max_scratch_bytes, ", above max_allocation=",
                                  *space.max_allocation_bytes, " of space \"", g_.name(op.scratch_space), "\""));
    }
  }
  return absl::OkStatus();
}

absl::Status GraphValidator::CheckOrder() {
  for (size_t i = 0; i < g_.order_.size(); ++i) {
    const OrderEdge& e = g_.order_[i];
    const std::string where = absl::StrCat("/order/", i);
    if (!Known(e.before) || !Known(e.after)) return FaultAt(where, "order edge: unknown op");
    if (e.before >= e.after) {
      return FaultAt(where, absl::StrCat("order edge: ", Text(e.before), " must come before ", Text(e.after),
                                         ", but the list of ops has them the other way round"));
    }
    if (g_.op(e.before).stream != g_.op(e.after).stream) {
      g_.cross_stream_edges_.emplace_back(e.before.index(), e.after.index());
    }
  }
  std::sort(g_.order_.begin(), g_.order_.end());
  g_.order_.erase(std::unique(g_.order_.begin(), g_.order_.end()), g_.order_.end());
  std::vector<int32_t> streams(g_.ops_.size());
  for (size_t i = 0; i < streams.size(); ++i) streams[i] = static_cast<int32_t>(g_.ops_[i].stream.index());
  std::vector<std::pair<int32_t, int32_t>>& edges = g_.cross_stream_edges_;
  std::sort(edges.begin(), edges.end());
  edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
  absl::StatusOr<HappensBefore> hb = HappensBefore::Create(streams, g_.num_streams(), edges);
  if (!hb.ok()) return hb.status();
  g_.happens_before_ = *std::move(hb);
  return absl::OkStatus();
}

absl::Status GraphValidator::CheckKeepAlive() {
  for (size_t i = 0; i < g_.keep_alive_.size(); ++i) {
    const KeepAlive& k = g_.keep_alive_[i];
    const std::string where = absl::StrCat("/keep_alive/", i);
    if (!Known(k.value)) return FaultAt(where + "/value", "keep_alive: unknown value");
    if (!Known(k.until))
      return FaultAt(where + "/until", absl::StrCat("keep_alive of ", Text(k.value), ": unknown op"));
    const std::optional<OpId> producer = g_.producer(k.value);
    if (!producer.has_value() || *producer == k.until) continue;
    if (!g_.happens_before_.Before(producer->index(), k.until.index())) {
      return FaultAt(where + "/until", absl::StrCat("keep_alive of ", Text(k.value), " until ", Text(k.until),
                                                    ": its producer ", Text(*producer), " is not ordered before that"));
    }
  }
  std::sort(g_.keep_alive_.begin(), g_.keep_alive_.end());
  g_.keep_alive_.erase(std::unique(g_.keep_alive_.begin(), g_.keep_alive_.end()), g_.keep_alive_.end());
  return absl::OkStatus();
}

absl::Status GraphValidator::CheckDisjoint() {
  for (size_t i = 0; i < g_.disjoint_.size(); ++i) {
    DisjointPair& d = g_.disjoint_[i];
    const std::string where = absl::StrCat("/disjoint/", i);
    if (!Known(d.a) || !Known(d.b)) return FaultAt(where, "disjoint: unknown value");
    if (d.a == d.b) return FaultAt(where, absl::StrCat("disjoint: ", Text(d.a), " is paired with itself"));
    if (absl::Status s = CheckNoCommonBytes(where, d.a, d.b); !s.ok()) return s;
    if (d.b < d.a) std::swap(d.a, d.b);
  }
  std::sort(g_.disjoint_.begin(), g_.disjoint_.end());
  g_.disjoint_.erase(std::unique(g_.disjoint_.begin(), g_.disjoint_.end()), g_.disjoint_.end());
  return absl::OkStatus();
}

// Views of one value share bytes for good, unless their places are apart.
absl::Status GraphValidator::CheckNoCommonBytes(absl::string_view where, ValueId a, ValueId b) {
  const auto root = [&](ValueId v) {
    Expr offset = 0;
    for (std::optional<OpId> op = g_.producer(v); op.has_value() && g_.op(*op).kind == OpKind::kView;
         op = g_.producer(v)) {
      const Read& read = g_.reads(g_.op(*op))[0];
      offset += g_.region(*read.region).at;
      v = read.value;
    }
    return std::make_pair(v, offset);
  };
  const auto [root_a, at_a] = root(a);
  const auto [root_b, at_b] = root(b);
  if (root_a != root_b || ProveDisjoint(at_a, at_a + g_.value(a).bytes, at_b, at_b + g_.value(b).bytes, g_.symbols_)) {
    return absl::OkStatus();
  }
  return FaultAt(where, absl::StrCat("disjoint: ", Text(a), " and ", Text(b), " are the same bytes of ", Text(root_a),
                                     " in part: one is a view of the other, or both of it"));
}

absl::Status GraphValidator::CheckOutputs() {
  absl::flat_hash_set<int32_t> seen;
  for (size_t i = 0; i < g_.outputs_.size(); ++i) {
    const ValueId v = g_.outputs_[i];
    const std::string where = absl::StrCat("/outputs/", i);
    if (!Known(v)) return FaultAt(where, "outputs: unknown value");
    if (!seen.insert(v.value).second) return FaultAt(where, absl::StrCat("outputs: ", Text(v), " is listed twice"));
  }
  return absl::OkStatus();
}

}  // namespace bufplan
