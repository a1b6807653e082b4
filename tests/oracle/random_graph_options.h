// What RandomGraph may use, and profiles of it.
#ifndef BUFPLAN_TESTS_ORACLE_RANDOM_GRAPH_OPTIONS_H_
#define BUFPLAN_TESTS_ORACLE_RANDOM_GRAPH_OPTIONS_H_

#include <string>
#include <vector>

namespace bufplan {

struct RandomGraphOptions {
  std::string name = "plain";
  int max_ops = 18;
  int max_streams = 1;
  int max_spaces = 1;
  int max_symbols = 0;
  bool caller_owned = true;  // constants, externals, variables and commits
  bool movements = true;     // op kinds beyond compute and view
  bool strided = true;
  bool in_place = true;
  bool cover_part = true;
  bool scratch = true;
  bool zero_bytes = true;
  bool keep_alive = true;
  bool disjoint = true;
  bool elide_never = true;
  bool alignments = true;
  bool pins = false;
  bool limits = false;  // capacities and max_allocation
  int max_fusions = 0;
  bool required_fusions = true;

  static RandomGraphOptions Plain() { return {}; }
  static RandomGraphOptions Streams();
  static RandomGraphOptions Symbols();
  static RandomGraphOptions Fusions();
  static RandomGraphOptions Memories();  // spaces, limits, pins
  static RandomGraphOptions Everything();
  // All of the above.
  static std::vector<RandomGraphOptions> Profiles();
};

}  // namespace bufplan

#endif  // BUFPLAN_TESTS_ORACLE_RANDOM_GRAPH_OPTIONS_H_
