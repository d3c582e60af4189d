"""Are the papers right? One folder per paper: which scenarios, which checks. A module that defines CHECKS adds its checks."""
