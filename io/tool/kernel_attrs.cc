#include "io/tool/kernel_attrs.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "gpu_runtime/kernels/half.h"
#include "gpu_runtime/kernels/mix.h"
#include "gpu_runtime/registry/find_kernel.h"
#include "gpu_runtime/registry/kernel_definition.h"
#include "io/explain/nearest_names.h"
#include "io/explain/text_table.h"
#include "io/json_dom.h"
#include "io/json_text.h"
#include "ir/expr.h"

namespace bufplan {
namespace {

using runtime::ElementType;
using runtime::KernelSpec;

absl::Status Fault(const std::string& who, absl::string_view what) {
  return absl::InvalidArgumentError(absl::StrCat(who, ": ", what));
}

// The member of that name of a JSON object's text; absent if there is none.
absl::StatusOr<std::optional<JsonDocument>> Member(absl::string_view attrs, absl::string_view name) {
  if (attrs.empty()) return std::optional<JsonDocument>();
  const absl::StatusOr<JsonDocument> doc = JsonDocument::Parse(attrs);
  if (!doc.ok()) return doc.status();
  if (doc->root().kind() != JsonKind::kObject) return std::optional<JsonDocument>();
  for (JsonValue member : doc->root()) {
    if (member.key() != name) continue;
    absl::StatusOr<JsonDocument> inner = JsonDocument::Parse(doc->Dump(member));
    if (!inner.ok()) return inner.status();
    return std::optional<JsonDocument>(*std::move(inner));
  }
  return std::optional<JsonDocument>();
}

std::optional<double> NumberOf(JsonValue value) {
  if (value.kind() == JsonKind::kInteger) return static_cast<double>(value.integer());
  double d = 0;
  if (value.kind() == JsonKind::kNumber && absl::SimpleAtod(value.text(), &d) && std::isfinite(d)) return d;
  return std::nullopt;
}

std::optional<ElementType> TypeOf(absl::string_view text) {
  if (text == "f32") return ElementType::kF32;
  if (text == "f16") return ElementType::kF16;
  if (text == "bf16") return ElementType::kBF16;
  return std::nullopt;
}
absl::string_view NameOf(ElementType type) {
  return type == ElementType::kF32 ? "f32" : type == ElementType::kF16 ? "f16" : "bf16";
}

class SpecReader {
 public:
  SpecReader(const Graph& graph, OpId op)
      : graph_(graph), who_(absl::StrCat("op ", InQuotes(graph.name(op)), ", attribute \"kernel\"")) {}

  absl::StatusOr<KernelSpec> Read(JsonValue object) {
    if (object.kind() != JsonKind::kObject) return Fault(who_, "is no object");
    KernelSpec spec;
    for (JsonValue member : object) {
      if (member.key() == "name" && member.kind() == JsonKind::kString) spec.kernel = std::string(member.text());
    }
    if (spec.kernel.empty()) return Fault(who_, "has no \"name\"");
    const runtime::KernelDefinition* definition = runtime::FindKernel(spec.kernel);
    if (definition == nullptr) {
      std::vector<absl::string_view> known;
      for (const runtime::KernelDefinition& d : runtime::AllKernels()) known.push_back(d.name);
      const std::string hint = DidYouMean(spec.kernel, known);
      return Fault(who_, absl::StrCat("there is no kernel ", InQuotes(spec.kernel),
                                      hint.empty() ? absl::StrCat("; there are ", absl::StrJoin(known, ", ")) : hint));
    }
    for (JsonValue member : object) {
      if (member.key() == "name") continue;
      if (absl::Status s = ReadParameter(*definition, member, spec); !s.ok()) return s;
    }
    return spec;
  }

 private:
  // An offset of an operand or a result is a parameter of every kernel.
  static bool IsOffset(const runtime::KernelDefinition& definition, absl::string_view name) {
    const auto named = [&](const runtime::OperandName& o) { return o.offset == name; };
    return std::any_of(definition.reads.begin(), definition.reads.end(), named) ||
           std::any_of(definition.writes.begin(), definition.writes.end(), named);
  }

  absl::Status ReadParameter(const runtime::KernelDefinition& definition, JsonValue value, KernelSpec& spec) const {
    const std::string name(value.key());
    runtime::ParameterKind kind = runtime::ParameterKind::kInteger;
    if (!IsOffset(definition, name)) {
      std::vector<absl::string_view> known;
      bool found = false;
      for (const runtime::Parameter& p : definition.parameters) {
        known.push_back(p.name);
        if (p.name == name) kind = p.kind, found = true;
      }
      if (!found) {
        return Fault(
            who_, absl::StrCat(InQuotes(spec.kernel), " has no parameter ", InQuotes(name), DidYouMean(name, known)));
      }
    }
    switch (kind) {
      case runtime::ParameterKind::kInteger: return ReadInteger(name, value, spec);
      case runtime::ParameterKind::kReal: {
        const std::optional<double> number = NumberOf(value);
        if (!number.has_value()) return Wrong(name, value, "a number");
        spec.reals[name] = *number;
        return absl::OkStatus();
      }
      case runtime::ParameterKind::kType: {
        const std::optional<ElementType> type = value.kind() == JsonKind::kString ? TypeOf(value.text()) : std::nullopt;
        if (!type.has_value()) {
          return Fault(who_, absl::StrCat(InQuotes(name), " is ",
                                          value.kind() == JsonKind::kString ? InQuotes(value.text())
                                                                            : std::string(value.KindName()),
                                          ", must be \"f32\", \"f16\" or \"bf16\""));
        }
        spec.types[name] = *type;
        return absl::OkStatus();
      }
    }
    return absl::OkStatus();
  }

