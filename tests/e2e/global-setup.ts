import { startTestStack } from "../support/app/stack";

/** Starts one built app and one local stack for all browser tests. Workers find it through an environment variable. */
export default async function globalSetup(): Promise<() => Promise<void>> {
  const stack = await startTestStack();
  process.env.TEST_STACK = JSON.stringify(stack.info);
  return () => stack.close();
}
