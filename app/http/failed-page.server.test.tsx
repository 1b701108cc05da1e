import { renderToStaticMarkup } from "react-dom/server";
import { expect, it } from "vitest";
import { FailedPage, FailedRequestContext } from "./failed-page.server";

function render(url: string, requestId: string, headers: Record<string, string> = {}): string {
  const request = new Request(`https://platform.example${url}`, { headers });
  return renderToStaticMarkup(
    <FailedRequestContext.Provider value={{ request, requestId }}>
      <FailedPage styles={[]} />
    </FailedRequestContext.Provider>,
  );
}

it.each([
  ["its locale", "/embed/files?t=x&locale=he-IL", "fr", '<html lang="he-IL" dir="rtl">', "משהו השתבש"],
  ["the browser's", "/embed/files?t=x", "fr-CA,en;q=0.5", '<html lang="fr-CA" dir="ltr">', "problème"],
  ["English", "/embed/files?t=x", "tlh", '<html lang="en" dir="ltr">', "Something went wrong on our side"],
])("a page that failed is in %s", (_, url, accepted, html, title) => {
  const markup = render(url, "r-1", { "Accept-Language": accepted });
  expect(markup).toContain(html);
  expect(/<h1[^>]*>([^<]*)/.exec(markup)?.[1]).toContain(title);
  expect(markup).toContain("r-1");
});

it("puts nothing into its page that a request smuggles in", () => {
  const markup = render("/embed/files?locale=<script>alert(1)</script>", "<b>");
  expect(markup).not.toMatch(/alert|<b>/);
});
