import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startTestStack } from "../../tests/support/app/stack";
import { installElement, packElement } from "../../tests/support/integrator/element-package";

/**
 * Packs the element, installs it in one app for all bundlers, and starts the built app for the starters. Environment variables tell
 * the workers where they are.
 */
export default async function globalSetup(): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(tmpdir(), "platform-embed-bundlers-"));
  const app = join(folder, "app");
  const [tarball, stack] = await Promise.all([packElement(folder), startTestStack()]);
  await installElement(app, tarball, ["react@18", "react-dom@18", "@lit/react@1"]);
  process.env.BUNDLERS_APP = app;
  process.env.BUNDLERS_TARBALL = tarball;
  process.env.TEST_STACK = JSON.stringify(stack.info);
  return async () => {
    await stack.close();
    await rm(folder, { recursive: true, force: true });
  };
}
