/** The list of deleted files: its order, its pages, its failures, and the ways to it. */
import { everything, notices, panel, violations } from "../change-support";
import { expect, manyFiles } from "../explorer-support";
import { bar, showDeleted, test } from "../past-support";

const DELETED = "**/api/embed/storage/deleted";
const text = (text: string) => ({ text });

/** Lets requests to one of our endpoints wait until the test releases them. */
function gate() {
  let release = () => {};
  const opened = new Promise<void>((resolve) => {
    release = resolve;
  });
  return { opened, release };
}

test.describe("few files", () => {
  test.use({
    timezoneId: "Europe/Berlin",
    histories: {
      "apple.txt": [text("the largest of them"), "deleted"],
      "pear.txt": [text("a"), text("b"), "deleted"],
      "Basket/plum.txt": [text("plum"), text("plums"), text("a plum"), "deleted"],
      "Empty/": [text("")],
    },
    allowedConsole: [/Failed to load resource/],
  });

  test("are sorted by when they were deleted, and by each column, folders first", async ({
    openExplorer,
  }) => {
    const { frame, names } = await openExplorer({ scope: everything });
    await showDeleted(frame);
    await expect.poll(names).toEqual(["Basket", "pear.txt", "apple.txt"]);
    const sortBy = (column: string) => frame.getByRole("button", { name: column, exact: true }).click();
    await sortBy("Deleted");
    await expect.poll(names).toEqual(["Basket", "apple.txt", "pear.txt"]);
    await sortBy("Size");
    await sortBy("Size");
    await expect.poll(names).toEqual(["Basket", "pear.txt", "apple.txt"]);
    await sortBy("Name");
    await expect.poll(names).toEqual(["Basket", "apple.txt", "pear.txt"]);
  });

  test("that a filter hides are no longer selected", async ({ openExplorer }) => {
    const { frame, row, names } = await openExplorer({ scope: everything });
    await showDeleted(frame);
    await row("pear.txt").getByRole("checkbox").click();
    await row("apple.txt").getByRole("checkbox").click();
    await frame.getByRole("searchbox").fill("apple");
    await expect.poll(names).toEqual(["apple.txt"]);
    await expect(bar(frame).getByRole("button", { name: "Restore 1 item" })).toBeVisible();
    await frame.getByRole("searchbox").fill("");
    await expect(row("apple.txt")).toHaveAttribute("aria-selected", "true");
    await expect(row("pear.txt")).toHaveAttribute("aria-selected", "false");
  });

  test("that cannot be listed say so, and can be tried again", async ({ openExplorer, page }) => {
    await page.route(DELETED, (route) =>
      route.fulfill({ status: 503, json: { error: "no", code: "unavailable" } }),
    );
    const { frame, names } = await openExplorer({ scope: everything });
    await showDeleted(frame);
    const alert = frame.getByRole("alert");
    await expect(alert).toBeVisible();
    await page.unroute(DELETED);
    await frame.getByRole("button", { name: /^Try (again|now)$/ }).click();
    await expect.poll(names).toEqual(["Basket", "pear.txt", "apple.txt"]);
    await expect(alert).toHaveCount(0);
  });

  test("are offered in a folder that is empty, and in one that no longer exists", async ({
    integrator,
    openExplorer,
  }) => {
    await integrator.bucket.put("Basket/apricot.txt", "x");
    const { frame, row, names } = await openExplorer({ scope: everything });
    const offer = frame.getByRole("button", { name: "Show deleted files" });
    await row("Empty").dblclick();
    await offer.click();
    await expect(frame.getByText("No deleted files here")).toBeVisible();
    await bar(frame).getByRole("button", { name: "Back to current files" }).click();
    await expect(offer).toBeVisible();

    await frame.getByRole("navigation").getByRole("button", { name: "Files" }).click();
    await row("Basket").dblclick();
    await expect(row("apricot.txt")).toBeVisible();
    await integrator.bucket.remove("Basket/apricot.txt");
    await frame.getByRole("button", { name: "Refresh" }).click();
    await offer.click();
    await expect.poll(names).toEqual(["apricot.txt", "plum.txt"]);
  });

  test("that are being restored come back although the view is left", async ({
    integrator,
    openExplorer,
    page,
  }) => {
    const { opened, release } = gate();
    await page.route("**/api/embed/storage/restore", async (route) => {
      await opened;
      await route.continue();
    });
    const { frame, row, names } = await openExplorer({ scope: everything });
    await showDeleted(frame);
    await bar(frame).getByRole("button", { name: "Restore everything" }).click();
    await expect(panel(frame)).toContainText("Restoring");
    await bar(frame).getByRole("button", { name: "Back to current files" }).click();
    await row("Empty").dblclick();
    await expect.poll(names).toEqual([]);
    release();
    await expect(notices(frame)).toContainText("3 items restored");
    expect(await integrator.bucket.list()).toEqual(["Basket/plum.txt", "Empty/", "apple.txt", "pear.txt"]);
  });
});

