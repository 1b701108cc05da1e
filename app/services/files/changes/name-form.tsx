import { byteLength, issueOfFileName, joinPath, MAX_PATH_BYTES } from "platform-embed-element/client";
import { type KeyboardEvent, useId, useRef, useState } from "react";
import { useLanguage } from "../screen/language";

export interface NameFormProps {
  label: string;
  /** the folder that the new folder goes into */
  folderPath: string;
  /** known names in that folder */
  others: readonly { name: string }[];
  /** @returns an error message for the person, or null on success */
  onSubmit(name: string): Promise<string | null>;
  onCancel(): void;
}

/** A field for the name of a new folder, with validation and its buttons. No `form`: the frame's sandbox forbids submitting forms. */
export function NameForm({ label, folderPath, others, onSubmit, onCancel }: NameFormProps) {
  const { t } = useLanguage();
  const [name, setName] = useState("");
  const [problem, setProblem] = useState<string | null>(null);
  const [isBusy, setBusy] = useState(false);
  const input = useRef<HTMLInputElement>(null);
  const id = useId();
  const submit = async () => {
    if (isBusy) return;
    const wanted = name.trim();
    const issue = issueOfName(wanted, folderPath, others);
    setBusy(issue === null);
    const why = issue === null ? await onSubmit(wanted) : t(`changes.${issue}`, { name: wanted });
    setBusy(false);
    setProblem(why);
    if (why !== null) input.current?.focus();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== "Enter" || event.nativeEvent.isComposing) return;
    event.preventDefault();
    void submit();
  };
  return (
    <div className="name-form">
      <label htmlFor={id}>{label}</label>
      <input
        ref={input}
        id={id}
        type="text"
        className="field"
        // `auto` makes an empty field left-to-right.
        dir={name === "" ? undefined : "auto"}
        value={name}
        // biome-ignore lint/a11y/noAutofocus: the person has asked for this field
        autoFocus
        autoComplete="off"
        spellCheck={false}
        enterKeyHint="done"
        aria-invalid={problem !== null}
        aria-describedby={`${id}-problem`}
        onChange={({ target }) => {
          setName(target.value);
          setProblem(null);
        }}
        onKeyDown={onKeyDown}
      />
      <p id={`${id}-problem`} className="field-problem" role="alert">
        {problem}
      </p>
      <div className="dialog__buttons">
        <button type="button" className="button" onClick={onCancel}>
          {t("changes.cancel")}
        </button>
        <button
          type="button"
          className="button button--primary"
          aria-disabled={isBusy}
          onClick={() => void submit()}
        >
          {t("changes.create")}
        </button>
      </div>
    </div>
  );
}

type NameIssue = "nameMissing" | "nameSlash" | "nameBad" | "nameLong" | "nameTaken";

/** Why `name` is not possible in `folderPath`, as the form says it; null if no reason is known. The rule is `issueOfFileName`. */
export function issueOfName(
  name: string,
  folderPath: string,
  others: readonly { name: string }[],
): NameIssue | null {
  if (name === "") return "nameMissing";
  if (/[/\\]/.test(name)) return "nameSlash";
  if (issueOfFileName(name) !== null) return "nameBad";
  if (byteLength(joinPath(folderPath, name)) > MAX_PATH_BYTES) return "nameLong";
  return others.some((other) => other.name === name) ? "nameTaken" : null;
}
