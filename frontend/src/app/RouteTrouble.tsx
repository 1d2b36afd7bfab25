import { Button } from "@mantine/core";
import { useRouteError } from "react-router";

import { Notice } from "@/ui/States";

/** A fault of the dashboard itself, or a page whose file is gone since a new version came. */
export function RouteTrouble() {
  const error = useRouteError();
  const detail = error instanceof Error ? error.message : String(error);
  return (
    <Notice
      icon="warn"
      title="This page could not be shown"
      role="alert"
      action={
        <Button size="xs" variant="default" onClick={() => location.reload()}>
          Load it anew
        </Button>
      }
    >
      A newer version may have been installed. {detail}
    </Notice>
  );
}
