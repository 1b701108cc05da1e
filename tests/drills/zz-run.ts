import { startTestStack } from "../support/stack";
import { drillTransfers } from "./zz-large";
const stack = await startTestStack();
for await (const r of drillTransfers(stack.info)) console.log(new Date().toISOString(), JSON.stringify(r));
await stack.close();
process.exit(0);
