package explore_test

import (
	"strconv"
	"testing"

	"github.com/cockroachdb/datadriven"

	"smpsim/explore"
)

// TestTranscriptsTellWhatHappened runs the files in testdata/transcript. A command's
// input is an experiment file, or none if it names one of the examples:
//
//	tell schedule=0x2.1 width=110 [example=name] [variant=name]
//	                         tells the steps of that schedule
//	script schedule=0x2.1    writes it as a schedule file, which the commands below do
//	perform width=110        does that file on the input, and tells the steps
func TestTranscriptsTellWhatHappened(t *testing.T) {
	datadriven.Walk(t, "testdata/transcript", func(t *testing.T, path string) {
		var file []byte
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			var token, example, variant, width string
			d.MaybeScanArgs(t, "schedule", &token)
			d.MaybeScanArgs(t, "example", &example)
			d.MaybeScanArgs(t, "variant", &variant)
			d.MaybeScanArgs(t, "width", &width)
			var p *explore.Program
			if example == "" {
				p = parseFile(t, path, d.Input).program(t, variant)
			} else {
				p = readFile(t, "../examples/"+example+".yaml").program(t, variant)
			}
			var schedule explore.Schedule
			told := ""
			if d.Cmd == "perform" {
				script, err := explore.ParseScript(file)
				if err != nil {
					return err.Error()
				}
				var diverged *explore.Divergence
				if schedule, diverged = explore.Perform(p, script); diverged != nil {
					told = diverged.String() + "\n"
				}
				told += "schedule " + schedule.String() + "\n"
			} else {
				var err error
				if schedule, err = explore.ParseSchedule(token); err != nil {
					return err.Error()
				}
			}
			transcript, err := explore.Transcribe(p, schedule)
			if err != nil {
				return err.Error()
			}
			if d.Cmd == "script" {
				file = []byte(transcript.Script().Text())
				return string(file)
			}
			columns, err := strconv.Atoi(width)
			if err != nil {
				return err.Error()
			}
			return told + transcript.Text(columns)
		})
	})
}
