"""Inside the training process: steps, votes, mirrors, take-overs."""
