import { Link } from "react-router";

import { paths } from "@/app/paths";
import { PageHead } from "@/app/PageHead";
import { Notice } from "@/ui/States";

export default function NotFound() {
  return (
    <>
      <PageHead title="No such page" />
      <Notice icon="search" title="Nothing is at this address">
        <p>
          Go to the{" "}
          <Link className="link" to={paths.overview()}>
            overview
          </Link>
          , or find a node, job or swap with Ctrl K.
        </p>
      </Notice>
    </>
  );
}
