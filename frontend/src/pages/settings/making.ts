/** What is made in a dialog, and then shown the one time that it can be: which of the two is open. */
import { useState } from "react";

export function useMaking<Made>() {
  const [open, setOpen] = useState(false);
  const [made, setMade] = useState<Made | null>(null);
  return {
    /** Whether the dialog is open in which it is made. */
    open,
    /** What has been made and is still shown. */
    made,
    begin: () => setOpen(true),
    cancel: () => setOpen(false),
    show: (it: Made) => {
      setOpen(false);
      setMade(it);
    },
    forget: () => setMade(null),
  };
}
