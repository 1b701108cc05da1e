/** The service `activity`: who did what, with filters, as it happens. */
import { downloadCsv, expect, lines, test } from "../activity-support";

test("what happened is listed by day, newest first, with what belongs together in one line", async ({
  record,
  openActivity,
}) => {
  await record(
    { ago: 3, who: "Ada", type: "file.moved", key: "in/b.txt", data: { from: "in/a.txt" } },
    { ago: 4, who: "Ben", type: "file.moved", key: "done/c.txt", data: { from: "in/c.txt" } },
    { ago: 5, who: "Ada", type: "file.uploaded", key: "in/1.txt", data: { size: 48_000 } },
    { ago: 6, who: "Ada", type: "file.uploaded", key: "in/2.txt" },
    { ago: 7, who: null, type: "file.deleted", key: "gone.txt" },
    { ago: 60 * 24 * 40, who: "Ada", type: "folder.created", key: "in/" },
  );
  const frame = await openActivity();
  expect(await lines(frame)).toEqual([
    "Renamed | b.txt | in | Ada",
    "Moved | c.txt | donefrom in | Ben",
    "Uploaded | 1.txt and 1 more | in | Ada",
    "Deleted | gone.txt | Top folder | Unknown person",
    "Folder created | in | Top folder | Ada",
  ]);
  await expect(frame.getByText("was a.txt")).toBeVisible();
  await expect(frame.getByRole("heading", { level: 2 })).toHaveCount(2);
  const names = frame.locator(".activity__names li");
  await expect(names).toHaveText(["1.txt", "2.txt"]);
  await expect(names.last()).toBeHidden();
  await frame.getByText("1.txt and 1 more").click();
  await expect(names.last()).toBeVisible();
});

test("filters leave what matches, and can be cleared", async ({ record, openActivity, page }) => {
  await record(
    { ago: 1, who: "Ada", type: "file.deleted", key: "a/x.txt" },
    { ago: 2, who: "Ben", type: "file.uploaded", key: "a/y.txt" },
    { ago: 60 * 24 * 10, who: "Ada", type: "file.uploaded", key: "b/z.txt" },
  );
  const frame = await openActivity();
  const shown = async () => (await lines(frame)).map((line) => line.split(" | ")[1]);
  const select = (label: string, option: string) =>
    frame.getByRole("combobox", { name: label }).selectOption({ label: option });

  await select("What", "Uploads");
  await expect.poll(shown).toEqual(["y.txt", "z.txt"]);
  await select("When", "Last 7 days");
  await expect.poll(shown).toEqual(["y.txt"]);
  await frame.getByRole("combobox", { name: "Who" }).focus();
  await expect(frame.getByRole("option", { name: "Ada" })).toBeAttached();
  await select("Who", "Ada");
  await expect(frame.getByText("Nothing matches these filters")).toBeVisible();
  await frame.getByRole("button", { name: "Clear filters" }).last().click();
  await expect.poll(shown).toEqual(["x.txt", "y.txt", "z.txt"]);

  // A name and a folder in the list are filters, too.
  await frame.getByRole("button", { name: "Ben" }).click();
  await expect.poll(shown).toEqual(["y.txt"]);
  await expect(frame.getByRole("combobox", { name: "Who" })).toHaveValue("id-of-Ben");
  await frame.getByRole("button", { name: "Clear filters" }).click();
  await frame.getByRole("button", { name: "b", exact: true }).click();
  await expect.poll(shown).toEqual(["z.txt"]);
  await frame.getByRole("button", { name: "In all folders again" }).click();
  await expect.poll(shown).toHaveLength(3);

  await select("When", "Between two dates");
  const day = await page.evaluate(() => {
    const tenDaysAgo = new Date(Date.now() - 10 * 24 * 60 * 60_000);
    return [tenDaysAgo.getFullYear(), tenDaysAgo.getMonth() + 1, tenDaysAgo.getDate()]
      .map((part) => String(part).padStart(2, "0"))
      .join("-");
  });
  await frame.getByLabel("From").fill(day);
  await frame.getByLabel("To", { exact: true }).fill(day);
  await expect.poll(shown).toEqual(["z.txt"]);
});

