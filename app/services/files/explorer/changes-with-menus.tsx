import { ChangesPanel, type ChangesPanelProps } from "../changes/changes-panel";
import { FolderMenu, type FolderMenuProps } from "./folder-menu";
import { RowMenu, type RowMenuProps } from "./row-menu";

type ChangesWithMenusProps = Omit<ChangesPanelProps, "renderMenu"> &
  Omit<RowMenuProps, "opened" | "onClose"> &
  Omit<FolderMenuProps, "at" | "onPaste" | "onClose">;

/** The panel of changes, with the menus of rows and of the open folder: these lead to everything that a person can do. */
export function ChangesWithMenus(props: ChangesWithMenusProps) {
  const { canPaste, dispatch, close } = props.changes;
  return (
    <ChangesPanel
      {...props}
      renderMenu={(opened) => {
        if (opened.rows.length > 0) return <RowMenu {...props} opened={opened} onClose={close} />;
        const onPaste = canPaste ? () => dispatch("paste") : null;
        return opened.at && <FolderMenu {...props} at={opened.at} onPaste={onPaste} onClose={close} />;
      }}
    />
  );
}
