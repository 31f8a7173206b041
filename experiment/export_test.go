package experiment

import "smpsim/yamlfile"

// Parse reads the text of a file; name is what positions say.
func Parse(name string, text []byte, overrides Overrides) (*Experiment, error) {
	var problems yamlfile.Problems
	x := read(name, yamlfile.Parse(name, text, &problems), overrides, &problems)
	if err := problems.Err(); err != nil {
		return nil, err
	}
	return x, nil
}

// linkAll makes the cells of the jobs ready.
func linkAll(x *Experiment, jobs []job) error {
	var problems yamlfile.Problems
	x.link(jobs, &problems)
	return problems.Err()
}
