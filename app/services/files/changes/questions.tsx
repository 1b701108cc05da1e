import {
  type Change,
  type Changes,
  itemId,
  itemOf,
  type NamedItem,
  nameOf,
  parentOf,
  pathOfKey,
} from "platform-embed-element/client";
import { useState } from "react";
import { FileIcon } from "../browse/file-icon";
import { fileKind } from "../browse/file-kind";
import { Dialog } from "../screen/dialog";
import { useLanguage, useVisibleName } from "../screen/language";
import { type ConflictContext, ConflictDialog } from "./conflict-dialog";

/** Names that are shown; others are only counted. */
const MAX_NAMES = 5;

interface QuestionProps extends ConflictContext {
  change: Change;
  engine: Changes;
  /** whether the token allows replacing files */
  mayReplace: boolean;
}

/** The question of a waiting change, asked once for all of its items. */
export function Question(props: QuestionProps) {
  const { question } = props.change;
  switch (question?.about) {
    case "delete":
      return <DeleteQuestion {...props} />;
    case "purge":
      return <PurgeQuestion {...props} />;
    case "conflicts":
      return <ConflictQuestion {...props} conflicts={question.items} />;
    default:
      return question satisfies null | undefined;
  }
}

function ConflictQuestion({
  change,
  conflicts,
  engine,
  mayReplace,
  ...context
}: QuestionProps & { conflicts: readonly NamedItem[] }) {
  const { t } = useLanguage();
  const { id, items, action, done, to } = change;
  const isRestore = action === "restore";
  const [first] = conflicts;
  const folders = conflicts.some(({ folderPath }) => folderPath !== undefined);
  const rows = new Map(items.map((row) => [itemId(itemOf(row)), row]));
  const canSkip = isRestore ? done > 0 : conflicts.length < items.length;
  const canReplace = mayReplace || isRestore;
  return (
    <ConflictDialog
      {...context}
      alert
      title={t(isRestore ? "changes.restoreTitle" : "changes.conflictTitle", {
        count: conflicts.length,
        name: first?.name ?? "",
      })}
      conflicts={conflicts.map((item) => ({
        id: itemId(item),
        name: item.name,
        isFolder: item.folderPath !== undefined,
        folderPath: isRestore && item.key !== undefined ? parentOf(pathOfKey(item.key)) : to,
        item: rows.get(itemId(item)) ?? null,
      }))}
      choices={[
        ...(canSkip ? ["skip" as const] : []),
        ...(canReplace ? ["replace" as const] : []),
        "keep-both",
      ]}
      mayReplace={canReplace}
      onAll={(choice) => engine.answer(id, choice)}
      onEach={(choices) => engine.answer(id, choices)}
      onCancel={() => engine.cancel(id)}
    >
      {folders && <p className="dialog__text">{t("changes.conflictFolders")}</p>}
      {isRestore && <p className="dialog__text">{t("changes.restoreReplaces")}</p>}
    </ConflictDialog>
  );
}

/** Asked only where the bucket keeps no versions, so that the deletion is permanent. */
function DeleteQuestion({ change, engine }: Pick<QuestionProps, "change" | "engine">) {
  const { t } = useLanguage();
  const { id, items } = change;
  const [first] = items;
  const cancel = () => engine.cancel(id);
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
        <button type="button" className="button button--danger" onClick={() => engine.answer(id, "delete")}>
          {t("changes.deleteAll", { count: items.length })}
        </button>
      </div>
    </Dialog>
  );
}

/** Asks twice: nothing can bring back what is deleted permanently. So the person has to say so before the button works. */
function PurgeQuestion({ change, engine }: Pick<QuestionProps, "change" | "engine">) {
  const { t } = useLanguage();
  const [isSure, setSure] = useState(false);
  const { id, found, left } = change;
  const keys = (left?.flat() ?? []).flatMap((item) => ("key" in item ? item.key : []));
  const names = keys.map((key) => ({ name: nameOf(pathOfKey(key)), isFolder: key.endsWith("/"), id: key }));
  const cancel = () => engine.cancel(id);
  return (
    <Dialog
      alert
      title={t("changes.purgeTitle", { count: found, name: names[0]?.name ?? "" })}
      onClose={cancel}
    >
      {found > 1 && <Names names={names} />}
      <p className="dialog__text">{t("changes.purgeText")}</p>
      <label className="dialog__check">
        <input type="checkbox" checked={isSure} onChange={() => setSure(!isSure)} />
        {t("changes.purgeSure")}
      </label>
      <div className="dialog__buttons">
        <button type="button" className="button" onClick={cancel}>
          {t("changes.cancel")}
        </button>
        <button
          type="button"
          className="button button--danger"
          disabled={!isSure}
          onClick={() => engine.answer(id, "delete")}
        >
          {t("changes.purgeNow", { count: found })}
        </button>
      </div>
    </Dialog>
  );
}

interface Named {
  name: string;
  isFolder: boolean;
  /** if several may have the same name */
  id?: string | undefined;
}

function Names({ names }: { names: readonly Named[] }) {
  const { t } = useLanguage();
  const visibleName = useVisibleName();
  const hidden = names.length - MAX_NAMES;
  return (
    <ul className="dialog__names">
      {names.slice(0, MAX_NAMES).map(({ name, isFolder, id = name }) => (
        <li key={`${isFolder} ${id}`}>
          <FileIcon kind={isFolder ? "folder" : fileKind(name)} />
          <span title={visibleName(name)}>
            <bdi>{visibleName(name)}</bdi>
          </span>
        </li>
      ))}
      {hidden > 0 && <li className="dialog__more">{t("changes.andMore", { count: hidden })}</li>}
    </ul>
  );
}
