"""Who belongs to a job, who owns which rank, and who may say so."""
