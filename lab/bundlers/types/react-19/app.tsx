import type { PlatformEmbedElement } from "platform-embed-element";
import type {} from "platform-embed-element/types/react";
import { useRef } from "react";

export function Files() {
  const embed = useRef<PlatformEmbedElement>(null);
  return (
    <div className="files" onClick={() => embed.current?.navigate("/invoices")}>
      <platform-embed
        ref={embed}
        className="files"
        id="files"
        service="files"
        scope={{ bucket: "acme", path: "/invoices" }}
        tokenEndpoint="/embed-url"
        theme="dark"
        height="auto"
        loading="lazy"
        appearance={{ accent: "#0f766e", radius: 12 }}
        fetchToken={async ({ service, signal }) => (await fetch(`/${service}`, { signal })).json()}
        onplatform-embed-ready={({ detail }) => detail.expiresAt.toFixed()}
        onplatform-embed-error={({ detail }) => detail.code.length}
        path="/invoices"
        filter="kind=pdf"
        onplatform-embed-ended={({ detail }) => detail.service.length}
        onplatform-embed-before-upload={({ detail }) => detail.refuse("No.")}
      >
        <p slot="loading">One moment…</p>
      </platform-embed>
      <platform-embed
        scope={JSON.stringify({ bucket: "acme" })}
        token-endpoint="/embed-url"
        frame-title="Files"
      />
      {/* @ts-expect-error: there is no such theme */}
      <platform-embed theme="pink" />
      {/* @ts-expect-error: a number is no scope */}
      <platform-embed scope={5} />
      {/* @ts-expect-error: this detail has no key */}
      <platform-embed onplatform-embed-ready={({ detail }) => detail.key} />
      {/* @ts-expect-error: it answers no token */}
      <platform-embed fetchToken={async () => ({ token: "x" })} />
    </div>
  );
}
