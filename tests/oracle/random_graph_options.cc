#include "tests/oracle/random_graph_options.h"

namespace bufplan {

RandomGraphOptions RandomGraphOptions::Streams() {
  RandomGraphOptions o;
  o.name = "streams";
  o.max_streams = 4;
  return o;
}

RandomGraphOptions RandomGraphOptions::Symbols() {
  RandomGraphOptions o;
  o.name = "symbols";
  o.max_symbols = 2;
  return o;
}

RandomGraphOptions RandomGraphOptions::Fusions() {
  RandomGraphOptions o;
  o.name = "fusions";
  o.max_streams = 2;
  o.max_fusions = 4;
  return o;
}

RandomGraphOptions RandomGraphOptions::Memories() {
  RandomGraphOptions o;
  o.name = "memories";
  o.max_spaces = 3;
  o.pins = o.limits = true;
  return o;
}

RandomGraphOptions RandomGraphOptions::Everything() {
  RandomGraphOptions o;
  o.name = "everything";
  o.max_ops = 28;
  o.max_streams = 4;
  o.max_symbols = 2;
  o.max_fusions = 3;
  o.max_spaces = 3;
  o.pins = o.limits = true;
  return o;
}

std::vector<RandomGraphOptions> RandomGraphOptions::Profiles() {
  return {Plain(), Streams(), Symbols(), Fusions(), Memories(), Everything()};
}

}  // namespace bufplan
