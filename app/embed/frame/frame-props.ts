import type { EmbedTheme } from "../../../embed-element/protocol";
import type { PageLanguage } from "../../locales/languages.server";
import type { PageAppearance } from "../appearance/read-appearance.server";

/** What the embed page hands to the view of any service once every check has passed. */
export interface FrameProps {
  token: string;
  /** when `token` ends, unix seconds */
  expiresAt: number;
  /** the server's clock when the page was rendered, unix seconds: the visitor's own may be wrong */
  serverNow: number;
  /** exact origin of the page that holds the frame: the only one that is ever written to */
  parentOrigin: string;
  /** the token's origins: the only ones that are listened to */
  parentOrigins: string[];
  /** under what the browser keeps where the person was: another for each company, service and scope */
  placeKey: string;
  theme: EmbedTheme;
  /** what the page has been rendered with */
  appearance: Pick<PageAppearance, "given" | "scheme">;
  language: PageLanguage;
  /** the server runs on a developer's machine: what its operator should know is shown as well */
  development: boolean;
}
