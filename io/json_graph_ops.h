// Reads the ops of a graph's JSON form into a GraphBuilder. Private to io/json_graph.
//
// ERRORS: recorded in the JsonReader, with the JSON pointer. Only what the form demands is checked here (keys, types,
// known names, expressions); what a graph demands is checked by GraphBuilder::Build().
#ifndef BUFPLAN_IO_JSON_GRAPH_OPS_H_
#define BUFPLAN_IO_JSON_GRAPH_OPS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "io/json_dom.h"
#include "io/json_reader.h"
#include "ir/expr.h"
#include "ir/graph.h"
#include "ir/graph_builder.h"
#include "ir/id.h"

namespace bufplan {

// The words of the format, in the order of the enumerations.
absl::Span<const absl::string_view> RoleWords();
absl::Span<const absl::string_view> OpKindWords();
absl::Span<const absl::string_view> ElideWords();
absl::Span<const absl::string_view> CoverWords();
absl::Span<const absl::string_view> InPlaceModeWords();

// Names already read, and how to read things that refer to them. After a failure results are meaningless: ask in().ok()
// before an id is used as an index.
class JsonGraphScope {
 public:
  // Both outlive the scope, and so does the document.
  JsonGraphScope(JsonReader& in, GraphBuilder& builder) : in_(in), builder_(builder) {}

  JsonReader& in() { return in_; }
  GraphBuilder& builder() { return builder_; }

  // Takes the name of the next thing of its kind, which stands at `json`; fails if another bears it.
  void AddSymbol(absl::string_view name, JsonValue json) { Add(symbols_, name, json, "symbol"); }
  void AddSpace(absl::string_view name, JsonValue json) { Add(spaces_, name, json, "space"); }
  void AddStream(absl::string_view name, JsonValue json) { Add(streams_, name, json, "stream"); }
  void AddValue(absl::string_view name, JsonValue json) { Add(values_, name, json, "value"); }
  void AddOp(absl::string_view name, JsonValue json) { Add(ops_, name, json, "op"); }

  Expr Bytes(JsonValue json);
  Expr Bytes(const JsonMembers& m, size_t key);
  SpaceId Space(JsonValue json) { return SpaceId(Find(spaces_, json, "space")); }
  StreamId Stream(JsonValue json) { return StreamId(Find(streams_, json, "stream")); }
  ValueId Value(JsonValue json) { return ValueId(Find(values_, json, "value")); }
  ValueId Value(const JsonMembers& m, size_t key);
  OpId Op(JsonValue json) { return OpId(Find(ops_, json, "op")); }
  std::string Attrs(const JsonMembers& m, size_t key);

 private:
  using Table = absl::flat_hash_map<absl::string_view, int32_t>;
  struct Names {
    Table ids;
    int32_t count = 0;
  };
  void Add(Names& names, absl::string_view name, JsonValue json, absl::string_view what);
  int32_t Find(const Names& names, JsonValue json, absl::string_view what);

  JsonReader& in_;
  GraphBuilder& builder_;
  Names symbols_, spaces_, streams_, values_, ops_;
};

// `list` is the member "ops".
void ReadOps(JsonValue list, JsonGraphScope& scope);

// {"value", "mode"} or, with a result, {"result", "value", "mode"}.
InPlaceMode ReadInPlaceMode(const JsonMembers& m, size_t key, JsonReader& in);

}  // namespace bufplan

#endif  // BUFPLAN_IO_JSON_GRAPH_OPS_H_
