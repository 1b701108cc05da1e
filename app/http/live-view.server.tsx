import type { EntryContext } from "@remix-run/node";
import { type ComponentType, createContext, type ReactNode, StrictMode, useContext } from "react";
import { renderToString } from "react-dom/server";
import { encodeForScript } from "../embed/encode-for-script";
import { type LivePage, PROPS_ID, VIEW_ID } from "../embed/live-page";

/** Addresses of the built scripts of the page that is being rendered. */
export interface PageScripts {
  entry: string;
  /** of the page's own route, where its view is */
  page: string;
  /** what the two import */
  shared: readonly string[];
}

/** Set by `entry.server.tsx`, which alone knows what the compiler has made. */
export const PageScriptsContext = createContext<PageScripts | null>(null);

/** The scripts of the innermost route that answers. */
export function scriptsOf({ manifest, staticHandlerContext }: EntryContext): PageScripts | null {
  const route = manifest.routes[staticHandlerContext.matches.at(-1)?.route.id ?? ""];
  if (!route) return null;
  const { entry } = manifest;
  return {
    entry: entry.module,
    page: route.module,
    shared: [...new Set([...entry.imports, ...(route.imports ?? [])])],
  };
}

interface LiveViewProps<Props extends object> {
  View: ComponentType<Props>;
  props: Props;
  nonce: string;
  /** what comes right behind it */
  children: ReactNode;
}

/**
 * A view, and what makes it live in the browser. It is rendered as a root of its own, as the browser makes it live, so that the ids that React
 * gives out are the same there.
 */
export function LiveView<Props extends object>({ View, props, nonce, children }: LiveViewProps<Props>) {
  const scripts = useContext(PageScriptsContext);
  if (scripts === null) throw new Error("The page was rendered without the addresses of its scripts.");
  const rendered = renderToString(
    <StrictMode>
      <View {...props} />
    </StrictMode>,
  );
  const live: LivePage = { module: scripts.page, props };
  return (
    <>
      {/* biome-ignore lint/security/noDangerouslySetInnerHtml: React has rendered it just now */}
      <div id={VIEW_ID} dangerouslySetInnerHTML={{ __html: rendered }} />
      {children}
      <script
        id={PROPS_ID}
        type="application/json"
        nonce={nonce}
        // biome-ignore lint/security/noDangerouslySetInnerHtml: encoded for a script
        dangerouslySetInnerHTML={{ __html: encodeForScript(live) }}
      />
      {[scripts.page, ...scripts.shared].map((href) => (
        <link key={href} rel="modulepreload" href={href} />
      ))}
      <script type="module" nonce={nonce} src={scripts.entry} />
    </>
  );
}
