import type { Row } from "platform-embed-element/client";
import { type KeyboardEvent, useEffect, useLayoutEffect, useRef, useState } from "react";
import { createPortal } from "react-dom";
import { extensionOf, fileKind } from "../browse/file-kind";
import { Dialog } from "../screen/dialog";
import { useLanguage } from "../screen/language";
import { issueOfName } from "./name-form";

interface RenameFieldProps {
  row: Row;
  /** the element with the row's name, which the field covers */
  place: HTMLElement;
  folderPath: string;
  others: readonly { name: string }[];
  /**
   * @param isByKey return the focus to the row; otherwise the focus has moved elsewhere
   * @returns an error message for the person, or null on success
   */
  onRename(name: string, isByKey: boolean): Promise<string | null>;
  /** Called without a new name. */
  onClose(isByKey: boolean): void;
}

/** A field to rename a row in place. */
export function RenameField({ row, place, folderPath, others, onRename, onClose }: RenameFieldProps) {
  const { t } = useLanguage();
  const dot = row.type === "file" ? row.name.lastIndexOf(".") : -1;
  const stem = dot > 0 ? row.name.slice(0, dot) : row.name;
  const [name, setName] = useState(row.name);
  const [problem, setProblem] = useState<string | null>(null);
  /** the new name, while the person is asked about its extension */
  const [unconfirmed, setUnconfirmed] = useState<{ wanted: string; isByKey: boolean } | null>(null);
  const isBusy = useRef(false);
  const input = useRef<HTMLInputElement>(null);

  // biome-ignore lint/correctness/useExhaustiveDependencies: the stem is selected only once
  useLayoutEffect(() => {
    input.current?.focus();
    // What is typed already would be replaced.
    if (input.current?.value === row.name) input.current.setSelectionRange(0, stem.length);
    // Text in a draggable element cannot be selected with the mouse.
    const line = place.closest<HTMLElement>("[data-row]");
    if (line) line.draggable = false;
  }, [row, place]);

  const alert = useRef<HTMLSpanElement>(null);
  useEffect(() => {
    if (problem !== null) alert.current?.scrollIntoView({ block: "nearest" });
  }, [problem]);

  const save = async (isByKey: boolean) => {
    if (isBusy.current) return;
    const wanted = name.trim();
    if (wanted === row.name) return onClose(isByKey);
    const issue = issueOfName(wanted, folderPath, others);
    if (issue !== null) return isByKey ? setProblem(t(`changes.${issue}`, { name: wanted })) : onClose(false);
    isBusy.current = true;
    const hasExtension = row.type === "file" && fileKind(row.name) !== "other";
    if (hasExtension && extensionOf(wanted) !== extensionOf(row.name)) setUnconfirmed({ wanted, isByKey });
    else await rename(wanted, isByKey);
  };
  const rename = async (wanted: string, isByKey: boolean) => {
    setName(wanted);
    setUnconfirmed(null);
    const why = await onRename(wanted, isByKey);
    isBusy.current = false;
    if (why === null) return;
    setProblem(why);
    input.current?.focus();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return;
    if (event.key === "Enter") void save(true);
    else if (event.key === "Escape") {
      // The field loses the focus while it closes, which would save.
      isBusy.current = true;
      onClose(true);
    } else return;
    event.preventDefault();
  };
  const field = (
    <span className="rename">
      <input
        ref={input}
        type="text"
        className="field"
        dir="auto"
        aria-label={t("changes.renameOf", { name: row.name })}
        aria-invalid={problem !== null}
        aria-describedby="rename-problem"
        value={name}
        autoComplete="off"
        spellCheck={false}
        onChange={({ target }) => {
          setName(target.value);
          setProblem(null);
        }}
        onKeyDown={onKeyDown}
        onBlur={() => void save(false)}
      />
      <span ref={alert} id="rename-problem" className="rename__problem" role="alert">
        {problem}
      </span>
    </span>
  );
  return (
    <>
      {createPortal(field, place)}
      {unconfirmed && (
        <ExtensionQuestion
          before={row.name}
          wanted={unconfirmed.wanted}
          onChoose={(chosen) => void rename(chosen, unconfirmed.isByKey)}
          onClose={() => {
            isBusy.current = false;
            setUnconfirmed(null);
          }}
        />
      )}
    </>
  );
}

interface ExtensionQuestionProps {
  before: string;
  wanted: string;
  onChoose(name: string): void;
  onClose(): void;
}

/** Another extension may open the file in another program. */
function ExtensionQuestion({ before, wanted, onChoose, onClose }: ExtensionQuestionProps) {
  const { t } = useLanguage();
  const [kept, used] = [extensionOf(before), extensionOf(wanted)];
  const stem = used === "" ? wanted : wanted.slice(0, -used.length - 1);
  return (
    <Dialog alert title={t("changes.extensionTitle", { name: before })} onClose={onClose}>
      <div className="dialog__buttons">
        <button
          type="button"
          className="button"
          onClick={() => onChoose(`${stem}${before.slice(-kept.length - 1)}`)}
        >
          {t("changes.extensionKeep", { extension: `.${kept}` })}
        </button>
        <button type="button" className="button button--primary" onClick={() => onChoose(wanted)}>
          {used === "" ? t("changes.rename") : t("changes.extensionUse", { extension: `.${used}` })}
        </button>
      </div>
    </Dialog>
  );
}
