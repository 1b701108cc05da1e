import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { FrameLocator, Page } from "@playwright/test";
import { scopeActions } from "../../app/services/files/place/actions";
import { MAX_IMAGE_BYTES } from "../../app/services/files/preview/preview-plan";
import type { StackInfo } from "../../local/stack-info";
import { type Deed, recordDeeds } from "../../tests/e2e/activity-support";
import { type Integrator, pageWith, startIntegrator } from "../../tests/e2e/integrator";
import { makeEmbedClient } from "../../tests/support/app/embed-client";
import type { TestBucket } from "../../tests/support/files/bucket";
import { DEMO_FILES, putDemoFiles } from "./demo-files";
import type { Scene } from "./scene";

/** An integrator whose bucket holds what the demo's does, with names that are long, and a customer who may do everything. */
export interface Studio {
  stack: StackInfo;
  integrator: Integrator;
  close(): Promise<void>;
}

export async function startStudio(stack: StackInfo): Promise<Studio> {
  const integrator = await startIntegrator(stack);
  const { bucket, origin } = integrator;
  await putDemoFiles(bucket);
  await bucket.put("Empty folder/", Buffer.alloc(0));
  await bucket.put("Empty.txt", Buffer.alloc(0));
  await bucket.put("Blocked.txt", "x");
  await bucket.tag("Blocked.txt", { scan: "infected" });
  const deep = "Plans/North America/Regional offices/Canada/Montréal, Québec/Second quarter";
  await bucket.put(
    `${deep}/A name that is longer than most screens are wide, with 東京 and a number 20270401.txt`,
    "x",
  );
  for (const name of [
    "A minute of the meeting of the supervisory board in which nothing was decided (final version).docx",
    "Wwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwww.txt",
    "二〇二六年度第一四半期における倉庫別在庫数量および棚卸差異に関する詳細報告書の最終版とその付属資料一覧および訂正表.xlsx",
    "محضر اجتماع مجلس الإدارة الذي لم يتخذ فيه أي قرار بشأن توريد المعدات للمستودع الجديد في الميناء الشمالي.pdf",
  ])
    await bucket.put(`Long names/${name}`, "x");
  for (const [name, content] of Object.entries(unreadable)) await bucket.put(`Unreadable/${name}`, content());
  await fillPast(bucket);
  integrator.client = await makeEmbedClient(stack, {
    bucket: bucket.name,
    origins: [origin],
    files: { actions: [...scopeActions] },
  });
  await recordDeeds(stack, integrator, deeds);
  return { stack, integrator, close: () => integrator.close() };
}

/** Files of which the preview says why it does not show them, and a photo with another format's name. */
const unreadable: Record<string, () => Buffer> = {
  "Annual report.pdf": () => readFileSync("tests/support/files/unreadable/password.pdf"),
  "Binary.txt": () => Buffer.from([0, 1, 2, 3, 0, 0, 7]),
  "Damaged.pdf": () => readFileSync("tests/support/files/unreadable/damaged.pdf"),
  "Damaged.zip": () => Buffer.from("PK\x03\x04"),
  "Drone flight.mov": () => readFileSync("tests/support/files/unreadable/hevc.mov"),
  "Interview.mp4": () => Buffer.from("no film"),
  "Large plan.png": () => Buffer.alloc(MAX_IMAGE_BYTES + 1),
  "Old table.xlsx": () => readFileSync("tests/support/files/unreadable/old-excel-renamed.xlsx"),
  "Photo.jpg": () => readFileSync(join(DEMO_FILES, "Photos/2026/IMG_0412.heic")),
  "Salaries.ods": () => readFileSync("tests/support/files/unreadable/password.ods"),
  "Turbine.dwg": () => Buffer.from("AC1032\0\0\0\x01"),
};

/** Versions of a text, and a folder and files that were deleted. */
async function fillPast(bucket: TestBucket): Promise<void> {
  await bucket.keepVersions();
  const terms = readFileSync(join(DEMO_FILES, "Welcome.md"), "utf8");
  for (const text of [
    terms,
    `${terms}\nPayment within 30 days.\n`,
    `${terms}\nPayment within 14 days, net.\nGeliefert wird frei Haus.\n`,
  ])
    await bucket.put("Terms.md", text);
  const deleted = [
    "Trade fair 2026/Booth 12.png",
    "Trade fair 2026/Plans/Hall 4.pdf",
    "Notes of a call.txt",
    "東京の見積書.pdf",
  ];
  for (const key of deleted) await bucket.put(key, "x");
  for (const key of deleted) await bucket.remove(key);
}

