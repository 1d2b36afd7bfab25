import { Link } from "react-router";

import type { Overview } from "@/api/types";
import { paths } from "@/app/paths";
import { Banner } from "@/ui/Banner";

import { remarksOf, sentenceOf } from "./attention";

export function Attention({ data }: { data: Overview }) {
  const remarks = remarksOf(data);
  const mine = remarks.some((remark) => remark.mine);
  const icon = remarks.length === 0 ? "check" : mine ? "approvals" : "info";
  return (
    <Banner
      icon={icon}
      action={
        mine ? (
          <Link className="link" to={`${paths.approvals()}?mine=true`}>
            Review
          </Link>
        ) : null
      }
    >
      {remarks.length === 0 ? <span className="ink2">{sentenceOf(remarks)}</span> : sentenceOf(remarks)}
    </Banner>
  );
}
