import { PROTOCOL_VERSION } from "../../embed-element/protocol";

export interface RefusedPageProps {
  nonce: string;
  refused: {
    service: string;
    code: string;
    title: string;
    advice: string;
    requestId: string;
    parentOrigin: string | null;
  };
}

/** The unauthorized embed state: what is the matter, what to do about it, and a code. It says nothing of the token. */
export function RefusedPage({ nonce, refused }: RefusedPageProps) {
  return (
    <main className="embed-state embed-state--page">
      <svg
        className="embed-state__icon"
        viewBox="0 0 24 24"
        width="40"
        height="40"
        fill="none"
        stroke="currentColor"
        strokeWidth="1.5"
        strokeLinecap="round"
        strokeLinejoin="round"
        aria-hidden="true"
      >
        <rect x="4.5" y="10.5" width="15" height="10" rx="2" />
        <path d="M8 10.5V7.5a4 4 0 0 1 8 0v3" />
      </svg>
      <h1 className="embed-state__title">{refused.title}</h1>
      <p className="embed-state__text">{refused.advice}</p>
      <p className="embed-state__code">
        <code>{refused.code}</code> · request <code>{refused.requestId}</code>
      </p>
      <script
        nonce={nonce}
        suppressHydrationWarning
        // biome-ignore lint/security/noDangerouslySetInnerHtml: built from values that are encoded for a script below
        dangerouslySetInnerHTML={{ __html: tellParent(refused) }}
      />
    </main>
  );
}

/** Tells the page around, so that `<platform-embed>` can say more than that nothing came. Exact origin, or not at all. */
function tellParent({ service, code, parentOrigin }: RefusedPageProps["refused"]): string {
  const message = { type: "platform.embed.error", version: PROTOCOL_VERSION, service, code };
  return (
    "if(window.parent!==window){" +
    `var to=${encodeForScript(parentOrigin)}||(location.ancestorOrigins||[])[0];` +
    `if(to&&to!=="null")window.parent.postMessage(${encodeForScript(message)},to)}`
  );
}

/** JSON that cannot end the script element it stands in. */
function encodeForScript(value: unknown): string {
  return JSON.stringify(value).replace(/</g, "\\u003c");
}
