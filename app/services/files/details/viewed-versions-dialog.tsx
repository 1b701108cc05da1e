import type { FilesClient, Row } from "platform-embed-element/client";
import type { ReactNode } from "react";
import type { FileEntry } from "../place/contract/storage-contract.server";
import { ComparisonDialog } from "./comparison/comparison-dialog";
import type { Version, ViewedVersions } from "./file-versions";
import { PreviewWithDetails } from "./preview-with-details";

interface ViewedVersionsDialogProps {
  viewed: ViewedVersions;
  /** null closes the dialog */
  setViewed(viewed: ViewedVersions | null): void;
  client: FilesClient;
  rootPath: string;
  onDownload(row: Row): void;
  /** shown in the dialog */
  children: ReactNode;
}

/** The preview of a version, or the comparison of two. It is above the details that it was opened from, and closing it leads back there. */
export function ViewedVersionsDialog({ viewed, setViewed, children, ...props }: ViewedVersionsDialogProps) {
  const { file, versions, shown } = viewed;
  const close = () => setViewed(null);
  const entries = versions.map((version) => entryOf(file, version));
  if ("preview" in shown) {
    const entry = entries.find(({ versionId }) => versionId === shown.preview);
    if (!entry) return null;
    return (
      <PreviewWithDetails
        {...props}
        file={entry}
        files={entries}
        areVersions
        sections={noSections}
        onShow={(next) =>
          setViewed(next?.versionId ? { ...viewed, shown: { preview: next.versionId } } : null)
        }
      >
        {children}
      </PreviewWithDetails>
    );
  }
  return (
    <ComparisonDialog
      client={props.client}
      file={file}
      versions={versions}
      shown={shown}
      onShow={(shown) => setViewed({ ...viewed, shown })}
      onClose={close}
    />
  );
}

/** The versions and the activity belong to the file, not to one version. */
const noSections = { activity: null, versions: null };

/** A version as a file of the list. */
function entryOf(file: FileEntry, { versionId, size, lastModified }: Version): FileEntry {
  return { name: file.name, key: file.key, etag: "", versionId, size, lastModified };
}
