import { Parser } from "htmlparser2";
import { OfficeProblem } from "./unpack";

export type XmlAttributes = Record<string, string>;

interface XmlHandlers {
  /** `name` has no prefix; attributes keep theirs */
  onOpen(name: string, attributes: XmlAttributes): void;
  onText?(text: string): void;
  onClose?(name: string): void;
}

/**
 * Reads a part of an office file as a stream of its elements.
 * @throws OfficeProblem `damaged` if the part is missing, empty or cut off
 */
export function readXml(part: Uint8Array | undefined, { onOpen, onText, onClose }: XmlHandlers): void {
  let depth = 0;
  let elements = 0;
  const parser = new Parser(
    {
      onopentag(name, attributes) {
        depth++;
        elements++;
        onOpen(withoutPrefix(name), attributes);
      },
      ontext: onText,
      onclosetag(name) {
        depth--;
        onClose?.(withoutPrefix(name));
      },
    },
    { xmlMode: true },
  );
  parser.write(new TextDecoder().decode(part));
  // The end would close what is open.
  if (elements === 0 || depth > 0) throw new OfficeProblem("damaged");
  parser.end();
}

function withoutPrefix(name: string): string {
  const colon = name.indexOf(":");
  return colon === -1 ? name : name.slice(colon + 1);
}
