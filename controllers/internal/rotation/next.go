package rotation

// Action is the next step of a rotation.
type Action string

// The actions.
const (
	None    Action = "none"    // nothing is due
	Unknown Action = "unknown" // Aiven doesn't show the password
	Begin   Action = "begin"   // store a pending password
	Set     Action = "set"     // set it at Aiven
	Finish  Action = "finish"  // publish what Aiven has, and write that the request is handled
	Forget  Action = "forget"  // remove the pending password
)

// Facts are all that the next step depends on.
type Facts struct {
	Due       bool     // a rotation that nothing was done for yet
	Pending   *Pending // nil if nothing is pending
	Aiven     string   // the password at Aiven; empty if it isn't known
	Published string   // the password in the connection Secret; empty if there is none
	Handled   string   // the request that was handled last, by the status
}

// Pending is a password that is to be set.
type Pending struct {
	Password string
	Request  string                     // that it serves; empty for one by the clock
	Replaces func(password string) bool // is it the one that is to be replaced?
}

// Next is pure: the same facts lead to the same step.
func (f Facts) Next() Action {
	switch p := f.Pending; {
	case p == nil && !f.Due:
		return None
	case f.Aiven == "":
		return Unknown
	case p == nil:
		return Begin
	case f.Aiven != p.Password && p.Replaces(f.Aiven):
		return Set
	case f.Published != f.Aiven, p.Request != "" && p.Request != f.Handled:
		return Finish
	default:
		return Forget
	}
}
