import type { Page } from "@playwright/test";
import { fileActions } from "../../app/services/files/actions";
import type { StackInfo } from "../../local/stack-info";
import { makeBucket, type TestBucket } from "../support/bucket";
import { issueEmbedUrl, makeEmbedClient, type TestEmbedClient } from "../support/embed-client";
import { IntegratorSite } from "../support/integrator-site";

/** An integrator of the real platform, with an API key and a bucket of its own, so that tests do not meet. */
export class Integrator extends IntegratorSite {
  client!: TestEmbedClient;
  /** what its backend asks for; a test may change it at any time */
  asks: { scope?: object; expiresInSeconds?: number } = {};

  constructor(
    private readonly stack: StackInfo,
    readonly bucket: TestBucket,
  ) {
    super();
    this.pages.set("/", pageWith(stack, EMBED_TAG));
  }

  override issue() {
    return issueEmbedUrl(this.stack, this.client, this.asks);
  }
}

/** `/` of its site holds the tag. */
export async function startIntegrator(stack: StackInfo): Promise<Integrator> {
  const integrator = new Integrator(stack, await makeBucket(stack));
  await integrator.start();
  const { bucket, origin } = integrator;
  await bucket.allowOrigins([stack.platformBaseUrl, origin]);
  integrator.client = await makeEmbedClient(stack, {
    bucket: bucket.name,
    origins: [origin],
    // What a token gets is what a test asks for: without, it is download and upload.
    files: { actions: [...fileActions] },
  });
  return integrator;
}

const FULL_PAGE =
  "body { margin: 0 } platform-embed, iframe { display: block; width: 100%; height: 100vh; border: 0 }";

/** A page that holds `body` and the element's script; unless `style` says otherwise, the embed takes all of it. */
export function pageWith(stack: StackInfo, body: string, style = FULL_PAGE): string {
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <title>Integrator</title>
    <link rel="icon" href="data:," />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <style>${style}</style>
    <script src="${stack.platformBaseUrl}/platform-embed.js" defer></script>
  </head>
  <body>${body}</body>
</html>`;
}

export const EMBED_TAG = `<platform-embed service="files" token-endpoint="/embed-url"></platform-embed>`;

/** A page that keeps what the element tells it in `window.told`. */
export const listening = `${EMBED_TAG}<script>
  window.told = [];
  for (const name of ["ready", "error", "token-refreshed", "session-expired", "navigate",
    "upload-progress", "upload-complete", "upload-failed"])
    document.addEventListener("platform-embed-" + name, ({ detail }) => told.push({ ...detail, name }));
</script>`;

/** What `listening` was told of one event. */
export const told = (page: Page, name: string): Promise<Record<string, unknown>[]> =>
  page.evaluate(
    (wanted) =>
      (window as unknown as { told: { name: string }[] }).told.filter(({ name }) => name === wanted),
    name,
  );
