"""Who may decide a request, and what a decision leads to. Pure."""
