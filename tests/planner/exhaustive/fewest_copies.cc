#include "tests/planner/exhaustive/fewest_copies.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "tests/oracle/naive_plan.h"
#include "tests/planner/exhaustive/cell_graph.h"
#include "tests/planner/exhaustive/cell_links.h"

namespace bufplan {
namespace {

constexpr int kGarbage = -2;

// One op as it executes with its values placed: cells of memory that it needs and that it writes.
struct Sample {
  enum class Why : uint8_t { kOperand, kCarried, kRewritten };
  Why why = Why::kOperand;
  int at = 0, value = 0, cell = 0;
  int result = -1;  // carried, rewritten: to which
};
struct Store {
  int at = 0, value = 0, cell = 0;
  int write = -1;  // index among the op's writes; -1: a commit's target
  bool carried = false;
};
struct Access {
  std::vector<Sample> samples;
  std::vector<Store> stores;
  int64_t cells_moved = 0;
};

class Search {
 public:
  Search(const Graph& graph, const CellGraph& cells, const PlanJudge& judge, const FewestCopiesOptions& options)
      : graph_(graph), cells_(cells), links_(cells), judge_(judge), prune_(options.prune), best_(options.below_bytes) {}

  FewestCopies Run() {
    LayOut();
    PlaceStart(0);
    return std::move(out_);
  }

 private:
  static size_t At(int i) { return static_cast<size_t>(i); }
  const CellValue& Of(int v) const { return cells_.values[At(v)]; }
  int CellAt(int v, int cell) const { return place_[At(v)] + cell; }

  // Storages first, then as many islands as there are values, each wide enough for all of them to either side.
  void LayOut() {
    int total = 0;
    for (const CellValue& v : cells_.values) total += v.cells;
    place_.assign(cells_.values.size(), -1);
    const auto add = [&](int owner, int size) {
      for (int i = 0; i < size; ++i) memory_of_.push_back(num_memories_);
      owner_.push_back(owner);
      ++num_memories_;
    };
    for (size_t v = 0; v < cells_.values.size(); ++v) {
      const CellValue& value = cells_.values[v];
      if (value.role == Role::kTransient || value.role == Role::kInput) continue;
      place_[v] = static_cast<int>(memory_of_.size());
      add(static_cast<int>(v), value.cells);
    }
    for (size_t i = 0; i < cells_.values.size(); ++i) {
      islands_.push_back(static_cast<int>(memory_of_.size()) + 2 * total);
      add(-1, 4 * total + 1);
    }
    content_.assign(memory_of_.size(), kGarbage);
  }

  bool Fits(int at, int cells) const {
    return at >= 0 && At(at + cells) <= memory_of_.size() && memory_of_[At(at)] == memory_of_[At(at + cells - 1)];
  }

  // Tries each place for v.
  template <class Next>
  void ForEachPlace(int v, const Next& next) {
    std::vector<int> places;
    for (int u : links_.order()) {
      if (place_[At(u)] < 0 || u == v) continue;
      for (int distance : links_.Distances(u, v)) {
        const int at = place_[At(u)] + distance;
        if (Fits(at, Of(v).cells) && memory_of_[At(at)] == memory_of_[At(place_[At(u)])]) places.push_back(at);
      }
    }
    std::sort(places.begin(), places.end());
    places.erase(std::unique(places.begin(), places.end()), places.end());
    for (int at : places) {
      place_[At(v)] = at;
      next();
    }
    place_[At(v)] = islands_[At(islands_used_++)];
    next();
    --islands_used_;
    place_[At(v)] = -1;
  }

  void PlaceStart(size_t i) {
    const std::vector<int>& order = links_.order();
    if (i == order.size() || Of(order[i]).role == Role::kTransient) return Step(0);
    const int v = order[i];
    const auto fill = [&] {
      const size_t mark = trail_.size();
      bool free = true;
      for (int c = 0; c < Of(v).cells; ++c) free = free && content_[At(CellAt(v, c))] == kGarbage;
      for (int c = 0; c < Of(v).cells; ++c) Put(CellAt(v, c), Of(v).content[At(c)]);
      if (free) PlaceStart(i + 1);
      Undo(mark);
    };
    if (Of(v).role != Role::kInput) return fill();
    ForEachPlace(v, fill);
  }

  void Put(int at, int origin) {
    trail_.push_back({at, content_[At(at)]});
    content_[At(at)] = origin;
  }
  void Undo(size_t mark) {
    for (; trail_.size() > mark; trail_.pop_back()) content_[At(trail_.back().first)] = trail_.back().second;
  }
  bool Holds(int v, int cell, int at) const {
    const int origin = Of(v).content[At(cell)];
    return origin == kAnyContent || content_[At(at)] == origin;
  }

