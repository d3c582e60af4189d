"""How a run is computed: number types, local work, and the only loop over rounds."""
