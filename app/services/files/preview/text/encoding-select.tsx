import { type Encoding, encodingsByScript } from "../../browse/decode-text";
import { useLanguage } from "../../screen/language";

interface EncodingSelectProps {
  /** null for bytes that look like no text */
  value: Encoding | null;
  onChange(encoding: Encoding): void;
}

/** Chooses how the bytes of a text are read. */
export function EncodingSelect({ value, onChange }: EncodingSelectProps) {
  const { t } = useLanguage();
  return (
    <select
      className="preview__select"
      aria-label={t("look.encoding")}
      value={value ?? ""}
      onChange={({ target }) => onChange(target.value as Encoding)}
    >
      {value === null && (
        <option value="" disabled>
          {t("look.chooseEncoding")}
        </option>
      )}
      {Object.entries(encodingsByScript).map(([script, encodings]) => (
        <optgroup key={script} label={nameOf(script)}>
          {Object.entries<string>(encodings).map(([encoding, name]) => (
            <option key={encoding} value={encoding}>
              {languagesOf[encoding as Encoding]
                ? `${name} (${languagesOf[encoding as Encoding]?.map(nameOf).join(", ")})`
                : name}
            </option>
          ))}
        </optgroup>
      ))}
    </select>
  );
}

/** Languages that tell an encoding from others of the same script. BCP 47 */
const languagesOf: { [Name in Encoding]?: string[] } = {
  "windows-1250": ["pl", "cs", "hu"],
  "windows-1254": ["tr"],
  "windows-1257": ["lt", "lv", "et"],
  "windows-1258": ["vi"],
  ibm852: ["pl", "cs", "hu"],
  "iso-8859-2": ["pl", "cs", "hu"],
  "iso-8859-3": ["mt", "eo"],
  "iso-8859-4": ["lt", "lv", "et"],
  "iso-8859-10": ["is", "se"],
  "iso-8859-13": ["lt", "lv", "et"],
  "iso-8859-14": ["cy", "ga"],
  "iso-8859-16": ["ro"],
  "koi8-r": ["ru"],
  "koi8-u": ["uk"],
};

/** A script or language, in the language of the page. */
function nameOf(code: string): string {
  const type = code.length === 4 ? "script" : "language";
  // Unicode is its own name everywhere.
  if (code === "Unicode") return code;
  return new Intl.DisplayNames(document.documentElement.lang, { type }).of(code) ?? code;
}
