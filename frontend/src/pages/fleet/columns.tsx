import { Link } from "react-router";

import type { FleetNode } from "@/api/types";
import { paths } from "@/app/paths";
import { words } from "@/format/numbers";
import { rankText } from "@/parts/links";
import { GRADES, GradeMark } from "@/ui/Grade";
import { Tag } from "@/ui/Tag";
import { Time } from "@/ui/Time";
import type { Column } from "@/ui/table";

const ranks = (node: FleetNode): string =>
  node.rank_of.map(rankText).join(", ");

export const COLUMNS: readonly Column<FleetNode>[] = [
  { id: "name", header: "Node", cell: (node) => <Link to={paths.node(node.id)}>{node.name}</Link>, value: (node) => node.name },
  {
    id: "grade",
    header: "Grade",
    cell: (node) => <GradeMark grade={node.grade} stale={node.stale} />,
    // the worst first when sorted upwards
    value: (node) => GRADES.indexOf(node.grade),
  },
  { id: "state", header: "State", cell: (node) => <StateTag node={node} />, value: (node) => node.state },
  { id: "rack", header: "Rack", cell: (node) => node.rack?.name ?? <span className="dim">none</span>, value: (node) => node.rack?.name },
  { id: "class", header: "Class", cell: (node) => node.node_class.name, value: (node) => node.node_class.name },
  {
    id: "spare",
    header: "Spare",
    cell: (node) => (node.is_spare ? <Tag>{node.reserved_for ? "Reserved" : "Spare"}</Tag> : null),
    value: (node) => (node.is_spare ? 1 : 0),
  },
  { id: "ranks", header: "Holds", cell: (node) => ranks(node) || <span className="dim">nothing</span>, value: ranks },
  { id: "reported", header: "Last report", align: "right", cell: (node) => <Time at={node.reported_at} />, value: (node) => node.reported_at },
];

export const StateTag = ({ node }: { node: Pick<FleetNode, "state"> }) => (
  <Tag tone={node.state === "active" ? "quiet" : "plain"}>{words(node.state)}</Tag>
);
