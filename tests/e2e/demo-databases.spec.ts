import type { Page } from "@playwright/test";
import { freshName } from "../support/databases/cluster-databases";
import { findViolations } from "./find-violations";
import { expect, test } from "./fixtures";

const outcome = (page: Page) => page.getByRole("status");
const row = (page: Page, name: string) => page.getByRole("row").filter({ hasText: name });

async function create(page: Page, name: string, region: RegExp): Promise<void> {
  await page.getByLabel("Name").fill(name);
  const option = page.getByRole("option", { name: region });
  await page.getByLabel("Region").selectOption(await option.getAttribute("value"));
  await page.getByRole("button", { name: "Create the database" }).click();
}

test.describe("The demo's database page", () => {
  test("creates a database where there is a cluster, and records one where there is none", async ({
    page,
    stack,
  }) => {
    const name = freshName();
    await page.goto(`${stack.demoUrl}/databases`);
    await create(page, name.toUpperCase(), /which has a cluster/);
    await expect(outcome(page)).toHaveText(`The database ${name} is ready in ${stack.clusterRegion}.`);
    await expect(row(page, name)).toContainText("active");

    const waiting = freshName();
    await create(page, waiting, /which has none/);
    await expect(outcome(page)).toContainText(`${waiting} is recorded, but not created`);
    await expect(row(page, waiting)).toContainText("pending");
    await create(page, waiting, /which has none/);
    await expect(row(page, waiting)).toHaveCount(1);

    const violations = await findViolations(page);
    expect(violations.map(({ id, help }) => `${id}: ${help}`)).toEqual([]);
  });

  test.describe("says what is wrong with", () => {
    test.use({ allowedConsole: [/the server responded with a status of 400/] });

    test("a name", async ({ page, stack }) => {
      await page.goto(`${stack.demoUrl}/databases`);
      await create(page, "orders; --", /which has a cluster/);
      await expect(outcome(page)).toHaveText(
        "The name may hold letters a to z, digits, underscores and spaces only.",
      );
    });
  });
});
