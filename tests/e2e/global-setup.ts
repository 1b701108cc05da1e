import { startTestStack } from "../support/stack";

/** One built app and one local stack for all browser tests; workers learn of it by an environment variable. */
export default async function globalSetup(): Promise<() => Promise<void>> {
  const stack = await startTestStack();
  process.env.TEST_STACK = JSON.stringify(stack.info);
  return () => stack.close();
}
