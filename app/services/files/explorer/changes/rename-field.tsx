import { type KeyboardEvent, useEffect, useLayoutEffect, useRef, useState } from "react";
import { createPortal } from "react-dom";
import type { Row } from "../folder/folder-state";
import { useLanguage } from "../language";
import { issueOfName } from "./name-issue";

interface RenameFieldProps {
  row: Row;
  /** where the row has its name; the field takes its place */
  place: HTMLElement;
  folderPath: string;
  others: readonly { name: string }[];
  /**
   * @param isByKey the focus belongs to the row again; otherwise it has gone elsewhere
   * @returns why it could not be done, for a person; null when it has been, and the field is closed
   */
  onRename(name: string, isByKey: boolean): Promise<string | null>;
  /** Nothing is to be renamed. */
  onClose(isByKey: boolean): void;
}

/** A name, written anew where it stands. */
export function RenameField({ row, place, folderPath, others, onRename, onClose }: RenameFieldProps) {
  const { t } = useLanguage();
  const [name, setName] = useState(row.name);
  const [problem, setProblem] = useState<string | null>(null);
  const isBusy = useRef(false);
  const input = useRef<HTMLInputElement>(null);

  useLayoutEffect(() => {
    const dot = row.type === "file" ? row.name.lastIndexOf(".") : -1;
    input.current?.focus();
    input.current?.setSelectionRange(0, dot > 0 ? dot : row.name.length);
    // In what can be dragged, no text can be selected with the mouse.
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
    const why = await onRename(wanted, isByKey);
    isBusy.current = false;
    if (why === null) return;
    setProblem(why);
    input.current?.focus();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return;
    if (event.key === "Enter") void save(true);
    else if (event.key === "Escape") onClose(true);
    else return;
    event.preventDefault();
  };
  return createPortal(
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
    </span>,
    place,
  );
}
