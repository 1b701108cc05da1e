/** Changes bytes by chance. The same seed and words change them in the same way. */
import { unzipSync, type Zippable, zipSync } from "fflate";
import { type Choose, wholeNumber } from "../drills/seed";

type Bytes = Uint8Array<ArrayBuffer>;

/** Numbers at which sizes, counts and signs turn over. */
const edges = [0, 1, 0x7f, 0x80, 0xff];
/** What has a meaning in most formats. */
const words = [
  "<",
  ">",
  "&",
  '"',
  "0",
  "-1",
  "1e308",
  "NaN",
  "4294967295",
  "stream",
  "obj",
  "\n",
  "\0",
  ",",
  "[",
  "{",
];
const MAX_CHANGES = 6;
const MAX_PIECE_BYTES = 400;

/**
 * A file with up to six changes: flipped bits, numbers at their edges, pieces that are cut out, repeated, moved, or taken from `other`, and
 * lost ends. Of an archive, a part is changed most of the time: otherwise, hardly any change would get past the unpacking.
 */
export function mutate(file: Uint8Array, other: Uint8Array, choose: Choose): Bytes {
  const isArchive = file[0] === 0x50 && file[1] === 0x4b;
  return isArchive && choose("inside") < 0.8
    ? mutatePart(file, other, choose)
    : mutateBytes(file, other, choose);
}

function mutatePart(archive: Uint8Array, other: Uint8Array, choose: Choose): Bytes {
  const parts = unzipSync(archive);
  const paths = Object.keys(parts);
  const path = paths[wholeNumber(choose("part"), 0, paths.length)] ?? "";
  const part = parts[path] ?? new Uint8Array();
  const others = other[0] === 0x50 && other[1] === 0x4b ? Object.values(unzipSync(other)) : [other];
  const from = others[wholeNumber(choose("other part"), 0, others.length)] ?? other;
  const changed: Zippable = { ...parts, [path]: mutateBytes(part, from, choose) };
  return zipSync(changed, { level: 1, mtime: "2026-01-02" });
}

function mutateBytes(file: Uint8Array, other: Uint8Array, choose: Choose): Bytes {
  let bytes = new Uint8Array(file);
  const changes = wholeNumber(choose("changes"), 1, MAX_CHANGES + 1);
  for (let change = 0; change < changes; change++) {
    const pick = (what: string, limit: number) => wholeNumber(choose(what, change), 0, Math.max(limit, 1));
    const at = pick("place", bytes.length);
    const length = pick("length", MAX_PIECE_BYTES);
    const piece = bytes.slice(at, at + length);
    const insert = (added: Uint8Array, removed = 0) => {
      bytes = joined(bytes.subarray(0, at), added, bytes.subarray(at + removed));
    };
    switch (pick("kind", 8)) {
      case 0:
        bytes[at] = (bytes[at] ?? 0) ^ (1 << pick("bit", 8));
        break;
      case 1:
        bytes.fill(edges[pick("edge", edges.length)] ?? 0, at, at + 1 + pick("width", 4));
        break;
      case 2:
        insert(new Uint8Array(), length);
        break;
      case 3:
        insert(joined(...Array<Uint8Array>(1 + pick("times", 50)).fill(piece)));
        break;
      case 4: {
        const start = pick("start", other.length);
        insert(other.subarray(start, start + length), pick("removed", length));
        break;
      }
      case 5:
        insert(new TextEncoder().encode(words[pick("word", words.length)]), pick("overwritten", 4));
        break;
      case 6: {
        bytes = joined(bytes.subarray(0, at), bytes.subarray(at + length));
        const place = pick("target", bytes.length);
        bytes = joined(bytes.subarray(0, place), piece, bytes.subarray(place));
        break;
      }
      case 7:
        // A lost end would leave the other changes little to do.
        if (change === changes - 1) bytes = bytes.slice(0, at);
        break;
    }
  }
  return bytes;
}

function joined(...pieces: Uint8Array[]): Bytes {
  return new Uint8Array(Buffer.concat(pieces));
}
