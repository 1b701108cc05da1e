import type { EmbeddingPage } from "../../../../embed/frame/embedding-page";
import type { StorageClient } from "../../storage-client";
import type { List } from "../folder/use-list";
import type { Navigation } from "../folder/use-navigation";
import type { PageRequests } from "./use-page-requests";

export interface PageRequestsPanelProps {
  client: StorageClient;
  embeddingPage: EmbeddingPage;
  requests: PageRequests;
  list: Pick<List, "rows" | "selected">;
  navigation: Pick<Navigation, "name">;
  /** path of the open folder */
  here: string;
  /** the open folder is shown as it is now; nothing is chosen from the past */
  isNow: boolean;
  /** whether the token allows downloads */
  mayDownload: boolean;
  /** whether the token requires a tag */
  onlyChecked: boolean;
  /** for screen readers */
  announce(sentence: string): void;
}
