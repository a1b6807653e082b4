// The version of bufplan. Same input, options and version: same plan.
#ifndef BUFPLAN_IO_TOOL_VERSION_H_
#define BUFPLAN_IO_TOOL_VERSION_H_

namespace bufplan {

inline constexpr char kVersion[] = "0.1.0";

}  // namespace bufplan

#endif  // BUFPLAN_IO_TOOL_VERSION_H_
