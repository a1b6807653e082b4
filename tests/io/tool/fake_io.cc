#include "tests/io/tool/fake_io.h"

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "io/read_file.h"
#include "io/tool/tool.h"

namespace bufplan {

const char kKvStep[] = R"json({"format": "bufplan.graph", "version": 1, "name": "kv-step",
 "symbols": [{"name": "s", "min": 0, "max": 4094}],
 "values": [{"name": "K", "bytes": 33546240, "role": "variable"}, {"name": "past", "bytes": "8192*s"},
            {"name": "row", "bytes": 8192}, {"name": "K1", "bytes": 33546240}],
 "ops": [{"name": "past", "kind": "slice", "of": "K", "at": 0, "to": "past"},
         {"name": "attn", "kind": "compute", "reads": ["past"], "writes": ["row"]},
         {"name": "upd", "kind": "update", "base": "K", "from": "row", "at": "8192*s", "to": "K1"},
         {"name": "st", "kind": "commit", "from": "K1", "to": "K"}]})json";

const char kChain[] = R"json({"format": "bufplan.graph", "version": 1, "name": "chain",
 "values": [{"name": "x", "bytes": 100, "role": "input"}, {"name": "a", "bytes": 100}, {"name": "b", "bytes": 100},
            {"name": "c", "bytes": 100}, {"name": "d", "bytes": 100}],
 "ops": [{"name": "f", "reads": ["x"], "writes": ["a"]},
         {"name": "g", "reads": ["a"], "writes": [{"value": "b", "in_place": [{"value": "a", "mode": "same_index"}]}]},
         {"name": "h", "reads": ["a", "b"], "writes": ["c"]},
         {"name": "k", "reads": ["c"], "writes": ["d"]}],
 "outputs": ["d"]})json";

const char kCsv[] = "id,lower,upper,size\na,0,3,4\nb,3,9,4\nc,0,9,8\n";

FakeIo::FakeIo() {
  files = {{"kv.json", kKvStep}, {"chain.json", kChain}, {"p.csv", kCsv}};
  io_.read = [this](const std::string& path) -> absl::StatusOr<std::string> {
    const auto found = files.find(path);
    if (found != files.end()) return found->second;
    if (path == "-") return absl::NotFoundError("standard input: nothing there");
    return ReadFile(path);
  };
  io_.write_out = [this](absl::string_view text) -> absl::Status {
    if (out_fails) return absl::ResourceExhaustedError("standard output: cannot write: full");
    absl::StrAppend(&out_, text);
    return absl::OkStatus();
  };
  io_.write_err = [this](absl::string_view text) { absl::StrAppend(&err_, text); };
}

int FakeIo::Run(const std::vector<std::string>& arguments) {
  out_.clear();
  err_.clear();
  return RunTool(arguments, io_);
}

std::string TempPath(absl::string_view name) { return absl::StrCat(testing::TempDir(), "/", name); }

std::string ContentOf(const std::string& path) {
  const absl::StatusOr<std::string> text = ReadFile(path);
  return text.ok() ? *text : "<none>";
}

}  // namespace bufplan
