/** The script of a refused page. `npm run build:assets` makes `build/replace-refused-page.js` of it, which the page contains. */
import { REFUSED_FRAME_ID, type RefusedFrame } from "../hydration";
import { EmbeddingPage } from "./embedding-page-messages";
import { TokenSession } from "./token-session";

/**
 * Asks the embedding page for a token, by the messages and at the times of a frame whose token has expired, and loads the frame again with
 * the first token that the server accepts.
 */
async function replaceRefusedPage(refused: RefusedFrame): Promise<void> {
  const { service, embeddingOrigin, parameters, serverNow } = refused;
  if (window.parent === window) return;
  const embeddingPage = new EmbeddingPage({ embeddingOrigin, allowedOrigins: [embeddingOrigin] });
  const none = { token: "", expiresAt: serverNow - 1, serverNow };
  const session = new TokenSession(service, none, embeddingPage);
  session.start();
  for (;;) {
    const token = await session.freshToken();
    const url = new URL(window.location.href);
    for (const [name, value] of Object.entries({ ...parameters, t: token }))
      url.searchParams.set(name, value);
    // Another refused page would not be better than this one.
    const isAccepted = await fetch(url, { method: "HEAD" }).then(
      ({ ok }) => ok,
      () => false,
    );
    if (isAccepted) return window.location.replace(url);
    session.reportExpired(token);
  }
}

const refused = document.getElementById(REFUSED_FRAME_ID)?.textContent;
if (refused) void replaceRefusedPage(JSON.parse(refused));
