import type { EmbedAppearance, FrameTexts } from "../protocol.js";

/**
 * Allows scripts with the platform's own origin, which its requests need; downloads; the browser's confirmation before a
 * running upload is left; and new tabs without restrictions.
 */
export const SANDBOX =
  "allow-scripts allow-same-origin allow-downloads allow-modals allow-popups allow-popups-to-escape-sandbox";

/** What the frame needs to know for its first rendering. */
export interface FrameSettings extends EmbedAppearance, FrameTexts {
  theme: string;
  locale: string;
  path: string | null;
  filter: string | null;
}

/** The embed URL with the settings as query parameters. Defaults are left out. */
export function withSettings(embedUrl: URL, settings: FrameSettings): URL {
  const url = new URL(embedUrl);
  // An isolated page has an embedder policy, so the frame needs one too.
  for (const [name, value] of Object.entries({ isolated: crossOriginIsolated, ...settings })) {
    // Servers refuse long URLs: a longer text reaches the frame a moment later, by `platform.embed.configure`.
    const text = String(value);
    if (value === 0 || (value && text !== "auto" && text.length < 500)) url.searchParams.set(name, text);
  }
  return url;
}
