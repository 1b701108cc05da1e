/** Numbers as SVG writes them: `1-2.5.5` is three. */
const NUMBER = /[-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?/gi;

export const numbersOf = (text: string): number[] => (text.match(NUMBER) ?? []).map(Number);

/** How many numbers a command takes. SVG 2, section 9.3 */
const lengths: Record<string, number> = { M: 2, L: 2, H: 1, V: 1, C: 6, S: 4, Q: 4, T: 2, A: 7, Z: 0 };
const ARC = /([-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?)|[\s,]+/giy;

/**
 * Counts the segments of a path, and how long it is at most: the length of the lines between all its points, which no curve exceeds.
 * @param path the value of `d`
 */
export function measurePath(path: string): { segments: number; length: number } {
  let segments = 0;
  let length = 0;
  let [x, y] = [0, 0];
  let [startX, startY] = [0, 0];
  const lineTo = (nextX: number, nextY: number) => {
    length += Math.hypot(nextX - x, nextY - y);
    [x, y] = [nextX, nextY];
  };
  for (const [, letter = "", text = ""] of path.matchAll(/([a-df-z])([^a-df-z]*)/gi)) {
    const command = letter.toUpperCase();
    const size = lengths[command];
    if (size === undefined) break;
    const numbers = command === "A" ? arcNumbers(text) : numbersOf(text);
    if (command === "Z") {
      segments++;
      lineTo(startX, startY);
      continue;
    }
    for (let at = 0; at + size <= numbers.length; at += size) {
      segments++;
      const own = numbers.slice(at, at + size);
      const [baseX, baseY] = letter === command ? [0, 0] : [x, y];
      const [first = 0] = own;
      if (command === "H") lineTo(baseX + first, y);
      else if (command === "V") lineTo(x, baseY + first);
      else if (command === "A") {
        const [radiusX = 0, radiusY = 0, , , , toX = 0, toY = 0] = own;
        length +=
          7 * Math.max(Math.abs(radiusX), Math.abs(radiusY)) +
          7 * Math.hypot(baseX + toX - x, baseY + toY - y);
        [x, y] = [baseX + toX, baseY + toY];
      } else
        for (let point = 0; point < size; point += 2)
          lineTo(baseX + (own[point] ?? 0), baseY + (own[point + 1] ?? 0));
      if (command === "M" && at === 0) [startX, startY] = [x, y];
    }
  }
  return { segments, length };
}

/** The two flags of an arc may stand without a space. */
function arcNumbers(text: string): number[] {
  const numbers: number[] = [];
  for (let at = 0; at < text.length; ) {
    const isFlag = numbers.length % 7 === 3 || numbers.length % 7 === 4;
    if (isFlag && /[01]/.test(text[at] ?? "")) {
      numbers.push(Number(text[at++]));
      continue;
    }
    ARC.lastIndex = at;
    const found = ARC.exec(text);
    if (!found) break;
    if (found[1] !== undefined) numbers.push(Number(found[1]));
    at = ARC.lastIndex;
  }
  return numbers;
}
