/** Who is signed in, for which tenant they look, and what they may do there. */
import type { ReactNode } from "react";
import { createContext, use, useMemo, useState } from "react";

import type { Me, Role, TenantRoles } from "@/api/types";

const TENANT_KEY = "hotswap.tenant";

export interface Session {
  me: Me;
  tenant: TenantRoles;
  tenantChoose: (id: string) => void;
  may: (role: Role) => boolean;
}

const Context = createContext<Session | null>(null);

/** An operator sees all that a viewer sees; the other roles stand beside each other. */
const IMPLIED: Readonly<Partial<Record<Role, readonly Role[]>>> = { viewer: ["operator"] };

export function SessionProvider({ me, children }: { me: Me; children: ReactNode }) {
  const [chosen, setChosen] = useState(() => localStorage.getItem(TENANT_KEY));
  const tenant = me.tenants.find(({ id }) => id === chosen) ?? me.tenants[0];
  const session = useMemo<Session | null>(
    () =>
      tenant
        ? {
            me,
            tenant,
            tenantChoose: (id) => {
              localStorage.setItem(TENANT_KEY, id);
              setChosen(id);
            },
            may: (role) => [role, ...(IMPLIED[role] ?? [])].some((one) => tenant.roles.includes(one)),
          }
        : null,
    [me, tenant],
  );
  return session ? <Context value={session}>{children}</Context> : null;
}

/** The session of everything below the frame; there is always one there. */
export function useSession(): Session {
  const session = use(Context);
  if (!session) throw new Error("useSession is used outside of the frame");
  return session;
}
