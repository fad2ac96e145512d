import "cycle.inc.fs"
