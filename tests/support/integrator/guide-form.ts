import { readFileSync } from "node:fs";
import type { StackInfo } from "../../../local/stack-info";

/** The page of the guide "Let a customer choose a file", on which a form asks for a file. */
export function guideForm({ platformBaseUrl }: StackInfo): string {
  const guide = readFileSync("docs/guide/choose-files.md", "utf8");
  const [, form] = /^```html\n(<!doctype html>[\s\S]*?)^```$/m.exec(guide) ?? [];
  if (form === undefined) throw new Error("The guide has no page with a form.");
  return form.replaceAll("https://embed.example.com", platformBaseUrl);
}
