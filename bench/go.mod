module smpsim/bench

go 1.26.0

require smpsim v0.0.0

require gopkg.in/yaml.v3 v3.0.1 // indirect

replace smpsim => ../