  absl::Status ReadInteger(const std::string& name, JsonValue value, KernelSpec& spec) const {
    if (value.kind() == JsonKind::kInteger) {
      spec.integers[name] = Expr(value.integer());
      return absl::OkStatus();
    }
    if (value.kind() == JsonKind::kTrue || value.kind() == JsonKind::kFalse) {
      spec.integers[name] = Expr(value.kind() == JsonKind::kTrue ? 1 : 0);
      return absl::OkStatus();
    }
    if (value.kind() != JsonKind::kString) return Wrong(name, value, "an integer or an expression");
    const absl::StatusOr<Expr> expr = ParseExpr(value.text(), graph_.symbols());
    if (!expr.ok()) return Fault(who_, absl::StrCat(InQuotes(name), ": ", expr.status().message()));
    spec.integers[name] = *expr;
    return absl::OkStatus();
  }

  absl::Status Wrong(absl::string_view name, JsonValue value, absl::string_view wanted) const {
    return Fault(who_, absl::StrCat(InQuotes(name), " is ", value.KindName(), ", must be ", wanted));
  }

  const Graph& graph_;
  std::string who_;
};

}  // namespace

absl::StatusOr<std::vector<std::optional<KernelSpec>>> KernelSpecsOf(const Graph& graph) {
  std::vector<std::optional<KernelSpec>> specs(graph.ops().size());
  for (size_t o = 0; o < specs.size(); ++o) {
    const OpId op(static_cast<int32_t>(o));
    const absl::StatusOr<std::optional<JsonDocument>> object = Member(graph.attrs_json(op), "kernel");
    if (!object.ok()) return object.status();
    if (!object->has_value()) continue;
    absl::StatusOr<KernelSpec> spec = SpecReader(graph, op).Read((*object)->root());
    if (!spec.ok()) return spec.status();
    specs[o] = *std::move(spec);
  }
  return specs;
}

std::string KernelAttrs(const KernelSpec& spec, absl::Span<const Symbol> symbols) {
  JsonObjectText kernel;
  kernel.String("name", spec.kernel);
  for (const auto& [name, value] : spec.integers) {
    if (value.is_constant()) {
      kernel.Integer(name, value.constant());
    } else {
      kernel.String(name, value.ToString(symbols));
    }
  }
  for (const auto& [name, value] : spec.reals) kernel.Raw(name, absl::StrCat(value));
  for (const auto& [name, type] : spec.types) kernel.String(name, NameOf(type));
  JsonObjectText attrs;
  return attrs.Raw("kernel", kernel.Finish()).Finish();
}

absl::StatusOr<std::vector<ContentSpec>> ContentSpecsOf(const Graph& graph) {
  std::vector<ContentSpec> specs(graph.values().size());
  for (size_t v = 0; v < specs.size(); ++v) {
    const ValueId id(static_cast<int32_t>(v));
    const std::string who = absl::StrCat("value ", InQuotes(graph.name(id)), ", attribute \"contents\"");
    const absl::StatusOr<std::optional<JsonDocument>> object = Member(graph.attrs_json(id), "contents");
    if (!object.ok()) return object.status();
    if (!object->has_value()) continue;
    if ((*object)->root().kind() != JsonKind::kObject) return Fault(who, "is no object");
    ContentSpec& spec = specs[v];
    for (JsonValue member : (*object)->root()) {
      const std::optional<double> number = NumberOf(member);
      if (member.key() == "type" && member.kind() == JsonKind::kString) {
        const std::optional<ElementType> type = TypeOf(member.text());
        if (!type.has_value() && member.text() != "i32") return Fault(who, "\"type\" must be f32, f16, bf16 or i32");
        spec.type = member.text() == "i32"       ? ContentSpec::Type::kI32
                    : *type == ElementType::kF32 ? ContentSpec::Type::kF32
                    : *type == ElementType::kF16 ? ContentSpec::Type::kF16
                                                 : ContentSpec::Type::kBF16;
      } else if (member.key() == "min" && number.has_value()) {
        spec.min = *number;
      } else if (member.key() == "max" && number.has_value()) {
        spec.max = *number;
      } else {
        return Fault(who, absl::StrCat("does not take ", InQuotes(member.key()), " as ", member.KindName()));
      }
    }
    if (spec.min > spec.max) return Fault(who, "\"min\" is above \"max\"");
  }
  return specs;
}

std::vector<std::byte> RandomContent(const ContentSpec& spec, int64_t bytes, uint64_t seed) {
  std::vector<std::byte> content(static_cast<size_t>(bytes), std::byte{0});
  const bool wide = spec.type == ContentSpec::Type::kF32 || spec.type == ContentSpec::Type::kI32;
  const size_t size = wide ? 4 : 2;
  for (size_t i = 0; (i + 1) * size <= content.size(); ++i) {
    const uint64_t word = runtime::MixedWord(seed, static_cast<int64_t>(i));
    const double share = static_cast<double>(word >> 11) * 0x1p-53;  // in [0, 1)
    const double x = spec.min + share * (spec.max - spec.min);
    const auto put = [&](auto element) { std::memcpy(&content[i * size], &element, size); };
    switch (spec.type) {
      case ContentSpec::Type::kF32: put(static_cast<float>(x)); break;
      case ContentSpec::Type::kF16: put(runtime::NarrowF16(static_cast<float>(x))); break;
      case ContentSpec::Type::kBF16: put(runtime::NarrowBF16(static_cast<float>(x))); break;
      case ContentSpec::Type::kI32:
        put(static_cast<int32_t>(std::floor(spec.min + share * (spec.max - spec.min + 1))));
        break;
    }
  }
  return content;
}

}  // namespace bufplan
