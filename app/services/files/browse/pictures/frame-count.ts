/** The beginnings of files, and the types of their chunks and boxes, as numbers of four letters. */
const [GIF8, PNG, FCTL] = [0x47494638, 0x89504e47, 0x6663544c];
const [WEBP, ANMF, FTYP, STSZ] = [0x57454250, 0x414e4d46, 0x66747970, 0x7374737a];

/**
 * How many pictures an animation has, in GIF, PNG, WebP and AVIF; at most 1 for any other image. Of a damaged file, it counts what is before
 * the damage.
 */
export function frameCount(bytes: Uint8Array): number {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let frames = 0;
  try {
    if (view.getUint32(0) === GIF8) for (const _ of gifFrames(view)) frames++;
    else if (view.getUint32(0) === PNG)
      for (let at = 8; ; at += 12 + view.getUint32(at)) frames += Number(view.getUint32(at + 4) === FCTL);
    else if (view.getUint32(8) === WEBP)
      for (let at = 12; ; at += 8 + 2 * Math.ceil(view.getUint32(at + 4, true) / 2))
        frames += Number(view.getUint32(at) === ANMF);
    else if (view.getUint32(4) === FTYP) frames = avifFrames(view);
  } catch {
    // The end of the file.
  }
  return frames;
}

/** Blocks of data end with an empty one. */
function skipBlocks(view: DataView, start: number): number {
  let at = start;
  for (let length = -1; length !== 0; at += 1 + length) length = view.getUint8(at);
  return at;
}

const colorTableLength = (flags: number) => (flags & 0x80 ? 3 * 2 ** ((flags & 7) + 1) : 0);

/** GIF89a, sections 17 to 27. Browsers differ in what they do after bytes that belong to nothing: some go on. */
function* gifFrames(view: DataView): Generator<number> {
  for (let at = 13 + colorTableLength(view.getUint8(10)); at < view.byteLength; ) {
    const separator = view.getUint8(at);
    if (separator === 0x21) at = skipBlocks(view, at + 2);
    else if (separator === 0x2c) {
      yield at;
      at = skipBlocks(view, at + 11 + colorTableLength(view.getUint8(at + 9)));
    } else at++;
  }
}

/** Size, type, version and flags, size of a sample, number of samples. ISO 14496-12, section 8.7.3.2 */
const MIN_STSZ_BYTES = 20;

/**
 * The largest number of samples that a track tells. The box is looked for at every byte. Where pixels have its name by chance, they hardly ever
 * also have a possible size before it.
 */
function avifFrames(view: DataView): number {
  let most = 0;
  for (let start = 0; start + MIN_STSZ_BYTES <= view.byteLength; start++) {
    if (view.getUint32(start + 4) !== STSZ) continue;
    const size = view.getUint32(start);
    if (size >= MIN_STSZ_BYTES && start + size <= view.byteLength)
      most = Math.max(most, view.getUint32(start + 16));
  }
  return most;
}
