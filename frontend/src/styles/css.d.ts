// each name that a sheet has; one that it has not is undefined at run time, and draws nothing
declare module "*.module.css" {
  const names: Readonly<Record<string, string>>;
  export default names;
}
