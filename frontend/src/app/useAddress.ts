/** Filters and order live in the address, so that a view can be linked to and gone back to. */
import { useCallback, useMemo } from "react";
import { useSearchParams } from "react-router";

export interface AddressState<Name extends string> {
  values: Partial<Record<Name, string>>;
  set: (name: Name, value: string) => void;
}

export function useAddress<Name extends string>(names: readonly Name[]): AddressState<Name> {
  const [search, setSearch] = useSearchParams();
  const key = names.join(" ");
  const values = useMemo(() => {
    const found: Partial<Record<Name, string>> = {};
    for (const name of key.split(" ") as Name[]) {
      const value = search.get(name);
      if (value) found[name] = value;
    }
    return found;
  }, [search, key]);
  const set = useCallback(
    (name: Name, value: string) =>
      setSearch(
        (old) => {
          const next = new URLSearchParams(old);
          if (value) next.set(name, value);
          else next.delete(name);
          return next;
        },
        { replace: true },
      ),
    [setSearch],
  );
  return { values, set };
}
