import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { root } from "./files";

const git = (...args: string[]) => execFileSync("git", args, { cwd: root, maxBuffer: 2 ** 26 });

describe("a checkout", () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "platform-embed-checkout-"));
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  // Git for Windows sets `core.autocrlf`. A migration with other line ends has another checksum, and Biome refuses the file.
  it("has the same bytes with core.autocrlf, which Git for Windows sets", () => {
    const checkOut = (autocrlf: boolean) => {
      const to = join(folder, String(autocrlf));
      git("-c", `core.autocrlf=${autocrlf}`, "checkout-index", "--all", `--prefix=${to}/`);
      return (path: string) => readFileSync(join(to, path));
    };
    const [onWindows, asCommitted] = [checkOut(true), checkOut(false)];
    const tracked = String(git("ls-files", "-z")).split("\0").filter(Boolean);
    expect(tracked.filter((path) => !onWindows(path).equals(asCommitted(path)))).toEqual([]);
  });
});
