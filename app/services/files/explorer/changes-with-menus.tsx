import { ChangesPanel, type ChangesPanelProps } from "../changes/changes-panel";
import type { Details } from "../details/use-details";
import { RecentDialog } from "../recent/recent-dialog";
import { type Notice, NoticeBox, type SetNotice } from "../screen/notice";
import { FolderMenu, type FolderMenuProps } from "./folder-menu";
import { RowMenu, type RowMenuProps } from "./row-menu";

type ChangesWithMenusProps = Omit<ChangesPanelProps, "renderMenu"> &
  Omit<RowMenuProps, "opened" | "onClose"> &
  Omit<FolderMenuProps, "at" | "onPaste" | "onRecent" | "onClose"> & {
    hasRecent: boolean;
    setRecent(isOpen: boolean): void;
    details: Pick<Details, "activity" | "versions">;
    notice: Notice | null;
    setNotice: SetNotice;
  };

/**
 * The panel of changes, with the menus of rows and of the open folder: these lead to everything that a person can do. And with the files that
 * were added last, which the menu of the folder shows.
 */
export function ChangesWithMenus(props: ChangesWithMenusProps) {
  const { canPaste, dispatch, close } = props.changes;
  const { hasRecent, setRecent, notice, setNotice } = props;
  return (
    <>
      <ChangesPanel
        {...props}
        renderMenu={(opened) => {
          if (opened.rows.length > 0) return <RowMenu {...props} opened={opened} onClose={close} />;
          if (!opened.at) return null;
          return (
            <FolderMenu
              {...props}
              at={opened.at}
              onPaste={canPaste ? () => dispatch("paste") : null}
              onRecent={() => setRecent(true)}
              onClose={close}
            />
          );
        }}
      />
      {hasRecent && (
        <RecentDialog {...props} rootPath={props.props.rootPath} onClose={() => setRecent(false)}>
          {/* The one of the explorer is below the dialog. */}
          {notice?.about === "download" && <NoticeBox notice={notice} onDismiss={() => setNotice(null)} />}
        </RecentDialog>
      )}
    </>
  );
}
