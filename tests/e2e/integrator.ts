import type { Page } from "@playwright/test";
import { scopeActions } from "../../app/services/files/place/actions";
import type { StackInfo } from "../../local/stack-info";
import { issueEmbedUrl, makeEmbedClient, type TestEmbedClient } from "../support/app/embed-client";
import { makeBucket, type TestBucket } from "../support/files/bucket";
import { IntegratorSite } from "../support/integrator/integrator-site";

/** An integrator of the real platform. Each has its own API key and bucket, so that tests are independent. */
export class Integrator extends IntegratorSite {
  client!: TestEmbedClient;
  /** the request that its backend sends; a test may change it at any time */
  asks: { scope?: object; expiresInSeconds?: number; visitor?: object } = {};

  constructor(
    private readonly stack: StackInfo,
    readonly bucket: TestBucket,
  ) {
    super();
    this.pages.set("/", pageWith(stack, EMBED_TAG));
  }

  override issue(service = "files") {
    return issueEmbedUrl(this.stack, this.client, { service, ...this.asks });
  }
}

/** `/` of its site holds the tag. Without `itsBucket`, it gets a new one. */
export async function startIntegrator(stack: StackInfo, itsBucket?: TestBucket): Promise<Integrator> {
  const bucket = itsBucket ?? (await makeBucket(stack));
  const integrator = new Integrator(stack, bucket);
  await integrator.start();
  const { origin } = integrator;
  await bucket.allowOrigins([stack.platformBaseUrl, origin]);
  integrator.client = await makeEmbedClient(stack, {
    bucket: bucket.name,
    origins: [origin],
    // Tests may request other actions; the default is download and upload.
    files: { actions: [...scopeActions] },
  });
  return integrator;
}

const FULL_PAGE =
  "body { margin: 0 } platform-embed, iframe { display: block; width: 100%; height: 100vh; border: 0 }";

/** A page with `body` and the element's script. By default the embed fills the page. */
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

/** A page that records the element's events in `window.told`. */
export const listening = `${EMBED_TAG}<script>
  window.told = [];
  for (const name of ["ready", "error", "token-refreshed", "session-expired", "navigate",
    "upload-progress", "upload-complete", "upload-failed"])
    document.addEventListener("platform-embed-" + name, ({ detail }) => told.push({ ...detail, name }));
</script>`;

/** Returns the details of one event that `listening` recorded. */
export const told = (page: Page, name: string): Promise<Record<string, unknown>[]> =>
  page.evaluate(
    (wanted) =>
      (window as unknown as { told: { name: string }[] }).told.filter(({ name }) => name === wanted),
    name,
  );
