package experiment

// Version is the version of the program, as pictures and manifests show it.
const Version = "0.1.0"
