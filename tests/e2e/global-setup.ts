import { startTestStack } from "../support/app/stack";

/** Starts one built app and one local stack for all browser tests. Workers find it through environment variables. */
export default async function globalSetup(): Promise<() => Promise<void>> {
  const stack = await startTestStack();
  process.env.TEST_STACK = JSON.stringify(stack.info);
  process.env.TEST_OBJECTS_FOLDER = stack.objectsFolder;
  return () => stack.close();
}
