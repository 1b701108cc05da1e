import { renderToStaticMarkup } from "react-dom/server";
import { describe, expect, it, vi } from "vitest";
import { RefusedPage } from "./refused-page.server";

const refused = {
  service: "files",
  code: "token_expired",
  title: "This view's access has expired",
  text: "Load the page around it again.",
  advice: null as string | null,
  request: "request <1>",
  embeddingOrigin: "https://app.example.com" as string | null,
};
const render = (changes: Partial<typeof refused> = {}) =>
  renderToStaticMarkup(<RefusedPage nonce="n0nce" refused={{ ...refused, ...changes }} frame={null} />);

/** Runs the page's script in a frame of a page, or of none, and returns what was posted to it. */
function runScript(
  html: string,
  { ancestorOrigins, framed = true }: { ancestorOrigins?: string[]; framed?: boolean } = {},
) {
  const postMessage = vi.fn();
  const window: { parent?: unknown } = {};
  window.parent = framed ? { postMessage } : Object.assign(window, { postMessage });
  const [, script = ""] = /<script[^>]*>(.*)<\/script>/s.exec(html) ?? [];
  new Function("window", "location", script)(window, { ancestorOrigins });
  return postMessage.mock.calls;
}

const message = { type: "platform.embed.error", version: 1, service: "files", code: "token_expired" };

describe("the page of a refused embed", () => {
  it("says what is the matter, what to do, and what to quote", () => {
    const html = render();
    expect(html).toContain('<h1 class="embed-state__title">This view&#x27;s access has expired</h1>');
    expect(html).toContain('<p class="embed-state__text">Load the page around it again.</p>');
    expect(html).toContain("<code>token_expired</code> · request &lt;1&gt;");
    expect(html).not.toContain('lang="en"');
    expect(render({ advice: "Ask for a new URL." })).toContain(
      '<p class="embed-state__text" lang="en" dir="ltr">Ask for a new URL.</p>',
    );
    expect(html).toMatch(/<main class="embed-state embed-state--page">.*<script nonce="n0nce">/s);
  });

  it("tells the embedding page at its exact origin", () => {
    expect(runScript(render())).toEqual([[message, "https://app.example.com"]]);
    // The browser's own word does not outweigh what the server found.
    expect(runScript(render(), { ancestorOrigins: ["https://b.example"] })).toEqual([
      [message, "https://app.example.com"],
    ]);
  });

  it("asks the browser for the origin where the server does not know it", () => {
    const html = render({ embeddingOrigin: null });
    expect(runScript(html, { ancestorOrigins: ["https://b.example"] })).toEqual([
      [message, "https://b.example"],
    ]);
    expect(runScript(html, { ancestorOrigins: ["null"] })).toEqual([]);
    expect(runScript(html, { ancestorOrigins: [] })).toEqual([]);
    expect(runScript(html)).toEqual([]);
  });

  it("tells nobody when it is not in a frame", () => {
    expect(runScript(render(), { framed: false })).toEqual([]);
  });

  it("holds no script but its own, whatever the service is called", () => {
    const html = render({ service: "</script><script>alert(1)</script><!--<script>" });
    expect(html.match(/<\/?script/g)).toHaveLength(2);
    expect(html).not.toContain("<!--");
    expect(runScript(html)).toMatchObject([
      [{ service: "</script><script>alert(1)</script><!--<script>" }, refused.embeddingOrigin],
    ]);
  });
});
