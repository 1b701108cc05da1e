import { type FilesClient, isInside, joinPath, type Row } from "platform-embed-element/client";
import { useState } from "react";
import { Icon } from "../../../embed/components/icons";
import { Dialog } from "../screen/dialog";
import { useLanguage } from "../screen/language";
import { FolderTree, useFolderTree } from "./folder-tree";
import { NameForm } from "./name-form";

interface DestinationDialogProps {
  client: FilesClient;
  way: "move" | "copy";
  rows: readonly Row[];
  /** the folder that they are in */
  from: string;
  /** the highest folder that may be written to */
  root: { name: string; path: string };
  /** @returns an error message for the person, or null when the folder has been created */
  onCreate(folderPath: string, name: string): Promise<string | null>;
  onChoose(folderPath: string): void;
  onClose(): void;
}

/** Asks for the destination of moving or copying. */
export function DestinationDialog(props: DestinationDialogProps) {
  const { client, way, rows, from, root, onCreate, onChoose, onClose } = props;
  const { t } = useLanguage();
  const [chosen, setChosen] = useState(isInside(from, root.path) ? from : root.path);
  const [isMaking, setMaking] = useState(false);
  const tree = useFolderTree(client, root, chosen);

  const target = tree.lines.find(({ kind, path }) => kind === "folder" && path === chosen);
  const isItself = rows.some((row) => row.type === "folder" && isInside(chosen, row.path));
  const hint = isItself ? "intoItself" : way === "move" && chosen === from ? "alreadyHere" : null;
  const submit = () => {
    if (hint === null) onChoose(chosen);
  };
  const [first] = rows;
  const values = { count: rows.length, name: first?.name ?? "" };

  return (
    <Dialog
      title={t(way === "move" ? "changes.moveTitle" : "changes.copyTitle", values)}
      className="dialog--tree"
      onClose={onClose}
    >
      <FolderTree
        label={t("changes.folders")}
        tree={tree}
        chosen={chosen}
        onChoose={setChosen}
        onSubmit={submit}
      />
      {isMaking ? (
        <NameForm
          label={t("changes.newFolderIn", { folder: target?.name ?? root.name })}
          folderPath={chosen}
          others={tree.branches.get(chosen)?.folders ?? []}
          onSubmit={async (name) => {
            const why = await onCreate(chosen, name);
            if (why !== null) return why;
            const path = joinPath(chosen, name);
            tree.add(chosen, { name, path });
            setChosen(path);
            setMaking(false);
            return null;
          }}
          onCancel={() => setMaking(false)}
        />
      ) : (
        <>
          <p className="dialog__hint" role="status">
            {hint && t(`changes.${hint}`)}
          </p>
          <div className="dialog__buttons">
            <button type="button" className="button dialog__aside" onClick={() => setMaking(true)}>
              <Icon name="folderPlus" />
              {t("changes.newFolder")}
            </button>
            <button type="button" className="button" onClick={onClose}>
              {t("changes.cancel")}
            </button>
            <button
              type="button"
              className="button button--primary"
              aria-disabled={hint !== null}
              onClick={submit}
            >
              {t(way === "move" ? "changes.moveHere" : "changes.copyHere")}
            </button>
          </div>
        </>
      )}
    </Dialog>
  );
}
