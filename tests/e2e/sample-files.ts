/** Generates small files of each type, so that tests need no programs for media or documents. */

/** One red pixel. */
export const PNG = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);

/** A picture of this size, with lines that show whether it is enlarged. */
export function bmp(width: number, height: number): Buffer {
  const lineBytes = Math.ceil((width * 3) / 4) * 4;
  const file = Buffer.alloc(54 + lineBytes * height);
  file.write("BM");
  file.writeUInt32LE(file.length, 2);
  file.writeUInt32LE(54, 10);
  file.writeUInt32LE(40, 14);
  file.writeInt32LE(width, 18);
  file.writeInt32LE(height, 22);
  file.writeUInt16LE(1, 26);
  file.writeUInt16LE(24, 28);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const at = 54 + y * lineBytes + x * 3;
      file[at] = (x * 255) / width;
      file[at + 1] = (y * 255) / height;
      file[at + 2] = (x >> 4) + (y >> 4) === ((x >> 4) | (y >> 4)) ? 200 : 90;
    }
  }
  return file;
}

/** Silence of this many seconds, 8 kHz, 8 bits. */
export function wav(seconds: number): Buffer {
  const rate = 8_000;
  const file = Buffer.alloc(44 + rate * seconds, 0x80);
  file.write("RIFF");
  file.writeUInt32LE(file.length - 8, 4);
  file.write("WAVEfmt ", 8);
  file.writeUInt32LE(16, 16);
  file.writeUInt16LE(1, 20);
  file.writeUInt16LE(1, 22);
  file.writeUInt32LE(rate, 24);
  file.writeUInt32LE(rate, 28);
  file.writeUInt16LE(1, 32);
  file.writeUInt16LE(8, 34);
  file.write("data", 36);
  file.writeUInt32LE(rate * seconds, 40);
  return file;
}

/** A document of objects as they are written, the first of which is its catalogue. */
export function pdfOf(objects: string[]): string {
  let text = "%PDF-1.4\n";
  const places = objects.map((object, index) => {
    const at = text.length;
    text += `${index + 1} 0 obj\n${object}\nendobj\n`;
    return `${String(at).padStart(10, "0")} 00000 n \n`;
  });
  const size = objects.length + 1;
  return `${text}xref\n0 ${size}\n0000000000 65535 f \n${places.join("")}trailer\n<< /Size ${size} /Root 1 0 R >>\nstartxref\n${text.length}\n%%EOF`;
}

/** A document of `pages` empty pages. */
export function pdf(pages: number): string {
  const kids = Array.from({ length: pages }, (_, index) => `${index + 3} 0 R`).join(" ");
  return pdfOf([
    "<< /Type /Catalog /Pages 2 0 R >>",
    `<< /Type /Pages /Kids [${kids}] /Count ${pages} >>`,
    ...Array.from({ length: pages }, () => "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 200 300] >>"),
  ]);
}

/** One page with a line in Latin letters, and one in Japanese whose font is not in the file: its character map has to be had. */
export function pdfWithText(latin: string, japanese: string): string {
  const codes = [...japanese].map((letter) => letter.charCodeAt(0).toString(16).padStart(4, "0")).join("");
  const content = `BT /F1 18 Tf 20 200 Td (${latin}) Tj ET BT /F2 18 Tf 20 150 Td <${codes}> Tj ET`;
  return pdfOf([
    "<< /Type /Catalog /Pages 2 0 R >>",
    "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
    "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 300 300] /Contents 4 0 R /Resources << /Font << /F1 5 0 R /F2 6 0 R >> >> >>",
    `<< /Length ${content.length} >>\nstream\n${content}\nendstream`,
    "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    "<< /Type /Font /Subtype /Type0 /BaseFont /HeiseiKakuGo-W5 /Encoding /UniJIS-UCS2-H /DescendantFonts [7 0 R] >>",
    "<< /Type /Font /Subtype /CIDFontType0 /BaseFont /HeiseiKakuGo-W5 /CIDSystemInfo << /Registry (Adobe) /Ordering (Japan1) /Supplement 2 >> /FontDescriptor 8 0 R >>",
    "<< /Type /FontDescriptor /FontName /HeiseiKakuGo-W5 /Flags 4 /FontBBox [0 -200 1000 900] /ItalicAngle 0 /Ascent 800 /Descent -200 /CapHeight 700 /StemV 80 >>",
  ]);
}
