import { type AppMode, type Part, type Ports, parts, StackError } from "./addresses";
import { isPortFree } from "./process/ports";

/** @throws StackError for the first port that another program listens on, among those that will be needed */
export async function checkPorts(ports: Ports, external: ReadonlySet<Part>, app: AppMode): Promise<void> {
  const unused = new Set<Part>(external);
  if (app !== "dev") unused.add("appRebuild");
  if (app === "none") unused.add("app").add("demo");
  for (const [part, port] of Object.entries(ports) as [Part, number][]) {
    if (unused.has(part) || (await isPortFree(port))) continue;
    const wayOut = part === "app" ? "PORT=3100 or LOCAL_PORT_OFFSET=100" : "LOCAL_PORT_OFFSET=100";
    throw new StackError(
      `Port ${port}, which ${parts[part].name} needs, is taken. Stop what listens there, or choose other ports with ${wayOut}.`,
    );
  }
}
