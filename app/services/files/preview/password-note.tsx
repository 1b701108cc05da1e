import { useId, useRef, useState } from "react";
import { useLanguage } from "../screen/language";
import { DownloadNote } from "./preview-elements";

interface PasswordNoteProps {
  name: string;
  /** the password that was entered before is wrong */
  isWrong: boolean;
  onOpen(password: string): void;
}

/** Asks for a file's password. It stays in the memory of the page. */
export function PasswordNote({ name, isWrong, onOpen }: PasswordNoteProps) {
  const { t } = useLanguage();
  const id = useId();
  const [password, setPassword] = useState("");
  const field = useRef<HTMLInputElement>(null);
  const open = () => {
    if (password === "") return;
    // The field disappears. Keep the focus in the dialog, for its keys.
    field.current?.closest("dialog")?.focus();
    onOpen(password);
  };
  return (
    <DownloadNote name={name} text={t("preview.passwordNeeded")}>
      {/* No form: the sandbox of the frame allows none. */}
      <div className="preview__password">
        <input
          ref={field}
          type="password"
          className="field"
          aria-label={t("preview.password")}
          placeholder={t("preview.password")}
          value={password}
          // biome-ignore lint/a11y/noAutofocus: the person has opened a file that needs it
          autoFocus
          // A browser would offer to keep it for the page.
          autoComplete="off"
          enterKeyHint="done"
          aria-invalid={isWrong && password === ""}
          aria-describedby={id}
          onChange={({ target }) => setPassword(target.value)}
          onKeyDown={(event) => event.key === "Enter" && open()}
        />
        <button
          type="button"
          className="button button--primary"
          aria-disabled={password === ""}
          onClick={open}
        >
          {t("preview.unlock")}
        </button>
      </div>
      <p id={id} className="field-problem" role="alert">
        {isWrong && password === "" && t("preview.passwordWrong")}
      </p>
    </DownloadNote>
  );
}
