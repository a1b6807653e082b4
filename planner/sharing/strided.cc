#include "planner/sharing/strided.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "ir/expr_proof.h"
#include "ir/expr_terms.h"
#include "ir/region.h"

namespace bufplan {
namespace {

constexpr int kMaxDivisionSteps = 32;

bool SameBase(const ExprFactor& a, const ExprFactor& b) {
  if ((a.atom == nullptr) != (b.atom == nullptr)) return false;
  if (a.atom == nullptr) return a.symbol == b.symbol;
  return a.atom->kind == b.atom->kind && a.atom->left == b.atom->left && a.atom->right == b.atom->right;
}

// The quotient of two terms, if it is a term.
std::optional<Expr> DivideTerm(const ExprTerm& a, const ExprTerm& b) {
  if (b.coefficient == -1 || a.coefficient % b.coefficient != 0) return std::nullopt;
  Expr quotient = a.coefficient / b.coefficient;
  size_t used = 0;
  for (ExprFactor factor : a.factors) {
    for (const ExprFactor& divisor : b.factors) {
      if (!SameBase(factor, divisor)) continue;
      factor.exponent -= divisor.exponent;
      ++used;
    }
    if (factor.exponent < 0) return std::nullopt;
    if (factor.exponent > 0) quotient *= FactorExpr(factor);
  }
  if (used != b.factors.size()) return std::nullopt;
  return quotient;
}

ExprTerm LeadingTerm(const Expr& e) { return e.is_constant() ? ExprTerm{e.constant(), {}} : e.terms()[0]; }

// One dimension of a value's bytes: `count` steps of value_stride bytes in the value, of place_stride in its storage.
struct Axis {
  Expr count, value_stride, place_stride;
  Expr first = 0;  // of a part: the index where it begins
  Expr last = 0;   // and the one where it ends
};
using Axes = absl::InlinedVector<Axis, 4>;

// Outermost first; the last axis counts bytes.
Axes AxesOf(const Region& place) {
  Axes axes(place.dims.size() + 1);
  axes.back() = {place.run_bytes, 1, 1};
  Expr stride = place.run_bytes;
  for (size_t i = place.dims.size(); i-- > 0;) {
    axes[i] = {place.dims[i].count, stride, place.dims[i].stride_bytes};
    stride *= place.dims[i].count;
  }
  return axes;
}

// Writes `at` as a sum of whole steps along the axes.
bool FindFirst(Expr at, Axes& axes, absl::Span<const Symbol> symbols) {
  for (Axis& axis : axes) {
    if (at == Expr(0)) return true;
    if (ProveLessEqual(at + 1, axis.value_stride, symbols)) continue;
    std::optional<Expr> steps = DivideExact(at, axis.value_stride);
    if (!steps.has_value() && at.is_constant() && axis.value_stride.is_constant()) {
      steps = at.constant() / axis.value_stride.constant();
    }
    if (!steps.has_value() && axis.value_stride.is_constant() && axis.value_stride.constant() > 0) {
      // The terms that are whole steps; the rest must be less than one.
      Expr whole = 0;
      for (const ExprTerm& term : at.terms()) {
        if (term.coefficient % axis.value_stride.constant() != 0) continue;
        whole += TermExpr(term);
      }
      const Expr rest = at - whole;
      if (!ProveNonNegative(rest, symbols) || !ProveLessEqual(rest + 1, axis.value_stride, symbols)) return false;
      steps = DivideExact(whole, axis.value_stride);
    }
    if (!steps.has_value()) return false;
    axis.first = axis.last = *steps;
    at -= *steps * axis.value_stride;
  }
  return at == Expr(0);
}

// The dims of the part as steps along axes.
bool MapDims(const Region& part, Axes& axes, std::vector<Dim>& dims, absl::Span<const Symbol> symbols) {
  for (const Dim& d : part.dims) {
    bool found = false;
    for (Axis& axis : axes) {
      const std::optional<Expr> steps = DivideExact(d.stride_bytes, axis.value_stride);
      if (!steps.has_value()) continue;
      const Expr last = axis.last + (d.count - 1) * *steps;
      if (!ProveLessEqual(last + 1, axis.count, symbols)) continue;
      axis.last = last;
      dims.push_back({d.count, *steps * axis.place_stride});
      found = true;
      break;
    }
    if (!found) return false;
  }
  return true;
}

// The run of the part: some steps along one axis, whole axes inside of it.
std::optional<Expr> MapRun(const Expr& run, const Axes& axes, std::vector<Dim>& dims,
                           absl::Span<const Symbol> symbols) {
  for (size_t j = 0; j < axes.size(); ++j) {
    const std::optional<Expr> steps = DivideExact(run, axes[j].value_stride);
    if (!steps.has_value() || !ProveLessEqual(axes[j].last + *steps, axes[j].count, symbols)) continue;
    const auto unused = [](const Axis& a) { return a.first == Expr(0) && a.last == Expr(0); };
    if (!std::all_of(axes.begin() + static_cast<std::ptrdiff_t>(j) + 1, axes.end(), unused)) continue;
    if (j + 1 == axes.size()) return *steps;
    dims.push_back({*steps, axes[j].place_stride});
    for (size_t i = j + 1; i + 1 < axes.size(); ++i) dims.push_back({axes[i].count, axes[i].place_stride});
    return axes.back().count;
  }
  return std::nullopt;
}

}  // namespace

std::optional<Expr> DivideExact(const Expr& a, const Expr& b) {
  if (!a.valid() || !b.valid() || b == Expr(0)) return std::nullopt;
  if (a == Expr(0)) return Expr(0);
  if (b == Expr(1)) return a;
  if (a.is_constant() && b.is_constant()) {
    if (b.constant() == -1 || a.constant() % b.constant() != 0) return std::nullopt;
    return Expr(a.constant() / b.constant());
  }
  Expr quotient = 0, rest = a;
  for (int step = 0; step < kMaxDivisionSteps && rest.valid(); ++step) {
    if (rest == Expr(0)) return quotient;
    const std::optional<Expr> term = DivideTerm(LeadingTerm(rest), LeadingTerm(b));
    if (!term.has_value()) return std::nullopt;
    quotient += *term;
    rest -= *term * b;
  }
  return std::nullopt;
}

Region Normalized(Region region, absl::Span<const Symbol> symbols) {
  if (region.contiguous()) return region;
  std::vector<Dim> dims;  // innermost first
  for (size_t i = region.dims.size(); i-- > 0;) {
    Dim& d = region.dims[i];
    if (d.count == Expr(1)) continue;
    if (dims.empty() && ProveEqual(d.stride_bytes, region.run_bytes, symbols)) {
      region.run_bytes *= d.count;
    } else if (!dims.empty() && d.stride_bytes == dims.back().count * dims.back().stride_bytes) {
      dims.back().count *= d.count;
    } else {
      dims.push_back(std::move(d));
    }
  }
  region.dims.assign(std::make_move_iterator(dims.rbegin()), std::make_move_iterator(dims.rend()));
  return region;
}

std::optional<Region> Compose(const Region& place, const Region& part, absl::Span<const Symbol> symbols) {
  if (place.contiguous()) {
    Region r = Normalized(part, symbols);
    r.at += place.at;
    return r;
  }
  Axes axes = AxesOf(place);
  const Region tight = Normalized(part, symbols);
  Region result;
  if (!FindFirst(tight.at, axes, symbols) || !MapDims(tight, axes, result.dims, symbols)) return std::nullopt;
  const std::optional<Expr> run = MapRun(tight.run_bytes, axes, result.dims, symbols);
  if (!run.has_value()) return std::nullopt;
  result.run_bytes = *run;
  result.at = place.at;
  for (const Axis& axis : axes) result.at += axis.first * axis.place_stride;
  return Normalized(std::move(result), symbols);
}

std::optional<Region> PlaceFromPart(const Region& target, const Region& part, const Expr& bytes,
                                    absl::Span<const Symbol> symbols) {
  const Region from = Normalized(target, symbols), to = Normalized(part, symbols);
  if (from.contiguous() && to.contiguous()) {
    if (!(from.run_bytes == to.run_bytes)) return std::nullopt;
    return Region{from.at - to.at, bytes, {}};
  }
  // Strides of the value and of its place that belong together, outermost first.
  std::vector<std::pair<Expr, Expr>> strides;
  Expr run = from.run_bytes;
  size_t next = 0;
  for (const Dim& d : to.dims) {
    if (next < from.dims.size()) {
      if (!(from.dims[next].count == d.count)) return std::nullopt;
      strides.emplace_back(d.stride_bytes, from.dims[next++].stride_bytes);
    } else {
      const std::optional<Expr> piece = DivideExact(run, d.count);
      if (!piece.has_value()) return std::nullopt;
      strides.emplace_back(d.stride_bytes, *piece);
      run = *piece;
    }
  }
  Expr inner = run;
  const size_t outer = strides.size();
  for (size_t i = from.dims.size(); i-- > next;) {
    strides.insert(strides.begin() + static_cast<std::ptrdiff_t>(outer),
                   std::make_pair(inner, from.dims[i].stride_bytes));
    inner *= from.dims[i].count;
  }
  if (!(inner == to.run_bytes)) return std::nullopt;
  Region place;
  Expr whole = bytes;
  for (const auto& [value_stride, place_stride] : strides) {
    const std::optional<Expr> count = DivideExact(whole, value_stride);
    if (!count.has_value()) return std::nullopt;
    place.dims.push_back({*count, place_stride});
    whole = value_stride;
  }
  place.run_bytes = whole;
  const std::optional<Region> there = Compose(place, to, symbols);
  if (!there.has_value()) return std::nullopt;
  place.at = from.at - there->at;
  Region moved = *there;
  moved.at = from.at;
  if (!(moved == from) || !ProveNoSelfOverlap(place, symbols)) return std::nullopt;
  return Normalized(std::move(place), symbols);
}

}  // namespace bufplan
