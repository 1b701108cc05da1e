import { useLoaderData, useMatches } from "@remix-run/react";
import type { EmbedHandle } from "../embed/embed-handle";
import { RefusedPage } from "../embed/refused-page.server";
import type { EmbedService } from "../embed/service";
import type { embedPage } from "./embed-page.server";
import { EarlyScript } from "./inlined.server";
import { LiveView } from "./live-view.server";

/** The page of the service whose route this is: its view, or why it may not be shown. */
export default function EmbedPage() {
  const page = useLoaderData<typeof embedPage>();
  const handle = useMatches().at(-1)?.handle as EmbedHandle<EmbedService>;
  if (!page.shown) return <RefusedPage nonce={page.nonce} refused={page.refused} />;
  const { service, frame, content, theme, language, nonce } = page;
  const { given, scheme } = page.appearance;
  const settings = { theme, language, appearance: { given, scheme } };
  return (
    <LiveView View={handle.View} props={{ ...frame, ...content, ...settings }} nonce={nonce}>
      <EarlyScript nonce={nonce} service={service} {...frame} />
    </LiveView>
  );
}
