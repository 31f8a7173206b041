//go:build !linux

package calibrate

import "context"

// Lookups measures name lookups on the host, which must run Linux.
func Lookups(context.Context, []int) ([]Lookup, error) { return nil, errNotHere }
