"""A training job under test: started, disturbed, and judged by what its ranks wrote down."""
