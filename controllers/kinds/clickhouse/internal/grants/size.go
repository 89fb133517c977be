package grants

import "fmt"

const (
	// most is how many privileges and roles a spec may ask for, each for each user or role and column: a short spec can name
	// millions.
	most = 20_000
	// mostGranted is how many a status may have, with what earlier specs asked for.
	mostGranted = 8 * most
)

// spend counts what factors make, and refuses what is too much.
func (r *reader) spend(path string, factors ...int) bool {
	total := 1
	for _, n := range factors {
		if total *= n; total > r.left {
			r.refuse(path, fmt.Sprintf("an object can ask for %d grants, each of one privilege or role to one user or role, and this is "+
				"beyond them. Use several objects, or grant to a role", most))
			return false
		}
	}
	r.left -= total
	return true
}
