package yamlfile

import "strings"

const (
	maxNearestName = 64   // characters; nobody mistypes longer names
	maxNearestTry  = 1000 // candidates looked at, so that hostile files stay cheap
)

// Nearest is the candidate that name is most likely a slip of, or empty: the one
// with the fewest changed, missing, added or swapped characters if these are at
// most a third of the name, or else the only one that contains the name or is
// contained in it. Case does not count. Of equals the first wins.
func Nearest(name string, candidates []string) string {
	name = strings.ToLower(name)
	if name == "" || len(name) > maxNearestName {
		return ""
	}
	if len(candidates) > maxNearestTry {
		candidates = candidates[:maxNearestTry]
	}
	best, bestDistance := "", max(1, len(name)/3)+1
	for _, candidate := range candidates {
		if diff := len(candidate) - len(name); diff >= bestDistance || -diff >= bestDistance {
			continue
		}
		// Two names with no character in common are not alike, however short.
		if d := distance(name, strings.ToLower(candidate)); d < bestDistance && d < max(len(name), len(candidate)) {
			best, bestDistance = candidate, d
		}
	}
	if best != "" {
		return best
	}
	return onlyRelated(name, candidates)
}

// onlyRelated is the single candidate that contains name or is part of it.
func onlyRelated(name string, candidates []string) string {
	const shortest = 3 // shorter fragments occur anywhere
	found := ""
	for _, candidate := range candidates {
		lower := strings.ToLower(candidate)
		if min(len(name), len(lower)) < shortest ||
			!strings.Contains(lower, name) && !strings.Contains(name, lower) {
			continue
		}
		if found != "" {
			return ""
		}
		found = candidate
	}
	return found
}

// distance is the optimal string alignment distance in bytes: insertions,
// deletions, substitutions and swaps of neighbours, no part edited twice.
func distance(a, b string) int {
	before, last, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			row[j] = min(last[j]+1, row[j-1]+1, last[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, last, row = last, row, before
	}
	return last[len(b)]
}
