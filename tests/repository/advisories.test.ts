/**
 * Holds the lock file against `advisories.json`: the known advisories of packages that we install, with the versions that have the defect. It
 * works without a registry. `npm audit` needs one, and runs in the workflow of GitHub.
 */
import { expect, it } from "vitest";
import advisories from "./advisories.json" with { type: "json" };
import { textOf } from "./files";

interface Advisory {
  package: string;
  /** the first version with the defect */
  from: string;
  /** the first version without it */
  before: string;
  advisory: string;
  /** why nobody can use the defect here, if we have to keep such a version. A test is named after the advisory. */
  unreachable?: string;
  /** the day on which somebody last looked at it */
  checked: string;
}

const { packages }: { packages: Record<string, { version?: string }> } = JSON.parse(
  textOf("package-lock.json"),
);
const isBefore = (version: string, other: string) =>
  version.localeCompare(other, "en", { numeric: true }) < 0;

const installed = ({ package: name, from, before }: Advisory): string[] =>
  Object.entries(packages)
    .filter(([path]) => path.endsWith(`node_modules/${name}`))
    .flatMap(([, { version }]) => version ?? [])
    .filter((version) => !isBefore(version, from) && isBefore(version, before));

it.each(advisories as Advisory[])("$advisory of $package is mended or unreachable", (advisory) => {
  if (advisory.unreachable === undefined) expect(installed(advisory)).toEqual([]);
  else {
    expect(installed(advisory), "keep only the ranges that are installed").not.toEqual([]);
    expect(textOf("tests/integration/advisories.test.ts")).toContain(advisory.advisory);
  }
});
