import type { EntryContext, SerializeFrom } from "@remix-run/node";
import { type ComponentType, createContext, StrictMode, useContext } from "react";
import { renderToString } from "react-dom/server";
import type { VisibleMessage } from "../../embed-element/protocol";
import type { FrameProps } from "../embed/frame/frame-props";
import { type EmbedHandle, type HydrationData, jsonForScript, PROPS_ID, VIEW_ID } from "../embed/hydration";
import { RefusedPage } from "../embed/refused-page.server";
import type { EmbedService } from "../embed/service";
import type { embedPage } from "./embed-page.server";

/** The page of an embedded service: its view, or the reason why it is not shown. */
export function EmbedPage({ page }: { page: SerializeFrom<typeof embedPage> }) {
  const handle = useEmbedHandle();
  if (!page.shown) return <RefusedPage nonce={page.nonce} refused={page.refused} frame={page.frame} />;
  if (handle === undefined) throw new Error("A service's page has no handle.");
  const { service, frame, content, theme, language, nonce } = page;
  const { given, scheme } = page.appearance;
  const settings = { theme, language, appearance: { given, scheme } };
  const props = { ...frame, ...content, ...settings };
  return <HydratedView View={handle.View} props={props} service={service} nonce={nonce} />;
}

interface FirstScriptProps {
  nonce: string;
  service: string;
  embeddingOrigin: string;
  placeKey: string;
}

/**
 * What is not left to the other scripts, which take seconds to load on a slow connection.
 *
 * - It tells the embedding page that the first folder can be seen. After a reload the scripts may open the folder that the tab had open
 *   before (`keptPlace`), and so it says nothing.
 * - It refuses dragged files where nothing takes them yet: a browser would show such a file in place of the page.
 * - If the browser keeps the page for its Back button before the view has started, it removes everything. The view takes the token out of the
 *   URL when it starts, and hides itself from then on (`SessionState.wasLeft`). Without a token, the frame asks for one when it is back.
 */
function FirstScript({ nonce, service, embeddingOrigin, placeKey }: FirstScriptProps) {
  const message: VisibleMessage = { type: "platform.embed.visible", service };
  const script = `
    let kept = null;
    try { kept = sessionStorage.getItem(${jsonForScript(placeKey)}); } catch {}
    if (window.parent !== window && kept === null)
      window.parent.postMessage(${jsonForScript(message)}, ${jsonForScript(embeddingOrigin)});
    window.addEventListener("dragover", (event) => {
      if (event.defaultPrevented || !event.dataTransfer.types.includes("Files")) return;
      event.preventDefault();
      event.dataTransfer.dropEffect = "none";
    });
    window.addEventListener("pagehide", ({ persisted }) => {
      const url = new URL(window.location.href);
      if (!persisted || !url.searchParams.has("t")) return;
      document.body.replaceChildren();
      window.addEventListener("pageshow", () => {
        url.searchParams.delete("t");
        window.location.replace(url);
      });
    });`;
  // biome-ignore lint/security/noDangerouslySetInnerHtml: made of values that are encoded for a script
  return <script nonce={nonce} dangerouslySetInnerHTML={{ __html: `{${script}}` }} />;
}

/** What the compiler made of a page. */
interface PageModule {
  /** URLs */
  scripts: {
    entry: string;
    /** the script of the page's route, which has its view */
    page: string;
    /** the scripts that both import */
    shared: readonly string[];
  };
  handle: EmbedHandle<EmbedService> | undefined;
}

/** Set by `entry.server.tsx`, which has the compiler's manifest. */
export const PageModuleContext = createContext<PageModule | null>(null);

/** The handle of the page that is rendered; undefined for pages of no service. */
export const useEmbedHandle = () => useContext(PageModuleContext)?.handle;

/**
 * The module of the page to render: that of the innermost matched route. If its loader has chosen a further page of the service
 * (`hand-in`), it is that page's: `services/files/hand-in/page` in place of `services/files/page`.
 */
export function pageModuleOf({
  manifest,
  routeModules,
  staticHandlerContext,
}: EntryContext): PageModule | null {
  const { matches, loaderData } = staticHandlerContext;
  const matched = matches.at(-1)?.route.id ?? "";
  const { pageKey }: { pageKey?: unknown } = Object(loaderData[matched]);
  const id = typeof pageKey === "string" ? matched.replace(/page$/, `${pageKey}/page`) : matched;
  const route = manifest.routes[id];
  if (!route) return null;
  const handle = routeModules[id]?.handle as EmbedHandle<EmbedService> | undefined;
  const { entry } = manifest;
  const shared = [...new Set([...entry.imports, ...(route.imports ?? [])])];
  return { scripts: { entry: entry.module, page: route.module, shared }, handle };
}

/** For the head: the browser requests the page's scripts while it still receives the rows. */
export function ScriptPreloads() {
  const scripts = useContext(PageModuleContext)?.scripts;
  if (scripts === undefined) return null;
  return [scripts.entry, scripts.page, ...scripts.shared].map((href) => (
    <link key={href} rel="modulepreload" href={href} />
  ));
}

interface HydratedViewProps {
  View: ComponentType<FrameProps>;
  props: FrameProps;
  service: string;
  nonce: string;
}

/**
 * A view with the scripts and props that hydrate it. It is rendered as a React root of its own, as it is hydrated, so
 * that `useId` returns the same ids on both sides.
 */
function HydratedView({ View, props, service, nonce }: HydratedViewProps) {
  const scripts = useContext(PageModuleContext)?.scripts;
  if (scripts === undefined) throw new Error("The page was rendered without the URLs of its scripts.");
  const rendered = renderToString(
    <StrictMode>
      <View {...props} />
    </StrictMode>,
  );
  const hydration: HydrationData = { module: scripts.page, props };
  return (
    <>
      {/* biome-ignore lint/security/noDangerouslySetInnerHtml: React has rendered it just now */}
      <div id={VIEW_ID} dangerouslySetInnerHTML={{ __html: rendered }} />
      <FirstScript nonce={nonce} service={service} {...props} />
      <script
        id={PROPS_ID}
        type="application/json"
        nonce={nonce}
        // biome-ignore lint/security/noDangerouslySetInnerHtml: encoded for a script
        dangerouslySetInnerHTML={{ __html: jsonForScript(hydration) }}
      />
      <script type="module" nonce={nonce} src={scripts.entry} />
    </>
  );
}