  void Step(size_t op) {
    ++out_.steps;
    if (bytes_ >= best_) return;
    if (op == cells_.ops.size()) return Leaf();
    PlaceResults(op, 0);
  }

  void PlaceResults(size_t op, size_t w) {
    if (w == cells_.ops[op].writes.size()) return Execute(op);
    ForEachPlace(cells_.ops[op].writes[w].value, [&] { PlaceResults(op, w + 1); });
  }

  void Execute(size_t op) {
    const Access access = AccessOf(cells_.ops[op]);
    if (cells_.ops[op].movement) {
      if (access.stores.empty()) return Step(op + 1);
      apart_.push_back(OpId(static_cast<int32_t>(op)));
      Step(op + 1);
      apart_.pop_back();
    }
    const int64_t bytes = access.cells_moved * cells_.cell_bytes;
    if (bytes_ + bytes >= best_ || (prune_ && !MayExecute(cells_.ops[op], access))) return;
    const size_t mark = trail_.size();
    for (const Store& s : access.stores) Put(s.at, Of(s.value).content[At(s.cell)]);
    bytes_ += bytes;
    Step(op + 1);
    bytes_ -= bytes;
    Undo(mark);
  }

  static bool Contains(const std::vector<int>& list, int x) {
    return std::find(list.begin(), list.end(), x) != list.end();
  }

  void AddBase(const CellWrite& w, int write, Access& access) const {
    if (w.base < 0) return;
    const bool apart = place_[At(w.value)] != place_[At(w.base)];
    for (int c = 0; c < Of(w.value).cells; ++c) {
      const bool overwritten = Contains(w.cells, c);
      if (!apart && overwritten && w.part) {
        access.samples.push_back({Sample::Why::kRewritten, CellAt(w.base, c), w.base, c, w.value});
      }
      if (!apart || (overwritten && !w.part)) continue;
      access.samples.push_back({Sample::Why::kCarried, CellAt(w.base, c), w.base, c, w.value});
      if (!overwritten) access.stores.push_back({CellAt(w.value, c), w.value, c, write, true});
      ++access.cells_moved;
    }
  }

  void AddPart(const CellOp& op, const CellRead& r, Access& access) const {
    const bool commit = op.commit_target >= 0;
    const int to = commit ? op.commit_target : op.writes[0].value;
    bool coincides = true;
    for (size_t i = 0; i < r.from.size(); ++i)
      coincides = coincides && CellAt(r.value, r.from[i]) == CellAt(to, r.to[i]);
    for (size_t i = 0; i < r.from.size() && !coincides; ++i) {
      access.samples.push_back({Sample::Why::kOperand, CellAt(r.value, r.from[i]), r.value, r.from[i]});
      // What a commit leaves are the cells of its source.
      access.stores.push_back(
          {CellAt(to, r.to[i]), commit ? r.value : to, commit ? r.from[i] : r.to[i], commit ? -1 : 0});
      ++access.cells_moved;
    }
  }

  Access AccessOf(const CellOp& op) const {
    Access access;
    for (size_t w = 0; w < op.writes.size(); ++w) {
      const CellWrite& write = op.writes[w];
      AddBase(write, static_cast<int>(w), access);
      for (int c : write.cells) {
        if (!op.movement) access.stores.push_back({CellAt(write.value, c), write.value, c, static_cast<int>(w)});
      }
    }
    for (const CellRead& r : op.reads) {
      if (op.movement) AddPart(op, r, access);
      for (size_t i = 0; i < r.from.size() && !op.movement; ++i) {
        access.samples.push_back({Sample::Why::kOperand, CellAt(r.value, r.from[i]), r.value, r.from[i]});
      }
    }
    return access;
  }

  // A result that gets its base's cells carried over lies clear of it.
  bool IsClearOfBase(const CellWrite& w, const Access& access) const {
    const bool carried = std::any_of(access.samples.begin(), access.samples.end(), [&](const Sample& s) {
      return s.why == Sample::Why::kCarried && s.result == w.value;
    });
    if (!carried) return true;
    const int distance = place_[At(w.value)] - place_[At(w.base)];
    return distance >= Of(w.base).cells || -distance >= Of(w.value).cells;
  }

  bool MayExecute(const CellOp& op, const Access& access) const {
    for (const CellWrite& w : op.writes) {
      if (!IsClearOfBase(w, access)) return false;
    }
    for (const Sample& s : access.samples) {
      if (!Holds(s.value, s.cell, s.at)) return false;
    }
    for (size_t i = 0; i < access.stores.size(); ++i) {
      const Store& store = access.stores[i];
      if (store.write >= 0 && !MayWrite(store)) return false;
      for (const Sample& s : access.samples) {
        if (s.at == store.at && !LetsOverwrite(op, store, s)) return false;
      }
      for (size_t j = 0; j < i; ++j) {
        if (access.stores[j].at == store.at) return false;
      }
    }
    return true;
  }