test("what happens meanwhile appears by itself, and is counted for who reads further down", async ({
  record,
  openActivity,
}) => {
  // One line each: they are further apart than what is grouped.
  await record(
    ...Array.from({ length: 60 }, (_, index) => ({
      ago: 20 * (index + 1),
      who: "Ada",
      type: "file.uploaded" as const,
      key: `old/${index}.txt`,
    })),
  );
  const frame = await openActivity();
  await record({ ago: 0, who: "Ben", type: "file.deleted", key: "old/7.txt" });
  await expect(frame.getByText("Deleted", { exact: true })).toBeVisible({ timeout: 15_000 });
  await expect(frame.getByRole("status").filter({ hasText: "1 new" })).toBeAttached();

  const main = frame.locator(".activity-page__main");
  // It loads on as one scrolls.
  await expect(frame.locator(".activity__entry")).toHaveCount(50 + 1);
  await main.evaluate((list) => list.scrollTo(0, list.scrollHeight));
  await expect(frame.locator(".activity__entry")).toHaveCount(61);
  await record({ ago: 0, who: "Ben", type: "file.deleted", key: "old/8.txt" });
  const newer = frame.getByRole("button", { name: "1 new" });
  await expect(newer).toBeVisible({ timeout: 15_000 });
  await newer.click();
  await expect.poll(() => main.evaluate((list) => list.scrollTop)).toBeLessThan(80);
  await expect(newer).toBeHidden();
});

test("what the filters leave can be downloaded as CSV", async ({ record, openActivity, page }) => {
  await record(
    { ago: 1, who: "Ada", type: "file.deleted", key: "x.txt" },
    { ago: 2, who: "Ada", type: "file.uploaded", key: "y.txt" },
  );
  const frame = await openActivity();
  await frame.getByRole("combobox", { name: "What" }).selectOption({ label: "Uploads" });
  const text = await downloadCsv(page, frame);
  expect(text.split("\r\n")[0]).toContain("occurredAt");
  expect(text).toContain("y.txt");
  expect(text).not.toContain("x.txt");
});

test("without events it says so; without a connection too, and goes on when it is back", async ({
  record,
  openActivity,
  page,
  allowedConsole,
}) => {
  allowedConsole.push(/ERR_INTERNET_DISCONNECTED|Failed to load resource/);
  const frame = await openActivity();
  await expect(frame.getByText("Nothing has happened yet")).toBeVisible();
  await record({ ago: 1, who: "Ada", type: "file.deleted", key: "x.txt" });
  await expect(frame.getByText("x.txt")).toBeVisible({ timeout: 15_000 });

  await page.context().setOffline(true);
  await frame.getByRole("combobox", { name: "When" }).selectOption({ label: "Today" });
  await expect(frame.getByText("You are offline")).toBeVisible();
  await page.context().setOffline(false);
  await expect(frame.getByText("x.txt")).toBeVisible();
});

test("a failure shows the request's number and can be retried", async ({
  record,
  openActivity,
  page,
  allowedConsole,
}) => {
  allowedConsole.push(/Failed to load resource/);
  await record({ ago: 1, who: "Ada", type: "file.deleted", key: "x.txt" });
  const frame = await openActivity();
  let isBroken = true;
  await page.route("**/api/embed/activity/list", (route) =>
    isBroken
      ? route.fulfill({
          status: 500,
          json: { error: "No.", code: "internal" },
          headers: { "X-Request-Id": "r-7" },
        })
      : route.continue(),
  );
  await frame.getByRole("combobox", { name: "When" }).selectOption({ label: "Today" });
  await expect(frame.getByText("Something went wrong")).toBeVisible();
  await expect(frame.getByText("Request r-7")).toBeVisible();
  isBroken = false;
  await frame.getByRole("button", { name: "Try again" }).click();
  await expect(frame.getByText("x.txt")).toBeVisible();
});

test("everything can be reached with the keyboard", async ({ record, openActivity, page }) => {
  await record(
    { ago: 1, who: "Ada", type: "file.deleted", key: "a/x.txt" },
    { ago: 2, who: "Ada", type: "file.deleted", key: "a/y.txt" },
  );
  const frame = await openActivity();
  await frame.getByRole("combobox", { name: "What" }).focus();
  const focused = async () =>
    frame.locator(":focus").evaluate((element) => element.getAttribute("aria-label") ?? element.textContent);
  const reached = [];
  for (let index = 0; index < 6; index++) {
    await page.keyboard.press("Tab");
    reached.push(await focused());
  }
  expect(reached.slice(2)).toEqual(["Download as CSV", "x.txt and 1 more. Show the names", "a", "Ada"]);
  await page.keyboard.press("Enter");
  await expect(frame.getByRole("combobox", { name: "Who" })).toHaveValue("id-of-Ada");
});
