import type { Page } from "@playwright/test";
import { LIST, row, type Scene } from "./scene";

/** Opens a file and waits until something of its preview is seen. */
const preview =
  (name: string, within: string, seen: string): Scene["act"] =>
  async (frame) => {
    for (const folder of within.split("/").filter(Boolean)) {
      await frame.locator(`${row(folder)} [data-name]`).click();
      await frame.locator(`${row(folder)}`).waitFor({ state: "detached" });
    }
    await frame.locator(`${row(name)} [data-name]`).click();
    await frame.locator(`dialog[open] ${seen}`).first().waitFor();
  };

const failing = (page: Page) => page.route("**/*X-Amz-Signature*", (route) => route.abort());

export const previewScenes: Scene[] = [
  { name: "preview-text", until: LIST, act: preview("Welcome.md", "", ".markdown") },
  { name: "preview-empty", until: LIST, act: preview("Empty.txt", "", ".preview__note") },
  { name: "preview-image", until: LIST, act: preview("Harbour at dusk.png", "Photos", "img") },
  { name: "preview-pdf", until: LIST, act: preview("Framework agreement 2026.pdf", "Contracts", "canvas") },
  { name: "preview-table", until: LIST, act: preview("Price list.csv", "Data", "table, pre") },
  { name: "preview-json", until: LIST, act: preview("orders.json", "Data", "pre, code, details") },
  { name: "preview-code", until: LIST, act: preview("import_orders.py", "Data", ".code__keyword") },
  {
    name: "preview-document",
    until: LIST,
    act: preview("Supply contract.docx", "Contracts", ".document__page img"),
  },
  { name: "preview-sheet", until: LIST, act: preview("Price list 2026.xlsx", "Data", "table") },
  { name: "preview-heic", until: LIST, act: preview("IMG_0412.heic", "Photos/2026", "img, canvas") },
  {
    name: "preview-pdf-loading",
    until: LIST,
    before: (page) => page.route("**/*.pdf?*X-Amz-Signature*", () => {}),
    act: preview("Framework agreement 2026.pdf", "Contracts", ".preview__page--waiting"),
  },
  {
    name: "preview-details",
    until: LIST,
    async act(frame, page) {
      await preview("Harbour at dusk.png", "Photos", "img")?.(frame, page);
      await frame.locator(".preview__info").click();
      await frame.locator(".preview__details .details-support summary").last().click();
    },
  },
  { name: "preview-video", until: LIST, act: preview("Evening in the harbour.mp4", "Videos", "video") },
  { name: "preview-audio", until: LIST, act: preview("Harbour bells.mp3", "Recordings", "audio") },
  { name: "preview-archive", until: LIST, act: preview("Orders 2025.zip", "Archive", "table") },
  { name: "preview-arabic", until: LIST, act: preview("عقد التوريد 2026.txt", "Letters", "pre") },
  { name: "preview-other-content", until: LIST, act: preview("Photo.jpg", "Unreadable", "img") },
  {
    name: "preview-failed",
    until: LIST,
    before: failing,
    act: preview("orders.json", "Data", ".preview__note"),
  },
  {
    name: "preview-loading",
    until: LIST,
    before: (page) => page.route("**/*.png?*X-Amz-Signature*", () => {}),
    act: preview("Harbour at dusk.png", "Photos", ".preview__wait"),
  },
  {
    name: "preview-zoomed",
    until: LIST,
    async act(frame, page) {
      await preview("Harbour at dusk.png", "Photos", "img")?.(frame, page);
      for (let times = 0; times < 4; times++) await page.keyboard.press("+");
    },
  },
  ...[
    ["preview-password", "Annual report.pdf"],
    ["preview-binary", "Binary.txt"],
    ["preview-damaged", "Damaged.pdf"],
    ["preview-damaged-archive", "Damaged.zip"],
    ["preview-no-picture", "Drone flight.mov"],
    ["preview-unplayable", "Interview.mp4"],
    ["preview-too-large", "Large plan.png"],
    ["preview-old-format", "Old table.xlsx"],
    ["preview-protected", "Salaries.ods"],
    ["preview-unknown", "Turbine.dwg"],
  ].map(
    ([name = "", file = ""]): Scene => ({
      name,
      until: LIST,
      act: preview(file, "Unreadable", ".preview__note"),
    }),
  ),
];
