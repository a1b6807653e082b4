// The syntax of single ops; for the parser.
#ifndef BUFPLAN_IO_IREE_OP_SYNTAX_H_
#define BUFPLAN_IO_IREE_OP_SYNTAX_H_

#include <optional>

#include "io/iree_ast.h"
#include "io/iree_cursor.h"

namespace bufplan {

// Reads what follows the op's name into `op`, if it is a known one. Returns whether it is. `body` becomes the tokens of
// its region; the cursor stands behind what belongs to the op.
// ERRORS: in the cursor.
bool ReadIreeOpSyntax(IreeCursor& in, IreeOp& op, std::optional<IreeTokenRange>& body);

}  // namespace bufplan

#endif  // BUFPLAN_IO_IREE_OP_SYNTAX_H_
