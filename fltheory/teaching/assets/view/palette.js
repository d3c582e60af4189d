// Okabe and Ito's palette, which colour-blind readers can tell apart; each colour also has a dash and a marker of its own.

const LIGHT = {
  paper: "#ffffff", ink: "#1d2125", soft: "#5a6068", faint: "#d9dce1", pale: "#e0e3e8", grey: "#a9b0ba", both: "#9cc4dd",
  vermillion: "#d55e00", blue: "#0072b2", sky: "#3c9fd8", orange: "#e69f00", green: "#009e73", purple: "#b85c90", yellow: "#c9b800",
};
const DARK = {
  paper: "#14171c", ink: "#eef1f4", soft: "#a9b1ba", faint: "#363c45", pale: "#c3c9d1", grey: "#7d8590", both: "#9cc4dd",
  vermillion: "#ff8a3d", blue: "#4aa8e8", sky: "#9ad4f7", orange: "#f0b431", green: "#2fc79b", purple: "#e79bc4", yellow: "#f0e442",
};

// Letters need more contrast with white than curves do.
LIGHT.text = { ...LIGHT, vermillion: "#b34d00", blue: "#0069a5", sky: "#2878a8", orange: "#8a5f00", green: "#00795a", purple: "#9a4476" };
DARK.text = DARK;

export const ROLES = {
  fedavg: { colour: "vermillion", dash: "", marker: "square" },
  fedprox: { colour: "purple", dash: "9 4 2 4", marker: "diamond" },
  mifa: { colour: "blue", dash: "", marker: "circle" },
  fedlaavg: { colour: "sky", dash: "7 6", marker: "triangle" },
  sampling: { colour: "green", dash: "3 4", marker: "cross" },
};

// Tiles that say who is there are grey: colours belong to methods.
export const TILES = ["pale", "grey"];

export const palette = (dark) => (dark ? DARK : LIGHT);
