import { beforeEach, expect, test, vi } from "vitest";
import type { IncomingFile } from "./dropped-files";
import { chosenFiles, droppedFiles, takeBatches, takeDrop } from "./dropped-files";

interface Tree {
  [name: string]: string | Tree;
}

/** @param path `webkitRelativePath`, which only a file of a chosen folder has */
const fileOf = (name: string, path = "") =>
  Object.defineProperty(new File([""], name), "webkitRelativePath", { value: path });

/** What a file or folder contains that has gone, or may not be read. */
const UNREADABLE = "unreadable";
const refusal = new DOMException("It could not be read.", "NotReadableError");

/** Entries as a browser hands them out: by callback, a folder's in batches of two. */
function entryOf(name: string, content: string | Tree): object {
  if (typeof content === "string") {
    return {
      name,
      isFile: true,
      isDirectory: false,
      file: (done: (file: File) => void, fail: (error: DOMException) => void) =>
        content === UNREADABLE ? fail(refusal) : done(new File([content], name)),
    };
  }
  return {
    name,
    isFile: false,
    isDirectory: true,
    createReader() {
      const left = Object.entries(content);
      return {
        readEntries: (done: (entries: object[]) => void, fail: (error: DOMException) => void) =>
          UNREADABLE in content
            ? fail(refusal)
            : done(left.splice(0, 2).map(([child, inside]) => entryOf(child, inside))),
      };
    },
  };
}

/** The number of times a browser was asked whether something is a folder. */
let asked = 0;
beforeEach(() => {
  asked = 0;
});

function dropOf(tree: Tree): DataTransfer {
  const entries = Object.entries(tree);
  return {
    files: entries.map(([name]) => fileOf(name)),
    items: entries.map(([name, content]) => ({
      type: name.endsWith(".jpg") ? "image/jpeg" : "",
      getAsFile: () => fileOf(name),
      webkitGetAsEntry() {
        asked++;
        return entryOf(name, content);
      },
    })),
  } as unknown as DataTransfer;
}

async function all(batches: AsyncGenerator<IncomingFile[]>): Promise<string[]> {
  const found: string[] = [];
  for await (const batch of batches) {
    for (const { file, name, folderPath, isSystemFile } of batch) {
      found.push(`${folderPath} ${name}${file === null ? "/" : ""}${isSystemFile ? " (system)" : ""}`);
    }
  }
  return found;
}

const dropped = (tree: Tree, folderPath: string) => all(droppedFiles(takeDrop(dropOf(tree)), folderPath));

test("files go into the open folder", async () => {
  expect(await dropped({ "a.txt": "", "b.txt": "" }, "/in")).toEqual(["/in a.txt", "/in b.txt"]);
});

test("a folder keeps its shape, however deep and however many files it holds", async () => {
  const tree = {
    "a.txt": "",
    trip: { "1.jpg": "", "2.jpg": "", "3.jpg": "", day: { "4.jpg": "" }, empty: {} },
  };
  expect(await dropped(tree, "/")).toEqual([
    "/ a.txt",
    "/trip 1.jpg",
    "/trip 2.jpg",
    "/trip 3.jpg",
    "/trip/day 4.jpg",
    "/trip empty/",
  ]);
});

test("what a file manager leaves in a folder is marked, and a folder of nothing else is empty", async () => {
  const tree = { trip: { ".DS_Store": "", "1.jpg": "", only: { "Thumbs.db": "" } } };
  expect(await dropped(tree, "/")).toEqual([
    "/trip .DS_Store (system)",
    "/trip 1.jpg",
    "/trip only/",
    "/trip/only Thumbs.db (system)",
  ]);
  const names = ["._a", "desktop.ini", "~$report.docx", ".env", "~draft.txt"];
  const folder = Object.fromEntries(names.map((name) => [name, ""]));
  expect(await dropped({ folder }, "/")).toEqual(
    names.map((name, index) => `/folder ${name}${index < 3 ? " (system)" : ""}`),
  );
  // Whoever drops one by itself wants it.
  expect(await dropped({ ".DS_Store": "", "a.txt": "" }, "/")).toEqual(["/ .DS_Store", "/ a.txt"]);
});

