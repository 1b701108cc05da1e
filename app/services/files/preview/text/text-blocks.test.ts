import { expect, test } from "vitest";
import { blocksOf } from "../../screen/bounded-text";
import type { CodePiece } from "./highlight-code";
import { dividePieces } from "./text-blocks";

const textOf = (pieces: readonly CodePiece[]) =>
  pieces.map((piece) => (typeof piece === "string" ? piece : piece[1])).join("");

test("colours go on in the next block", () => {
  const comment = "a line of a comment\n".repeat(250);
  const pieces: CodePiece[] = ["let it = ", ["value", "1"], "\n", ["comment", comment], "end"];
  const text = textOf(pieces);
  const blocks = blocksOf(text);
  const divided = dividePieces(pieces, blocks);
  expect(blocks.length).toBe(3);
  expect(divided.map(textOf)).toEqual(blocks.map(({ start, end }) => text.slice(start, end)));
  expect(divided[1]).toEqual([["comment", "a line of a comment\n".repeat(100)]]);
  expect(divided[2]?.at(-1)).toBe("end");
});
