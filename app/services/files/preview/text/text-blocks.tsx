import { type CSSProperties, Fragment, type ReactNode, useMemo } from "react";
import { blocksOf, type TextBlock } from "../../screen/bounded-text";
import type { CodePiece } from "./highlight-code";

/** A text of up to this length is laid out at once, characters. */
const MAX_UNDIVIDED_LENGTH = 500;

interface TextBlocksProps {
  /** of `boundText` */
  text: string;
  /** the same text in colours, if they are known */
  pieces?: readonly CodePiece[] | undefined;
}

/** A text of any length in blocks, which the browser lays out when they come near the visible area. */
export function TextBlocks({ text, pieces }: TextBlocksProps) {
  const blocks = useMemo(() => blocksOf(text), [text]);
  const divided = useMemo(() => pieces && dividePieces(pieces, blocks), [pieces, blocks]);
  const contents = blocks.map(({ start, end }, index) => {
    const own = divided?.[index];
    return own ? <Pieces key={start} pieces={own} /> : text.slice(start, end);
  });
  if (text.length <= MAX_UNDIVIDED_LENGTH) return <>{contents}</>;
  return (
    <>
      {blocks.map(({ start, lines, rows }, index) => (
        <span
          key={start}
          className="text-block"
          style={{ "--lines": lines, "--rows": rows } as CSSProperties}
        >
          {contents[index]}
        </span>
      ))}
    </>
  );
}

function Pieces({ pieces }: { pieces: readonly CodePiece[] }): ReactNode {
  return pieces.map((piece, index) => {
    // biome-ignore-start lint/suspicious/noArrayIndexKey: the pieces never change their places
    if (typeof piece === "string") return <Fragment key={index}>{piece}</Fragment>;
    const [kind, part] = piece;
    return (
      <span key={index} className={`code__${kind}`}>
        {part}
      </span>
    );
    // biome-ignore-end lint/suspicious/noArrayIndexKey: the pieces never change their places
  });
}

/** The pieces of each block. A piece that goes on in the next block is divided. */
export function dividePieces(pieces: readonly CodePiece[], blocks: readonly TextBlock[]): CodePiece[][] {
  const divided: CodePiece[][] = blocks.map(() => []);
  let block = 0;
  let at = 0;
  for (const piece of pieces) {
    const [kind, whole] = typeof piece === "string" ? [null, piece] : piece;
    for (let from = 0; from < whole.length; ) {
      while (at >= (blocks[block]?.end ?? Number.POSITIVE_INFINITY)) block++;
      const part = whole.slice(from, from + (blocks[block]?.end ?? Number.POSITIVE_INFINITY) - at);
      divided[block]?.push(kind === null ? part : [kind, part]);
      from += part.length;
      at += part.length;
    }
  }
  return divided;
}
