import type { TestProject } from "vitest/node";
import type { StackInfo } from "../../../local/stack-info";
import { startTestStack } from "../app/stack";

declare module "vitest" {
  interface ProvidedContext {
    stack: StackInfo;
  }
}

/** One built app and one local stack for all integration tests. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const stack = await startTestStack();
  project.provide("stack", stack.info);
  return () => stack.close();
}
