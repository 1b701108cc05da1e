import { ChangesPanel, type ChangesPanelProps } from "../changes/changes-panel";
import { FolderMenu, type FolderMenuProps } from "./folder-menu";
import { RowMenu, type RowMenuProps } from "./row-menu";

type ChangesWithMenusProps = Omit<ChangesPanelProps, "renderMenu"> &
  Omit<RowMenuProps, "opened" | "onCommand" | "onClose"> &
  Omit<FolderMenuProps, "at" | "onPaste" | "onClose">;

/** The panel of changes, with the menus of rows and of the open folder: these lead to everything that a person can do. */
export default function ChangesWithMenus(props: ChangesWithMenusProps) {
  return (
    <ChangesPanel
      {...props}
      renderMenu={(opened, { onCommand, onPaste, onClose }) => {
        if (opened.rows.length > 0)
          return <RowMenu {...props} opened={opened} onCommand={onCommand} onClose={onClose} />;
        return opened.at && <FolderMenu {...props} at={opened.at} onPaste={onPaste} onClose={onClose} />;
      }}
    />
  );
}
