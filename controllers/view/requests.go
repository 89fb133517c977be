package view

import "github.com/aero-operator/aero/controllers/internal/annotation"

// on is the only value that pauses.
const on = "true"

// Annotations are a change of annotations, as a merge patch has it: nil removes one.
type Annotations map[string]any

// Pause asks the operator to leave an object alone.
func Pause() Annotations { return Annotations{annotation.Paused: on} }

// Resume ends a pause.
func Resume() Annotations { return Annotations{annotation.Paused: nil} }

// Approve lets the operator make the changes of a hash.
func Approve(hash string) Annotations { return Annotations{annotation.ApprovedChanges: hash} }

// Request asks for a reconcile. Another value is another request.
func Request(at string) Annotations { return Annotations{annotation.Requested: at} }
