import { expect, test } from "vitest";
import { droppedFiles } from "./dropped-files";

interface Tree {
  [name: string]: string | Tree;
}

/** Entries as a browser hands them out: by callback, a folder's in batches of two. */
function entryOf(name: string, content: string | Tree): object {
  if (typeof content === "string") {
    return {
      name,
      isFile: true,
      isDirectory: false,
      file: (done: (file: File) => void) => done(new File([content], name)),
    };
  }
  return {
    name,
    isFile: false,
    isDirectory: true,
    createReader() {
      const left = Object.entries(content);
      return {
        readEntries: (done: (entries: object[]) => void) =>
          done(left.splice(0, 2).map(([child, inside]) => entryOf(child, inside))),
      };
    },
  };
}

function dropOf(tree: Tree): DataTransfer {
  const entries = Object.entries(tree);
  return {
    files: entries.map(([name, content]) => new File([String(content)], name)),
    items: entries.map(([name, content]) => ({ webkitGetAsEntry: () => entryOf(name, content) })),
  } as unknown as DataTransfer;
}

const dropped = async (tree: Tree, folderPath: string) =>
  (await droppedFiles(dropOf(tree), folderPath)).map(
    ({ file, folderPath: where }) => `${where} ${file.name}`,
  );

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
  ]);
});