test.describe("files of folders that still exist", () => {
  test.use({
    histories: {
      "Basket/apple.txt": [text("apple")],
      "Basket/pear.txt": [text("pear"), "deleted"],
      "Basket/Old/fig.txt": [text("fig"), "deleted"],
      "Basket/Old/plum.txt": [text("plum"), "deleted"],
      "Gone/nut.txt": [text("nut"), "deleted"],
    },
  });

  test("are listed with their folder, and only what is gone is called deleted", async ({
    integrator,
    openExplorer,
    page,
  }) => {
    const { frame, row, names } = await openExplorer({ scope: everything });
    await showDeleted(frame);
    await expect.poll(names).toEqual(["Gone", "Old", "pear.txt"]);
    await expect(row("pear.txt")).toContainText("Basket");
    expect(await violations(page)).toEqual([]);
    await row("Old").getByRole("checkbox").click();
    await row("pear.txt").getByRole("checkbox").click();
    await bar(frame).getByRole("button", { name: "Restore 2 items" }).click();
    await expect(notices(frame)).toContainText("3 items restored");
    await expect.poll(names).toEqual(["Gone"]);
    expect(await integrator.bucket.list()).toEqual([
      "Basket/Old/fig.txt",
      "Basket/Old/plum.txt",
      "Basket/apple.txt",
      "Basket/pear.txt",
    ]);
  });
});

test.describe("many files", () => {
  /** More than one response contains. */
  const COUNT = 1_500;
  test.use({
    histories: Object.fromEntries(
      Object.keys(manyFiles(COUNT, (index) => `file ${String(index).padStart(4, "0")}.txt`)).map((key) => [
        key,
        [text("x"), "deleted" as const],
      ]),
    ),
    allowedConsole: [/Failed to load resource/],
  });

  test("can be used while the rest arrives, and after a page that failed", async ({
    integrator,
    openExplorer,
    page,
  }) => {
    const { opened, release } = gate();
    let isFailing = true;
    await page.route(DELETED, async (route) => {
      if (!route.request().postDataJSON().cursor) return route.continue();
      await opened;
      if (!isFailing) return route.continue();
      await route.fulfill({ status: 502, json: { error: "no", code: "provider_failed" } });
    });
    const { frame, row } = await openExplorer({ scope: everything });
    await showDeleted(frame);
    const status = frame.getByRole("contentinfo");
    await expect(status).toContainText("Still loading");
    await expect(row("file 0003.txt")).toBeVisible();
    await row("file 0003.txt").getByRole("checkbox").click();
    await bar(frame).getByRole("button", { name: "Restore 1 item" }).click();
    await expect(notices(frame)).toContainText("1 item restored");
    expect(await integrator.bucket.list()).toEqual(["file 0003.txt"]);

    release();
    await expect(status.getByRole("alert")).toBeVisible();
    isFailing = false;
    await status.getByRole("button", { name: "Try again" }).click();
    await expect(status).toContainText("1,499 items");
  });
});
