import { Dialog } from "../dialog";
import { FileIcon } from "../file-icon";
import { fileKind } from "../file-kind";
import { useLanguage } from "../language";
import type { Change } from "./change";
import type { ChangeQueue } from "./change-queue";

/** Names that are shown; others are only counted. */
const MAX_NAMES = 5;

interface QuestionProps {
  change: Change;
  queue: ChangeQueue;
  /** whether the token allows replacing files */
  mayReplace: boolean;
}

/** The question of a change, asked once for all of its items. */
export function Question(props: QuestionProps) {
  return props.change.action === "delete" ? <DeleteQuestion {...props} /> : <ConflictQuestion {...props} />;
}

function ConflictQuestion({ change, queue, mayReplace }: QuestionProps) {
  const { t } = useLanguage();
  const { id, conflicts, items } = change;
  const [first] = conflicts;
  const folders = conflicts.some(({ folderPath }) => folderPath !== undefined);
  const cancel = () => queue.cancel(id);
  return (
    <Dialog
      alert
      title={t("changes.conflictTitle", { count: conflicts.length, name: first?.name ?? "" })}
      onClose={cancel}
    >
      <Names
        names={conflicts.map(({ name, folderPath }) => ({ name, isFolder: folderPath !== undefined }))}
      />
      {folders && <p className="dialog__text">{t("changes.conflictFolders")}</p>}
      <div className="dialog__buttons">
        <button type="button" className="button dialog__aside" onClick={cancel}>
          {t("changes.cancel")}
        </button>
        {conflicts.length < items.length && (
          <button type="button" className="button" onClick={() => queue.answer(id, "skip")}>
            {t("changes.skip")}
          </button>
        )}
        {mayReplace && (
          <button type="button" className="button" onClick={() => queue.answer(id, "replace")}>
            {t("changes.replace")}
          </button>
        )}
        <button
          type="button"
          className="button button--primary"
          onClick={() => queue.answer(id, "keep-both")}
        >
          {t("changes.keepBoth")}
        </button>
      </div>
    </Dialog>
  );
}

/** Asked only where the bucket keeps no versions, so that the deletion is permanent. */
function DeleteQuestion({ change, queue }: Omit<QuestionProps, "mayReplace">) {
  const { t } = useLanguage();
  const { id, items } = change;
  const [first] = items;
  const cancel = () => queue.cancel(id);
  return (
    <Dialog
      alert
      title={t("changes.deleteTitle", { count: items.length, name: first?.name ?? "" })}
      onClose={cancel}
    >
      {items.length > 1 && (
        <Names names={items.map(({ name, type }) => ({ name, isFolder: type === "folder" }))} />
      )}
      {items.some(({ type }) => type === "folder") && (
        <p className="dialog__text">{t("changes.deleteFolders")}</p>
      )}
      <p className="dialog__text">{t("changes.deleteForGood")}</p>
      <div className="dialog__buttons">
        <button type="button" className="button" onClick={cancel}>
          {t("changes.cancel")}
        </button>
        <button type="button" className="button button--danger" onClick={() => queue.answer(id, "delete")}>
          {t("changes.deleteAll", { count: items.length })}
        </button>
      </div>
    </Dialog>
  );
}

function Names({ names }: { names: { name: string; isFolder: boolean }[] }) {
  const { t } = useLanguage();
  const hidden = names.length - MAX_NAMES;
  return (
    <ul className="dialog__names">
      {names.slice(0, MAX_NAMES).map(({ name, isFolder }) => (
        <li key={`${isFolder} ${name}`}>
          <FileIcon kind={isFolder ? "folder" : fileKind(name)} />
          <span title={name}>
            <bdi>{name}</bdi>
          </span>
        </li>
      ))}
      {hidden > 0 && <li className="dialog__more">{t("changes.andMore", { count: hidden })}</li>}
    </ul>
  );
}
