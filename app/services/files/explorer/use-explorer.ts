import { useState } from "react";
import type { FrameSession } from "../../../embed/frame/use-session";
import { StorageClient } from "../storage-client";
import { useChanges } from "./changes/use-changes";
import { useDownloads } from "./downloads/use-downloads";
import type { Row, SortColumn } from "./folder/folder-state";
import { useFolder } from "./folder/use-folder";
import { useList } from "./folder/use-list";
import { useNavigation } from "./folder/use-navigation";
import { useView } from "./grid/use-view";
import { useLanguage } from "./language";
import type { ExplorerProps } from "./props";
import { useUploads } from "./uploads/use-uploads";
import { useAnnouncements } from "./use-announcements";

export type ExplorerState = ReturnType<typeof useExplorer>;

/** All that the explorer's screen shows and can do. */
export function useExplorer(props: ExplorerProps, frame: FrameSession) {
  const { t } = useLanguage();
  const [client] = useState(
    () => new StorageClient(frame.session, props.bucket, { development: props.development }),
  );
  /** the id of the file in the preview */
  const [previewed, setPreviewed] = useState<string | null>(null);
  /** whose details are shown */
  const [detailed, setDetailed] = useState<Row | null>(null);
  const [view, setView] = useView();
  const folder = useFolder(client, props);
  const list = useList(folder);
  const { announcement, announce } = useAnnouncements(folder, list);
  const navigation = useNavigation(frame.host, props, folder, list, {
    announce,
    onLeave: () => setPreviewed(null),
  });
  const uploads = useUploads(client, frame, props, folder);
  const downloads = useDownloads(client, frame, props, announce);
  const changes = useChanges(props, folder, list);

  const sortBy = (column: SortColumn) => {
    // A person who sorts by date or size wants the newest or the largest first.
    const descending =
      list.sort.column === column ? !list.sort.descending : column === "modified" || column === "size";
    list.setSort({ column, descending });
    const direction = t(`announcements.${descending ? "descending" : "ascending"}`);
    announce(t("announcements.sorted", { column: t(column), direction }));
  };

  const shown = { previewed, setPreviewed, detailed, setDetailed, view, setView };
  const parts = { folder, list, sortBy, navigation, uploads, downloads, changes };
  return { ...frame, props, client, ...parts, ...shown, announcement, announce };
}
