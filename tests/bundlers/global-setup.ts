import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { installElement, packElement } from "../support/element-package";

/** One app with the packed package for all bundlers; workers learn of it by an environment variable. */
export default async function globalSetup(): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(tmpdir(), "platform-embed-bundlers-"));
  const app = join(folder, "app");
  await installElement(app, await packElement(folder), ["react@18", "react-dom@18", "@lit/react@1"]);
  process.env.BUNDLERS_APP = app;
  return () => rm(folder, { recursive: true, force: true });
}
