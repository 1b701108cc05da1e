import type { FrameLocator } from "@playwright/test";
import type { Intercept } from "../../../local/object-store";
import type { FaultyStore } from "../../support/files/faulty-store";
import { unfold } from "../explorer-support";
import { expect, test } from "../faulty-app";

test.use({
  allowedConsole: [/blocked by CORS policy|Failed to load resource: (net::ERR_|.*status of (403|404|50\d))/],
});
test.beforeEach(async ({ faulty, page }) => {
  faulty.intercept = null;
  // Pauses between retries are drawn: always nearly the longest, so that they can be seen.
  await page.addInitScript(() => {
    Math.random = () => 0.95;
  });
});

/** The file's own request, and not those with which the service tries what the store compares: their signature is in a header. */
const isUpload = ({ method, query }: Parameters<Intercept>[0]) =>
  method === "PUT" && query.has("X-Amz-Signature") && !query.has("partNumber");

const choose = (frame: FrameLocator, name: string, bytes = 10) =>
  frame
    .locator("input[type=file]")
    .first()
    .setInputFiles({ name, mimeType: "text/plain", buffer: Buffer.alloc(bytes, "x") });
const line = (frame: FrameLocator, name: string) =>
  frame.getByRole("region", { name: "Uploads" }).getByRole("listitem").filter({ hasText: name });
const once = (fault: ReturnType<NonNullable<FaultyStore["intercept"]>>): FaultyStore["intercept"] => {
  let done = false;
  return (request) => {
    if (!isUpload(request) || done) return undefined;
    done = true;
    return fault;
  };
};

test.describe("an upload", () => {
  test("is retried if the connection breaks, and does not blame CORS", async ({
    faulty,
    integrator,
    openExplorer,
  }) => {
    const { frame, row } = await openExplorer();
    // Chromium itself sends again, once, what broke off on a connection that it had used before.
    let broken = 0;
    faulty.intercept = (request) =>
      isUpload(request) && ++broken <= 2 ? { resetAfterBytes: 1_000_000 } : undefined;
    await choose(frame, "large.txt", 8_000_000);
    await unfold(frame, "Uploads");
    await expect(line(frame, "large.txt")).toContainText("Interrupted. Trying again…");
    await expect(row("large.txt")).toBeVisible();
    expect((await integrator.bucket.get("large.txt"))?.length).toBe(8_000_000);
    expect(
      faulty.requests.filter((request) => request.startsWith("OPTIONS") && request.endsWith("/_")),
    ).toEqual([]);
  });

  test("gets a new URL if the old one has expired, even if pages cannot read the refusal", async ({
    faulty,
    openExplorer,
  }) => {
    const { frame, row } = await openExplorer();
    const error = { status: 403, code: "AccessDenied", message: "Request has expired" };
    faulty.intercept = once({ error });
    await choose(frame, "readable.txt");
    await expect(row("readable.txt")).toBeVisible();
    faulty.intercept = once({ error, withoutCors: true });
    await choose(frame, "unreadable.txt");
    await expect(row("unreadable.txt")).toBeVisible();
  });

  test("is retried if the store is busy, and can be cancelled", async ({ faulty, openExplorer }) => {
    const { frame } = await openExplorer();
    faulty.intercept = ({ method }) =>
      method === "PUT" ? { error: { status: 503, code: "SlowDown" } } : undefined;
    await choose(frame, "a.txt");
    await unfold(frame, "Uploads");
    await expect(line(frame, "a.txt")).toContainText("Interrupted. Trying again…");
    await frame.getByRole("button", { name: "Cancel upload of a.txt" }).click();
    await expect(line(frame, "a.txt")).toContainText("Cancelled");
  });

  test("says what the visitor can do if the bucket's policy forbids it, with a request number", async ({
    integrator,
    openExplorer,
  }) => {
    await integrator.bucket.put("there.txt", "x", "text/plain");
    await integrator.bucket.allowOrigins(["https://elsewhere.example"]);
    const { frame, row } = await openExplorer();
    await choose(frame, "a.txt");
    await expect(line(frame, "a.txt")).toContainText(
      "does not accept files from this page: tell whoever runs it",
    );
    await expect(line(frame, "a.txt")).toContainText(/Request [\w-]{8,}/);
    await row("there.txt").dblclick();
    await expect(frame.getByText("The file store does not let this page read it")).toBeVisible();
    await expect(frame.locator("body")).not.toContainText("npm run");
  });

  test("does not blame CORS if the store refuses the credentials", async ({ faulty, openExplorer }) => {
    const { frame } = await openExplorer();
    faulty.intercept = ({ method }) =>
      method === "OPTIONS" ? undefined : { error: { status: 403, code: "SignatureDoesNotMatch" } };
    await choose(frame, "a.txt");
    await expect(line(frame, "a.txt")).toContainText(
      "The file store is not working right now: tell whoever runs",
    );
    await expect(line(frame, "a.txt")).toContainText(/Request [\w-]{8,}/);
  });
});

