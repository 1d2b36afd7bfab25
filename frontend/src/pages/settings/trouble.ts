import { isProblem } from "@/api/client";

/** What went wrong with a form: what is said of its fields where there is any, the whole otherwise. */
export function troubleText(error: Error | null): string | null {
  if (!error) return null;
  const said = isProblem(error) ? Object.values(error.body.fields ?? {}).flat() : [];
  return said.length > 0 ? said.join(" ") : error.message;
}
