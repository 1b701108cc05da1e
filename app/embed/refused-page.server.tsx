import { readFileSync } from "node:fs";
import { PROTOCOL_VERSION } from "../../embed-element/protocol";
import { jsonForScript, REFUSED_FRAME_ID, type RefusedFrame } from "./hydration";

export interface RefusedPageProps {
  nonce: string;
  refused: {
    service: string;
    code: string;
    title: string;
    text: string;
    /** what the integrator can do; null in production, and if there is nothing to do */
    advice: string | null;
    /** a sentence with the request's id */
    request: string;
    embeddingOrigin: string | null;
  };
  /** a frame that another token may open: a script asks for one */
  frame: RefusedFrame | null;
}

/** The unauthorized state: what is wrong, what to do, and a code. It reveals nothing about the token. */
export function RefusedPage({ nonce, refused, frame }: RefusedPageProps) {
  return (
    <main className="embed-state embed-state--page">
      <span className="embed-state__icon">
        <svg viewBox="0 0 24 24" aria-hidden="true">
          <path d="M7.75 10.75v-2.5a4.25 4.25 0 0 1 8.5 0v2.5M6.75 10.75h10.5a1.5 1.5 0 0 1 1.5 1.5v6a1.5 1.5 0 0 1-1.5 1.5H6.75a1.5 1.5 0 0 1-1.5-1.5v-6a1.5 1.5 0 0 1 1.5-1.5Z" />
        </svg>
      </span>
      <h1 className="embed-state__title">{refused.title}</h1>
      <p className="embed-state__text">{refused.text}</p>
      {refused.advice && (
        <p className="embed-state__text" lang="en" dir="ltr">
          {refused.advice}
        </p>
      )}
      <p className="embed-state__code">
        <code>{refused.code}</code> · {refused.request}
      </p>
      <script
        nonce={nonce}
        // biome-ignore lint/security/noDangerouslySetInnerHtml: made from values that are encoded for a script below
        dangerouslySetInnerHTML={{ __html: tellEmbeddingPage(refused) }}
      />
      {frame && (
        <>
          <script
            id={REFUSED_FRAME_ID}
            type="application/json"
            nonce={nonce}
            // biome-ignore lint/security/noDangerouslySetInnerHtml: encoded for a script
            dangerouslySetInnerHTML={{ __html: jsonForScript(frame) }}
          />
          <script
            type="module"
            nonce={nonce}
            // biome-ignore lint/security/noDangerouslySetInnerHtml: our script, in which esbuild has escaped `</script`
            dangerouslySetInnerHTML={{ __html: frameScript() }}
          />
        </>
      )}
    </main>
  );
}

let script: string | undefined;

/** What `frame/replace-refused-page.ts` is built to. */
function frameScript(): string {
  script ??= readFileSync("build/replace-refused-page.js", "utf8");
  return script;
}

/** Reports the error to the embedding page, so that `<platform-embed>` can show it; only to an exact origin. */
function tellEmbeddingPage({ service, code, embeddingOrigin }: RefusedPageProps["refused"]): string {
  const message = { type: "platform.embed.error", version: PROTOCOL_VERSION, service, code };
  return (
    "if(window.parent!==window){" +
    `var to=${jsonForScript(embeddingOrigin)}||(location.ancestorOrigins||[])[0];` +
    `if(to&&to!=="null")window.parent.postMessage(${jsonForScript(message)},to)}`
  );
}
