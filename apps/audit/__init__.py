"""Who decided and changed what, in a chain that shows when somebody has altered it."""
