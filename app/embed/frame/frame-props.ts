import type { EmbedTheme, FrameTexts } from "../../../embed-element/protocol";
import type { PageLanguage } from "../../locales/languages.server";
import type { PageAppearance } from "../appearance/read-appearance.server";

/** The props that every service's view gets. */
export interface FrameProps {
  token: string;
  /** what the integrator calls that which the page shows; null: nothing in particular */
  title: string | null;
  /** when `token` expires, unix seconds */
  expiresAt: number;
  /** the server's clock when it rendered the page, unix seconds: the visitor's may be wrong */
  serverNow: number;
  /** exact origin of the embedding page: the only target of messages */
  embeddingOrigin: string;
  /** the token's origins: the only sources of messages */
  allowedOrigins: string[];
  /** key in the session storage for `keepPlace`; differs by company, service and scope */
  placeKey: string;
  /** differs by company and visitor; visitors without an id have the same. For what the browser remembers of a visitor */
  visitorKey: string;
  theme: EmbedTheme;
  /** the appearance that the page was rendered with */
  appearance: Pick<PageAppearance, "given" | "scheme">;
  language: PageLanguage;
  /** the embedding page's own words that the page was rendered with */
  texts: FrameTexts;
  /** the server runs on a developer's machine: errors include advice for its operator */
  development: boolean;
}
