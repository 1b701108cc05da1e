import { readFileSync } from "node:fs";
import { signEmbedToken, verifyEmbedToken } from "../../../app/embed/embed-token.server";
import type { StackInfo } from "../../../local/stack-info";
import type { Integrator } from "../../e2e/integrator";

/** The guide's page with a plain iframe. It replies to `token-expired` with `token-refreshed`, and to nothing else. */
export function guideIframe(): string {
  const [, page = ""] = /^```html\n([\s\S]*?)^```$/m.exec(readFileSync("docs/guide/iframe.md", "utf8")) ?? [];
  return page.replace("</head>", `<link rel="icon" href="data:," /></head>`);
}

/** An embed URL whose token ended a minute ago. */
export async function expiredUrl(integrator: Integrator, stack: StackInfo): Promise<string> {
  const { url, token } = await integrator.issue();
  const secret = stack.embedSigningSecret;
  const now = Math.floor(Date.now() / 1000);
  const payload = { ...verifyEmbedToken(token, [secret], 0), iat: now - 960, exp: now - 60 };
  return url.replace(token, signEmbedToken(payload, secret));
}

/** Responds to the next requests for a URL with these, and to all further ones correctly. */
export function respondWith(integrator: Integrator, ...urls: string[]): void {
  integrator.respond = (response, request) => {
    const url = urls.shift();
    if (url === undefined) return integrator.grant(response, request);
    integrator.json(response, 200, { url, expiresAt: 0, service: "files" });
  };
}
