import type { UploadLimits } from "../../../../embed-element/shared/upload-limits";
import type { FrameProps } from "../../../embed/frame/frame-props";
import type { ScopeAction } from "./actions";
import type { Listing, QuotaState } from "./contract/storage-contract.server";

/** The service's key in the messages between the frame and its page. */
export const SERVICE = "files";

/** The explorer's own props, from the server. */
export interface FilesContent {
  bucket: string;
  /** the highest folder that may be browsed: `/`, or the token's path */
  rootPath: string;
  /** the folder that is shown first, at or below `rootPath` */
  startPath: string;
  /** where the embedding page asked to start, if that is no folder path or is outside of `rootPath` */
  refusedPath: string | null;
  /** what is chosen in the filters of the first folder, as the embedding page has kept it; not validated */
  startFilter: string;
  /** the token's upload folder; null when uploads may go anywhere below `rootPath` */
  uploadFolder: string | null;
  /** what the token allows besides browsing; `history` and `purge` only where the bucket keeps versions */
  actions: readonly ScopeAction[];
  limits: UploadLimits;
  /** files can be read only after a malware scanner has found them safe */
  onlyChecked: boolean;
  /** the first folder, listed by the server, or why it could not be */
  listing:
    | { ok: true; folderPath: string; listing: Listing }
    | { ok: false; code: string; requestId?: string; advice?: string };
  /**
   * The bucket has a catalogue that can be asked: what others change appears by itself, and sizes of folders are known, and orders of all
   * their files.
   */
  hasCatalogue: boolean;
  /** how full the token's quota is; null if it has none, or may not know. `late`: it was not known in time, so the explorer asks */
  quota: QuotaState["quota"] | "late";
}

export type ExplorerProps = FrameProps & FilesContent;
