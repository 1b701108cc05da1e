import { describe, expect, it } from "vitest";
import { type CsvColumn, readCsvJobs } from "./csv-jobs.server";

const template = { campaignId: "spring", locale: "en", variables: { shop: "Main Street", code: "none" } };

async function read(content: string | Uint8Array, pieceBytes = 7) {
  const bytes = Buffer.from(content as string);
  async function* chunks() {
    for (let start = 0; start < bytes.length; start += pieceBytes)
      yield bytes.subarray(start, start + pieceBytes);
  }
  let columns: CsvColumn[] = [];
  const jobs = [];
  const onColumns = (found: CsvColumn[]) => {
    columns = found;
  };
  for await (const job of readCsvJobs(chunks(), template, { onColumns })) jobs.push(job);
  return { columns, jobs };
}

describe("a customer list", () => {
  it("has one job on each line; unknown columns are variables", async () => {
    const { columns, jobs } = await read(
      '\uFEFFE-Mail,Name,First Name,Code,Language\r\nada@example.com,"Lovelace, Ada",Ada,A-1,de\r\n\r\nbob@example.com,,,"say ""hi""",\r\n',
    );
    expect(columns.map(({ use }) => use)).toEqual([
      { member: "email" },
      { member: "name" },
      { variable: "first_name" },
      { variable: "code" },
      { member: "locale" },
    ]);
    expect(jobs).toEqual([
      {
        row: 2,
        job: {
          ...template,
          locale: "de",
          recipient: { email: "ada@example.com", name: "Lovelace, Ada" },
          variables: { shop: "Main Street", first_name: "Ada", code: "A-1" },
        },
      },
      {
        row: 4,
        job: {
          ...template,
          recipient: { email: "bob@example.com" },
          variables: { shop: "Main Street", code: 'say "hi"' },
        },
      },
    ]);
  });

  it.each([
    [";", "email;ort\na@b.co;Köln, Mitte"],
    ["\t", "email\tort\na@b.co\tKöln, Mitte"],
    [",", 'email,ort\na@b.co,"Köln, Mitte"'],
    [";", '\n"email";"ort"\n"a@b.co";"Köln, Mitte"'],
    ["sep=;", "\uFEFFsep=;\r\nemail;ort\r\na@b.co;Köln, Mitte\r\n"],
    ["; with an empty end", "email;ort;;\n;;;\na@b.co;Köln, Mitte;;\n"],
    [",", '"email","ort","a;b;c;d"\na@b.co,"Köln, Mitte",x'],
  ])("may be separated by %j", async (_, text) => {
    const [first] = (await read(text)).jobs;
    expect(first).toMatchObject({
      job: { recipient: { email: "a@b.co" }, variables: { ort: "Köln, Mitte" } },
    });
  });

  it("keeps line breaks in quotes, and counts rows as spreadsheets do", async () => {
    const [first, second] = (await read('email,note\na@b.co,"one\ntwo"\n\nc@d.co,\n', 3)).jobs;
    expect(first).toMatchObject({ job: { variables: { note: "one\ntwo" } } });
    expect([first?.row, second?.row]).toEqual([2, 4]);
  });

  it("names rows with too few or too many cells, and reads the others", async () => {
    const { jobs } = await read(
      "email,name,code\na@b.co,Ada,1\nb@b.co,Bob\nc@b.co\n,,\n,\nd@b.co,Dan,4,5\ne@b.co,,\n",
    );
    expect(jobs.map((row) => ("issue" in row ? row : row.row))).toEqual([
      2,
      { row: 3, issue: "has 2 cells, and the list has 3 columns" },
      { row: 4, issue: "has 1 cell, and the list has 3 columns" },
      { row: 7, issue: "has 4 cells, and the list has 3 columns" },
      8,
    ]);
  });

  it.each(["email", "E-Mail", " Mail ", "EMAIL ADDRESS", "e-mail_address", "EmailAddress"])(
    "may call the address %j, and begin with blank rows",
    async (name) => {
      const { columns, jobs } = await read(`\n,\n${name},x\na@b.co,1\n`);
      expect(columns[0]?.use).toEqual({ member: "email" });
      expect(jobs).toMatchObject([{ row: 4, job: { recipient: { email: "a@b.co" } } }]);
    },
  );

  it.each([
    [
      "without addresses",
      "name\nAda",
      "No column is for the address: name one “email”. The columns are “name”.",
    ],
    [
      "with two columns of one use",
      "email,E-Mail\na,b",
      "The columns “email” and “E-Mail” are both for recipient.email.",
    ],
    ["with a column that has no name", "email,#\na,b", "The column “#” cannot be a variable:"],
    [
      "without names of columns",
      "ada@example.com,Ada\nb@b.co,Bob",
      "The first line of the list has an address. It must name the columns, like: email,name",
    ],
    ["with an open quote", 'email\n"a@b.co', "The list is not valid CSV: Quote Not Closed"],
    [
      "with an escape sequence of terminals where a quote belongs",
      'email\n"a"\u001b',
      'The list is not valid CSV: Invalid Closing Quote: got " " at line 2',
    ],
    ["without any line", "", "The list is empty."],
    ["with far too many blank lines", "\n".repeat(400_000), "The list begins with too many blank lines."],
    ["that is not in UTF-8", Buffer.from([0x65, 0x0a, 0xfc]), "The list is not in UTF-8."],
    [
      "with a line that is too long",
      `email\n${"x".repeat(300_000)}`,
      "A line of the list is over 256 kB long.",
    ],
  ])("is refused %s", async (_, content, message) => {
    await expect(read(content, 65_536)).rejects.toThrow(message);
  });
});