test("ten thousand files come in batches, the first at once", async () => {
  const many = Object.fromEntries(Array.from({ length: 10_000 }, (_, index) => [`${index}.txt`, ""]));
  const batches = droppedFiles(takeDrop(dropOf({ many })), "/");
  const { value: first } = await batches.next();
  expect(first).toHaveLength(100);
  let count = 100;
  for await (const batch of batches) count += batch.length;
  expect(count).toBe(10_000);
});

test("a folder that was chosen by a button keeps its shape", async () => {
  const files = [
    fileOf("a.txt", "trip/a.txt"),
    fileOf("b.txt", "trip/day/b.txt"),
    fileOf(".DS_Store", "trip/.DS_Store"),
  ];
  expect(await all(chosenFiles(files, "/in"))).toEqual([
    "/in/trip a.txt",
    "/in/trip/day b.txt",
    "/in/trip .DS_Store (system)",
  ]);
  expect(await all(chosenFiles([fileOf("c.txt")], "/"))).toEqual(["/ c.txt"]);
});

test("what cannot be read holds up nothing else, and is told of at the end", async () => {
  const batches = droppedFiles(
    takeDrop(
      dropOf({ trip: { "1.jpg": UNREADABLE, "2.jpg": "", locked: { [UNREADABLE]: "" }, "3.jpg": "" } }),
    ),
    "/",
  );
  const { value: first } = await batches.next();
  expect(first?.map(({ name }: IncomingFile) => name)).toEqual(["2.jpg", "3.jpg"]);
  await expect(batches.next()).rejects.toBe(refusal);
});

test("a person hears of what was not found, not read, or never sent", async () => {
  const told = async (tree: Tree, take: () => Promise<unknown> = async () => {}) => {
    const tell = vi.fn();
    await takeBatches(droppedFiles(takeDrop(dropOf(tree)), "/"), take, tell);
    await Promise.resolve();
    return tell.mock.calls.flat();
  };
  expect(await told({ "a.txt": "" })).toEqual([]);
  expect(await told({})).toEqual(["nothingFound", 0]);
  expect(await told({ trip: { ".DS_Store": "", "._1.jpg": "", "1.jpg": "" } })).toEqual([
    "systemFilesLeft",
    2,
  ]);
  expect(await told({ trip: { "1.jpg": UNREADABLE } })).toEqual(["notAllRead", 0]);
  const notLoaded = () => Promise.reject(new Error("The code did not come."));
  expect(await told({ "a.txt": "" }, notLoaded)).toEqual(["problems.unreachable", 0]);
});

test("of thousands of photos no browser is asked whether they are folders, and none is left out", async () => {
  const photos = Object.fromEntries(Array.from({ length: 10_000 }, (_, index) => [`${index}.jpg`, ""]));
  expect(await dropped(photos, "/in")).toHaveLength(10_000);
  expect(asked).toBe(0);
  const found = await dropped({ ...photos, notes: { "a.jpg": "" }, README: "" }, "/in");
  expect(found).toHaveLength(10_002);
  expect(found).toEqual(expect.arrayContaining(["/in 0.jpg", "/in/notes a.jpg", "/in README"]));
  expect(asked).toBe(2);
  await dropped({ "a.jpg": { "b.txt": "" } }, "/in");
  expect(asked, "of a few it is").toBe(3);
});

test("between two batches the screen has its turn", async () => {
  const photos = Object.fromEntries(Array.from({ length: 1_000 }, (_, index) => [`${index}.jpg`, ""]));
  let turns = 0;
  const timer = setInterval(() => turns++, 0);
  let batches = 0;
  for await (const _ of droppedFiles(takeDrop(dropOf(photos)), "/in")) batches++;
  clearInterval(timer);
  expect(batches).toBe(10);
  expect(turns).toBeGreaterThan(4);
});
