import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { installElement, packElement } from "../support/integrator/element-package";

/** Packs the element, and installs it in one app for all bundlers. Environment variables tell the workers where they are. */
export default async function globalSetup(): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(tmpdir(), "platform-embed-bundlers-"));
  const app = join(folder, "app");
  const tarball = await packElement(folder);
  await installElement(app, tarball, ["react@18", "react-dom@18", "@lit/react@1"]);
  process.env.BUNDLERS_APP = app;
  process.env.BUNDLERS_TARBALL = tarball;
  return () => rm(folder, { recursive: true, force: true });
}
