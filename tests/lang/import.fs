import "helper.inc.fs"
print(triple(shared))         # expect: 15
import "helper.inc.fs";
# ---
import "cycle.inc.fs"         # error: imports itself