  bool MayWrite(const Store& store) const {
    const int owner = owner_[At(memory_of_[At(store.at)])];
    if (owner < 0) return true;
    if (Of(owner).read_only) return false;
    return Of(owner).role != Role::kVariable || cells_.lineage[At(owner)][At(store.value)];
  }

  // Whether an op may write where it reads, because it declares so.
  bool LetsOverwrite(const CellOp& op, const Store& store, const Sample& sample) const {
    if (op.movement || store.carried) return false;
    const CellWrite& w = op.writes[At(store.write)];
    if (sample.why == Sample::Why::kRewritten && sample.result == w.value && sample.cell == store.cell) return true;
    if (sample.why == Sample::Why::kRewritten || sample.result == w.value) return false;
    return std::any_of(w.in_place.begin(), w.in_place.end(), [&](const CellInPlace& p) {
      const bool same = place_[At(p.value)] == place_[At(w.value)] && Of(w.value).cells <= Of(p.value).cells;
      return p.value == sample.value && (p.any || same);
    });
  }

  bool EndsWell() const {
    const auto intact = [&](int v, int at) {
      bool holds = true;
      for (int c = 0; c < Of(v).cells; ++c) holds = holds && Holds(v, c, at + c);
      return holds;
    };
    for (size_t i = 0; i < cells_.values.size(); ++i) {
      const CellValue& value = cells_.values[i];
      const int v = static_cast<int>(i), final = value.committed >= 0 ? value.committed : v;
      if (value.output && !intact(v, place_[i])) return false;
      const bool owned = value.role == Role::kVariable || value.committed >= 0;
      if (owned && !intact(final, place_[i])) return false;
    }
    return true;
  }

  void Leaf() {
    if (bytes_ >= best_ || (prune_ && !EndsWell())) return;
    Plan plan = MakePlan();
    if (!judge_(plan)) {
      ++out_.refused;
      return;
    }
    best_ = bytes_;
    out_.bytes = bytes_;
    out_.plan = std::move(plan);
  }

  // Islands one after another.
  Plan MakePlan() const {
    Plan plan;
    plan.graph_name = std::string(graph_.name());
    plan.locations.resize(place_.size());
    int64_t end = 0;
    for (int m = 0; m < num_memories_; ++m) {
      int low = static_cast<int>(memory_of_.size()), high = 0;
      for (size_t v = 0; v < place_.size(); ++v) {
        if (memory_of_[At(place_[v])] != m) continue;
        low = std::min(low, place_[v]);
        high = std::max(high, place_[v] + cells_.values[v].cells);
      }
      const int owner = owner_[At(m)];
      for (size_t v = 0; v < place_.size(); ++v) {
        if (memory_of_[At(place_[v])] != m) continue;
        const int64_t offset = (owner < 0 ? end + place_[v] - low : place_[v] - place_[At(owner)]) * cells_.cell_bytes;
        plan.locations[v] =
            owner < 0 ? Location::InArena(SpaceId(0), 0, offset) : Location::InCaller(ValueId(owner), offset);
      }
      if (owner < 0 && high > low) end += high - low;
    }
    CompletePlan(graph_, plan, apart_);
    return plan;
  }

  const Graph& graph_;
  const CellGraph& cells_;
  const CellLinks links_;
  const PlanJudge& judge_;
  const bool prune_;
  int64_t best_;
  FewestCopies out_;

  std::vector<int> memory_of_;  // by cell of memory
  std::vector<int> owner_;      // by memory: whose storage; -1: an island
  int num_memories_ = 0;
  std::vector<int> islands_;  // where the first value of each begins
  int islands_used_ = 0;
  std::vector<int> place_;                  // by value: its first cell of memory; -1: not yet
  std::vector<int> content_;                // by cell of memory: an origin
  std::vector<std::pair<int, int>> trail_;  // cells overwritten, with what they held
  std::vector<OpId> apart_;                 // movements marked elided that would move something
  int64_t bytes_ = 0;                       // moved so far
};

}  // namespace

absl::StatusOr<FewestCopies> FindFewestCopies(const Graph& graph, const PlanJudge& judge,
                                              const FewestCopiesOptions& options) {
  const absl::StatusOr<CellGraph> cells = MakeCellGraph(graph);
  if (!cells.ok()) return cells.status();
  return Search(graph, *cells, judge, options).Run();
}

}  // namespace bufplan