/** What happened in the last days, of each kind, for the scenes of `activity`. */
const deeds: readonly Deed[] = [
  {
    ago: 2,
    who: "Mara Lindqvist",
    type: "file.uploaded",
    key: "Contracts/Framework agreement 2026.pdf",
    data: { size: 482_130 },
  },
  {
    ago: 9,
    who: "Jonas Weber",
    type: "file.moved",
    key: "Letters/To be written.txt",
    data: { from: "Letters/Draft.txt" },
  },
  {
    ago: 30,
    who: "Jonas Weber",
    type: "file.moved",
    key: "Archive/Orders 2025.zip",
    data: { from: "Data/Orders 2025.zip" },
  },
  ...["Harbour at dusk.png", "Night shift.jpg", "Warehouse 東京.png"].map(
    (name): Deed => ({ ago: 45, who: "Mara Lindqvist", type: "file.uploaded", key: `Photos/${name}` }),
  ),
  { ago: 60, who: "Mara Lindqvist", type: "folder.created", key: "Photos/2026/" },
  { ago: 75, who: null, type: "file.deleted", key: "Letters/عقد التوريد 2025.txt" },
  {
    ago: 90,
    who: "Mara Lindqvist",
    type: "file.download_signed",
    key: "Welcome.md",
    data: { disposition: "inline" },
  },
  {
    ago: 100,
    who: "Jonas Weber",
    type: "file.download_signed",
    key: "Data/Price list.csv",
    data: { disposition: "attachment" },
  },
  {
    ago: 60 * 26,
    who: "業務 太郎",
    type: "file.copied",
    key: "Contracts/業務提携の覚書.pdf",
    data: { from: "Archive/業務提携の覚書.pdf", size: 92_000 },
  },
  {
    ago: 60 * 24 * 9,
    who: "Mara Lindqvist",
    type: "file.restored",
    key: "Plans/North America/Regional offices/Canada/Montréal, Québec/Second quarter/A name that is longer than most screens are wide.txt",
  },
];

interface Look {
  locale: string;
  theme: "light" | "dark";
}

/** Brings the page to the scene's state. */
export async function openScene(
  { stack, integrator }: Studio,
  page: Page,
  scene: Scene,
  { locale, theme }: Look,
): Promise<void> {
  const path = `/${scene.name}.${locale}.${theme}`;
  const { service = "files" } = scene;
  const attributes = `service="${service}" token-endpoint="/embed-url" locale="${locale}" theme="${theme}" style="--platform-embed-min-height: 0" ${scene.attributes ?? ""}`;
  integrator.pages.set(
    path,
    pageWith(
      stack,
      scene.body?.(stack, { locale, theme }) ?? `<platform-embed ${attributes}></platform-embed>`,
    ),
  );
  let issued = 0;
  await page.route(`${integrator.origin}/embed-url`, async (route) => {
    const { actions = scopeActions, folder, tokenStatus, expiresInSeconds } = scene;
    if (tokenStatus === "never") return;
    if (tokenStatus) return route.fulfill({ status: tokenStatus, json: {} });
    if (expiresInSeconds && issued++ > 0) return route.fulfill({ status: 503, json: {} });
    const scope = scene.scope ?? { ...(service === "files" && { actions }), ...(folder && { path: folder }) };
    integrator.asks = {
      scope,
      visitor: { id: "u-1", name: "Mara Lindqvist" },
      ...(expiresInSeconds && { expiresInSeconds }),
    };
    const { url, expiresAt } = await integrator.issue(service);
    return route.fulfill({ json: { url, expiresAt, service } });
  });
  const frame: FrameLocator = page.frameLocator("iframe");
  await scene.before?.(page);
  if (scene.html) await page.setContent(scene.html({ locale }));
  else await page.goto(scene.address?.(stack) ?? integrator.origin + path);
  if (scene.until) await frame.locator(scene.until).first().waitFor();
  // The list is on the screen before its scripts are: keys of the browser's (F2, Ctrl, Alt) and chosen files would be lost until then.
  if (scene.act && !scene.body && !scene.address && !scene.html)
    await page.locator("platform-embed:state(ready)").waitFor();
  await scene.act?.(frame, page);
}
