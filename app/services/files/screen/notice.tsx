import type { FilesError } from "platform-embed-element/client";
import type { Dispatch, SetStateAction } from "react";
import { useLanguage } from "./language";
import { ProblemDetails, problemText } from "./problem-details";

/**
 * What the person has to know about the open folder. There is one of these at a time. The notice of a
 * change, with its Undo, is `changes/change-notice`.
 * - `pathOutside`, `folderGone`: the folder could not be opened, because it is outside of the root path or does not exist any more.
 * - `nothingFound`: no file was chosen or dropped.
 * - `notAllRead`: some files could not be read; the others are uploaded.
 * - `systemFilesLeft`: so many files of a folder were not uploaded, because nobody has chosen them.
 * - `problems.unreachable`: the files are not uploaded, because the code for it could not be loaded.
 * - `folderContent`: a change was not begun, because this file is the content of a folder's own object.
 */
export type Notice =
  | { about: "folder"; sentence: "pathOutside" | "folderGone" }
  | {
      about: "upload";
      sentence: "nothingFound" | "notAllRead" | "systemFilesLeft" | "problems.unreachable";
      count: number;
    }
  | { about: "change"; sentence: "folderContent"; name: string }
  | {
      about: "download";
      name: string;
      problem: FilesError;
      /** the download begins by itself when the file has been checked; this ends the wait */
      stop?: () => void;
    };

export type SetNotice = Dispatch<SetStateAction<Notice | null>>;

/** A notice with its button. */
export function NoticeBox({ notice, onDismiss }: { notice: Notice; onDismiss(): void }) {
  const { t } = useLanguage();
  const stop = notice.about === "download" && notice.stop;
  if (stop)
    return (
      <div className="notice" role="status">
        <p>{t("downloadWaiting", { name: notice.name })}</p>
        <button
          type="button"
          className="link-button"
          onClick={() => {
            stop();
            onDismiss();
          }}
        >
          {t("changes.cancel")}
        </button>
      </div>
    );
  return (
    <div className="notice" role="alert">
      <p>
        {notice.about === "folder" && t(notice.sentence)}
        {notice.about === "upload" && t(`uploads.${notice.sentence}`, { count: notice.count })}
        {notice.about === "change" && t(`changes.${notice.sentence}`, { name: notice.name })}
        {notice.about === "download" && (
          <>
            {t("downloadFailed", { name: notice.name, why: problemText(t, notice.problem) })}
            <ProblemDetails problem={notice.problem} />
          </>
        )}
      </p>
      <button type="button" className="link-button needs-script" onClick={onDismiss}>
        {t("dismiss")}
      </button>
    </div>
  );
}
