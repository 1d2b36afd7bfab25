import type { ReactNode } from "react";
import { useEffect } from "react";
import { Link } from "react-router";

import { CopyId } from "@/ui/CopyId";

import styles from "./head.module.css";

interface PageHeadProps {
  title: string;
  /** The list that this object is in. */
  parent?: readonly [label: string, path: string];
  id?: string;
  tags?: ReactNode;
  actions?: ReactNode;
}

export function PageHead({ title, parent, id, tags, actions }: PageHeadProps) {
  useEffect(() => {
    document.title = `${title} · Hotswap`;
  }, [title]);
  return (
    <header className={styles.head}>
      <div className={styles.words}>
        {parent ? (
          <nav aria-label="Breadcrumb" className={styles.parent}>
            <Link to={parent[1]}>{parent[0]}</Link>
            <span aria-hidden="true">/</span>
            {id ? <CopyId value={id} /> : null}
          </nav>
        ) : null}
        <div className="row wrap">
          <h1>{title}</h1>
          {tags}
        </div>
      </div>
      {actions ? <div className={styles.actions}>{actions}</div> : null}
    </header>
  );
}
