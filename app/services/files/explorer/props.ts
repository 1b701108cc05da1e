import type { EmbedTheme } from "../../../../embed-element/protocol";
import type { Listing } from "../listing";

/** What the embed page hands to the explorer once every check has passed. Specification, "Render embed". */
export interface ExplorerProps {
  token: string;
  /** when `token` ends, unix seconds */
  expiresAt: number;
  /** the server's clock when the page was rendered, unix seconds: the visitor's own may be wrong */
  serverNow: number;
  bucket: string;
  /** the highest folder that may be browsed: `/`, or the token's path */
  rootPath: string;
  /** the token's upload folder; null when uploads may go anywhere below `rootPath` */
  uploadFolder: string | null;
  /** exact origin of the page that holds the frame: the only one that is ever written to */
  parentOrigin: string;
  /** the token's origins: the only ones that are listened to */
  parentOrigins: string[];
  theme: EmbedTheme;
  /** a BCP 47 language tag */
  locale: string;
  /** the server runs on a developer's machine: what its operator should know is shown as well */
  development: boolean;
  /** the first folder, listed by the server, or why it could not be */
  listing:
    | { ok: true; folderPath: string; listing: Listing }
    | { ok: false; code: string; requestId?: string; advice?: string };
}
