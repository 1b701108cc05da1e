import type { ReactNode } from "react";
import { useLanguage } from "../language";
import { ProblemState, Skeleton, State } from "../states";
import { UploadButton } from "../toolbar";
import type { Row } from "./folder-state";
import type { Folder } from "./use-folder";
import { useRecovery } from "./use-recovery";

interface FolderViewProps {
  folder: Folder;
  /** what the filter leaves */
  rows: Row[];
  filter: string;
  onClearFilter(): void;
  /** null where nothing may be uploaded */
  onFiles: ((files: File[]) => void) | null;
  /** null at the root */
  onUp: (() => void) | null;
  /** the list, for when there is one to show */
  children: ReactNode;
}

/** The open folder: its list, or the state it is in instead. */
export function FolderView({
  folder,
  rows,
  filter,
  onClearFilter,
  onFiles,
  onUp,
  children,
}: FolderViewProps) {
  const { messages } = useLanguage();
  const isEmpty = folder.rows.length === 0;
  const problem = isEmpty ? folder.problem : null;
  const retryIn = useRecovery(problem, folder.refresh);

  if (folder.phase === "loading") return <Skeleton />;
  if (problem) {
    return (
      <ProblemState
        problem={problem}
        busy={folder.phase === "refreshing"}
        retryIn={retryIn}
        onRetry={folder.refresh}
        onUp={onUp}
      />
    );
  }
  if (isEmpty && onFiles) {
    return (
      <State icon="upload" tone="accent" {...messages.states.emptyUpload}>
        <UploadButton enabled onFiles={onFiles} />
      </State>
    );
  }
  if (isEmpty) return <State icon="folder" {...messages.states.empty} />;
  if (rows.length === 0) {
    const { title, text, more } = messages.states.noMatch;
    return (
      <State icon="search" title={title(filter)} text={folder.nextCursor === null ? text : more}>
        <button type="button" className="button" onClick={onClearFilter}>
          {messages.clearFilter}
        </button>
      </State>
    );
  }
  return children;
}
