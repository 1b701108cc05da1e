import { strToU8, type Zippable, zipSync } from "fflate";

interface WordFile {
  /** WordprocessingML inside of `w:body` */
  body: string;
  /** pictures by their name in `word/media` */
  pictures?: Record<string, Uint8Array>;
  /** addresses outside of the file by the id of their relationship; `image` is a linked picture */
  outside?: Record<string, { type: "hyperlink" | "image"; target: string }>;
  /** further entries of the archive, or other ones for its own */
  entries?: Zippable;
}

/** Makes a Word document. A picture `a.png` has the relationship `a.png`. */
export function wordFile({
  body,
  pictures = {},
  outside = {},
  entries = {},
}: WordFile): Uint8Array<ArrayBuffer> {
  const relationships = [
    relationship("styles", "styles", "styles.xml"),
    relationship("numbering", "numbering", "numbering.xml"),
    ...Object.keys(pictures).map((name) => relationship(name, "image", `media/${name}`)),
    ...Object.entries(outside).map(([id, { type, target }]) =>
      relationship(id, type, escapeXml(target), ' TargetMode="External"'),
    ),
  ];
  const parts: Record<string, string> = {
    "[Content_Types].xml": contentTypes,
    "_rels/.rels": `<Relationships xmlns="${packages}">${relationship("document", "officeDocument", "word/document.xml")}</Relationships>`,
    "word/document.xml": `<w:document ${namespaces}><w:body>${body}</w:body></w:document>`,
    "word/_rels/document.xml.rels": `<Relationships xmlns="${packages}">${relationships.join("")}</Relationships>`,
    "word/styles.xml": styles,
    "word/numbering.xml": numbering,
  };
  const texts = Object.entries(parts).map(([path, xml]) => [path, strToU8(xmlHead + xml)] as const);
  const media = Object.entries(pictures).map(([name, bytes]) => [`word/media/${name}`, bytes] as const);
  return zipSync({ ...Object.fromEntries([...texts, ...media]), ...entries }, { mtime: "2026-01-02" });
}

const xmlHead = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';
const office = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
const packages = "http://schemas.openxmlformats.org/package/2006/relationships";
const namespaces = [
  'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"',
  `xmlns:r="${office}"`,
  'xmlns:wp="http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing"',
  'xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"',
  'xmlns:pic="http://schemas.openxmlformats.org/drawingml/2006/picture"',
].join(" ");

const relationship = (id: string, type: string, target: string, mode = "") =>
  `<Relationship Id="${id}" Type="${office}/${type}" Target="${target}"${mode}/>`;

const contentTypes = `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">
<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>
<Default Extension="xml" ContentType="application/xml"/>
<Default Extension="png" ContentType="image/png"/>
<Default Extension="svg" ContentType="image/svg+xml"/>
<Override PartName="/word/document.xml" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/>
<Override PartName="/word/styles.xml" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.styles+xml"/>
<Override PartName="/word/numbering.xml" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.numbering+xml"/>
</Types>`;

const style = (id: string, name: string, halfPoints: number) =>
  `<w:style w:type="paragraph" w:styleId="${id}"><w:name w:val="${name}"/><w:pPr><w:spacing w:before="240" w:after="80"/></w:pPr><w:rPr><w:b/><w:sz w:val="${halfPoints}"/></w:rPr></w:style>`;

const styles = `<w:styles ${namespaces}>
${style("Title", "Title", 48)}${style("Heading1", "heading 1", 32)}${style("Heading2", "heading 2", 26)}
<w:style w:type="table" w:styleId="TableGrid"><w:name w:val="Table Grid"/><w:tblPr><w:tblBorders>${["top", "left", "bottom", "right", "insideH", "insideV"].map((side) => `<w:${side} w:val="single" w:sz="4" w:color="808080"/>`).join("")}</w:tblBorders></w:tblPr></w:style>
</w:styles>`;

/** List 1 has bullets, list 2 has numbers. */
const numbering = `<w:numbering ${namespaces}>
<w:abstractNum w:abstractNumId="1"><w:lvl w:ilvl="0"><w:numFmt w:val="bullet"/><w:lvlText w:val="•"/></w:lvl></w:abstractNum>
<w:abstractNum w:abstractNumId="2"><w:lvl w:ilvl="0"><w:start w:val="1"/><w:numFmt w:val="decimal"/><w:lvlText w:val="%1."/></w:lvl></w:abstractNum>
<w:num w:numId="1"><w:abstractNumId w:val="1"/></w:num><w:num w:numId="2"><w:abstractNumId w:val="2"/></w:num>
</w:numbering>`;

const escapeXml = (text: string) =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");

/** A run of text. */
export const run = (text: string, properties = "") =>
  `<w:r>${properties && `<w:rPr>${properties}</w:rPr>`}<w:t xml:space="preserve">${escapeXml(text)}</w:t></w:r>`;

/**
 * A paragraph with a style of `word/styles.xml`.
 * @param content text, or runs
 * @param properties further WordprocessingML inside of `w:pPr`
 */
export const paragraph = (content: string, styleId = "", properties = "") => {
  const all = (styleId && `<w:pStyle w:val="${styleId}"/>`) + properties;
  return `<w:p>${all && `<w:pPr>${all}</w:pPr>`}${runs(content)}</w:p>`;
};

export const listItem = (content: string, list: "bullets" | "numbers") =>
  `<w:p><w:pPr><w:numPr><w:ilvl w:val="0"/><w:numId w:val="${list === "bullets" ? 1 : 2}"/></w:numPr></w:pPr>${runs(content)}</w:p>`;

/** A table; its first row is the head. */
export const table = (rows: string[][]) =>
  `<w:tbl><w:tblPr><w:tblStyle w:val="TableGrid"/><w:tblW w:w="0" w:type="auto"/></w:tblPr>${rows
    .map(
      (cells, index) =>
        `<w:tr>${index === 0 ? "<w:trPr><w:tblHeader/></w:trPr>" : ""}${cells.map((cell) => `<w:tc>${paragraph(cell)}</w:tc>`).join("")}</w:tr>`,
    )
    .join("")}</w:tbl>`;

/** A link to an address in `outside`. */
export const link = (id: string, text: string) => `<w:hyperlink r:id="${id}">${run(text)}</w:hyperlink>`;

/** A picture, from `pictures` or linked. @param size centimetres */
export function picture(id: string, alt: string, size: { width: number; height: number }): string {
  const [cx, cy] = [size.width * 360_000, size.height * 360_000];
  const source = id.includes(".") ? `r:embed="${id}"` : `r:link="${id}"`;
  return `<w:p><w:r><w:drawing><wp:inline><wp:extent cx="${cx}" cy="${cy}"/><wp:docPr id="1" name="Picture" descr="${escapeXml(alt)}"/><a:graphic><a:graphicData uri="http://schemas.openxmlformats.org/drawingml/2006/picture"><pic:pic><pic:nvPicPr><pic:cNvPr id="1" name="Picture"/><pic:cNvPicPr/></pic:nvPicPr><pic:blipFill><a:blip ${source}/><a:stretch><a:fillRect/></a:stretch></pic:blipFill><pic:spPr><a:xfrm><a:off x="0" y="0"/><a:ext cx="${cx}" cy="${cy}"/></a:xfrm><a:prstGeom prst="rect"><a:avLst/></a:prstGeom></pic:spPr></pic:pic></a:graphicData></a:graphic></wp:inline></w:drawing></w:r></w:p>`;
}

/** Text becomes a run; WordprocessingML stays as it is. */
const runs = (content: string) => (content.startsWith("<w:") ? content : run(content));
