import { expect, inject, it } from "vitest";
import { startBuiltApp } from "../support/app/built-app";
import { makeEmbedClient, postEmbedUrl } from "../support/app/embed-client";

const stack = inject("stack");

// Beside other tests, the processor would be so busy that some requests are refused: they wait for a connection for 3 seconds at most.
it("answers 500 requests for a URL at once, with four connections to the database", async () => {
  const { apiBaseUrl, close } = await startBuiltApp(stack, { POSTGRES_POOL_SIZE: "4" });
  try {
    const { apiKey, bucket } = await makeEmbedClient(stack);
    const body = { service: "files", scope: { bucket } };
    const ask = () => postEmbedUrl({ ...stack, apiBaseUrl }, apiKey, body);
    const answers = await Promise.all(Array.from({ length: 500 }, ask));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
  } finally {
    await close();
  }
});
