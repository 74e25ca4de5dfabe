package control

import (
	"countersign/models/control"
	"countersign/models/workflow"
	"countersign/views/ui"
)

// NewLack says that something cannot be chosen because there is none. refusal is
// why the reader may not make it; nil when they may.
func NewLack(missing, link, href string, refusal error) *Lack {
	l := &Lack{Words: missing, Text: link, Href: href}
	if refusal != nil {
		l.Href, l.Who = "", words(refusal)
	}
	return l
}

// lacks fills in what cannot be chosen in the form, because nobody described it.
func (e *Edit) lacks(r Reader, d control.Detail, f control.Field) {
	switch f.Kind {
	case control.Sender:
		if len(r.Options.Senders) == 0 {
			e.Lack = NewLack("No sender of "+d.Workflow.Name+" is described yet.", "Describe the sender", "/workflows/"+d.Workflow.Slug+"/senders/new",
				workflow.MayEdit(r.Actor, workflow.Workflow{BusinessOwnerID: r.Options.WorkflowOwner}))
		}
	case control.Policy:
		if len(r.Options.Policies) == 0 {
			e.Lack = NewLack("No escalation policy is written yet.", "Write one", "/admin/policies/new", workflow.MaySetPolicies(r.Actor))
		}
	case control.Operations:
		e.Operations = completed(r, d, e.Operations)
		if len(e.Operations) == 0 {
			e.Lack = NewLack("No operation is described yet. Describe it at its destination, then choose it here.", "Open the destinations", "/destinations", nil)
		}
	}
}

// completed are the choices of operations with a line for every environment that
// is covered and has nothing to choose.
func completed(r Reader, d control.Detail, choices []OperationChoice) []OperationChoice {
	offered := map[string]OperationChoice{}
	for _, c := range choices {
		offered[c.Environment] = c
	}
	covered := map[string]bool{}
	for _, e := range d.Covered {
		covered[e.Slug] = true
	}
	var all []OperationChoice
	for _, e := range r.Options.Environments {
		c, ok := offered[e.Slug]
		switch {
		case ok && len(c.Options) > 1:
			all = append(all, c)
		case ok || covered[e.Slug]:
			all = append(all, OperationChoice{Environment: e.Slug, Name: e.Name, Options: []ui.Option{}, Lack: noOperation(r, e)})
		}
	}
	return all
}

func noOperation(r Reader, e control.EnvironmentOption) *Lack {
	at := e.Account
	if at == "" {
		at = e.Destination
	}
	switch {
	case at != "":
		return NewLack(e.Name+": no operation described yet.", "Describe it", "/destinations/"+at+"/operations/new", workflow.MaySetOperations(r.Actor))
	case e.Destinations == 0:
		return NewLack(e.Name+": no destination and no operation described yet.", "Describe the destination", "/destinations/new", workflow.MaySetDestinations(r.Actor))
	}
	return NewLack(e.Name+": no operation described yet.", "Describe it at its destination", "/destinations", workflow.MaySetOperations(r.Actor))
}