test("a failed download is reported on top of whatever is open, and can be dismissed there", async ({
  faulty,
  integrator,
  openExplorer,
  page,
}) => {
  await integrator.bucket.put("a.txt", "hello", "text/plain");
  const { frame, row } = await openExplorer();
  await page.setViewportSize({ width: 360, height: 640 });
  await choose(frame, "a.txt");
  await expect(frame.getByRole("status")).toHaveText("1 upload needs attention");
  const refuse: FaultyStore["intercept"] = () => ({ error: { status: 403, code: "InvalidAccessKeyId" } });
  const dismiss = frame.getByRole("button", { name: "Dismiss" });

  faulty.intercept = refuse;
  // In a narrow list rows have their menu alone.
  await row("a.txt").getByRole("button", { name: "More for a.txt" }).click();
  await frame.getByRole("menuitem", { name: "Download" }).click();
  await expect(frame.getByRole("alert")).toContainText("The file store is not working right now");
  await dismiss.click();
  faulty.intercept = null;
  await row("a.txt").getByText("a.txt").click();
  const preview = frame.getByRole("dialog");
  await expect(preview.getByText("hello")).toBeVisible();
  faulty.intercept = refuse;
  await preview.getByRole("button", { name: "Download a.txt" }).click();
  await expect(preview.getByRole("alert")).toContainText("Could not download a.txt.");
  await dismiss.click();
  await expect(preview.getByRole("alert")).toHaveCount(0);
});

test("a failed preview says so at once, and can be retried", async ({
  faulty,
  integrator,
  openExplorer,
  page,
}) => {
  await integrator.bucket.put("a.txt", "hello", "text/plain");
  await integrator.bucket.put("b.txt", "world", "text/plain");
  const { frame, row } = await openExplorer();
  faulty.intercept = () => ({ error: { status: 403, code: "InvalidAccessKeyId" } });
  await row("a.txt").getByText("a.txt").click();
  const preview = frame.getByRole("dialog");
  await expect(preview.getByRole("alert")).toHaveText(/The file store is not working right now/);
  faulty.intercept = null;
  await preview.getByRole("button", { name: "Try again" }).click();
  await expect(preview.getByText("hello")).toBeVisible();
  await page.keyboard.press("ArrowRight");
  await expect(preview.getByText("world")).toBeVisible();
});

test.describe("a failed first listing", () => {
  const cases = [
    ["unreachable", { reset: true }, "The files are not available right now"],
    [
      "refusing our credentials",
      { error: { status: 403, code: "InvalidAccessKeyId" } },
      "Something went wrong",
    ],
    [
      "without the bucket",
      { error: { status: 404, code: "NoSuchBucket" } },
      "These files are no longer here",
    ],
  ] as const;
  for (const [what, fault, title] of cases) {
    test(`shows the request number and can be retried, with the store ${what}`, async ({
      faulty,
      integrator,
      openExplorer,
    }) => {
      await integrator.bucket.put("a.txt", "x");
      faulty.intercept = ({ method }) => (method === "GET" ? fault : undefined);
      const { frame, row } = await openExplorer();
      await expect(frame.getByRole("heading", { name: title })).toBeVisible();
      await expect(frame.getByText(/^Request [\w-]{8,}$/)).toBeVisible();
      faulty.intercept = null;
      await frame.getByRole("button", { name: /^Try (again|now)$/ }).click();
      await expect(row("a.txt")).toBeVisible();
    });
  }
});
