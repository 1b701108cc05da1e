import type { HeadersFunction, SerializeFrom } from "@remix-run/node";
import { LiveReload, useMatches } from "@remix-run/react";
import { STYLE_ID } from "./embed/appearance/appearance-style";
import embedStyles from "./embed/embed.css";
import type { embedPage } from "./http/embed-page.server";
import { EmbedPage, ScriptPreloads, useEmbedHandle } from "./http/embed-page-view.server";
import { FailedPage } from "./http/failed-page.server";
import { PageStyles } from "./http/page-styles.server";

/** Headers of a failed page. Remix reads them from the route that has the error boundary: this one. */
export const headers: HeadersFunction = ({ errorHeaders }) => errorHeaders ?? new Headers();

type Page = SerializeFrom<typeof embedPage>;

/** The document around every page. Only embed pages are pages; everything else responds with JSON. */
export default function Root() {
  const match = useMatches().at(-1);
  const page = match?.data as Page | undefined;
  const handle = useEmbedHandle();
  // A refused page does not need the service's stylesheet.
  const styles = page?.shown && handle ? [embedStyles, handle.stylesheet] : [embedStyles];
  const { theme = "auto", appearance } = page ?? {};
  return (
    <html
      lang={page?.language.locale ?? "en"}
      dir={page?.language.dir}
      data-theme={theme === "auto" ? (appearance?.scheme ?? theme) : theme}
      data-density={appearance?.density ?? undefined}
    >
      <head>
        <meta charSet="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="robots" content="noindex" />
        <link rel="icon" href="/icon.svg" type="image/svg+xml" />
        <title>{page && titleOf(page)}</title>
        {page?.shown && <ScriptPreloads />}
        <PageStyles hrefs={styles} nonce={page?.nonce} />
        {page?.appearance.css && <AppearanceStyle nonce={page.nonce} css={page.appearance.css} />}
      </head>
      <body>
        {page && <EmbedPage page={page} />}
        {page?.shown ? <LiveReload nonce={page.nonce} /> : null}
      </body>
    </html>
  );
}

/** The integrator's title, or the sentence `root` of the service's messages, or why the page is refused. */
const titleOf = (page: Page) =>
  page.shown
    ? (page.frame.title ?? String(page.language.sentences.root ?? page.service))
    : page.refused.title;

/** The colours that the embedding page has chosen. They are in the HTML, so that the default blue never flashes. */
function AppearanceStyle({ nonce, css }: { nonce: string; css: string }) {
  // biome-ignore lint/security/noDangerouslySetInnerHtml: made of numbers and of names without markup in them
  return <style id={STYLE_ID} nonce={nonce} dangerouslySetInnerHTML={{ __html: css }} />;
}

export function ErrorBoundary() {
  return <FailedPage styles={[embedStyles]} />;
}
