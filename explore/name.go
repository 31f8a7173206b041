package explore

import "fmt"

// agentName names an agent as its system does, or by number.
func agentName(s System, a Agent) string {
	if n, ok := s.(Namer); ok {
		return n.AgentName(a)
	}
	return fmt.Sprintf("agent %d", a)
}

// objectName names an object as its system does, or by number.
func objectName(s System, object int32) string {
	if n, ok := s.(Namer); ok {
		return n.ObjectName(object)
	}
	return fmt.Sprintf("object %d", object)
}

// stepName names a source step as its system does, or by label.
func stepName(s System, label int32) string {
	if n, ok := s.(Namer); ok {
		return n.StepName(label)
	}
	return fmt.Sprintf("step %d", label)
}
