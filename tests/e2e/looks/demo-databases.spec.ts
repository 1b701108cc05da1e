import type { Page } from "@playwright/test";
import { freshName } from "../../support/databases/cluster-databases";
import { query } from "../../support/databases/postgres";
import { findViolations } from "../find-violations";
import { expect, test } from "../fixtures";

const outcome = (page: Page) => page.locator("#outcome");
const row = (page: Page, name: string) => page.getByRole("row").filter({ hasText: name });

async function run(page: Page, sql: string): Promise<void> {
  await page.getByLabel("SQL").fill(sql);
  await page.getByRole("button", { name: "Run" }).click();
}

async function create(page: Page, name: string, region: RegExp): Promise<void> {
  await page.getByLabel("Name", { exact: true }).fill(name);
  const option = page.getByRole("option", { name: region });
  await page.getByLabel("Region").selectOption(await option.getAttribute("value"));
  await page.getByRole("button", { name: "Create the database" }).click();
}

test.describe("The demo's database page", () => {
  test.use({ allowedConsole: [/the server responded with a status of 400/] });

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

  test("connects to a database, rotates its login, deletes it and brings it back", async ({
    page,
    stack,
  }) => {
    const name = freshName();
    await page.goto(`${stack.demoUrl}/databases`);
    await create(page, name, /which has a cluster/);
    await page.getByRole("button", { name: `Open ${name}` }).click();
    await expect(page.getByRole("heading", { name })).toBeFocused();
    await page.getByRole("button", { name: "Make a login" }).click();
    const login = page.getByLabel("The new login");
    await expect(login).toContainText(`psql "postgresql://${name}`);
    const [, url = ""] = /"(.*)"/.exec((await login.textContent()) ?? "") ?? [];
    await query(url, "CREATE TABLE branches AS SELECT 'Montreal' AS city");

    await run(page, "SELECT city, current_database() AS here FROM branches");
    await expect(page.getByRole("cell", { name: "Montreal" })).toBeVisible();
    await expect(page.getByRole("cell", { name, exact: true }).last()).toBeVisible();
    await run(page, "SELECT * FROM nowhere");
    await expect(page.locator("#query-outcome")).toHaveText('relation "nowhere" does not exist');

    await page
      .getByRole("button", { name: /^Rotate / })
      .first()
      .click();
    await expect(page.getByText("replaced: works until")).toBeVisible();
    const violations = await findViolations(page);
    expect(violations.map(({ id, help }) => `${id}: ${help}`)).toEqual([]);

    await page.getByLabel("Type the name of the database").fill("another");
    await page.getByRole("button", { name: "Delete the database" }).click();
    await expect(outcome(page)).toHaveText(`Nothing was deleted. Type ${name} to delete this database.`);
    await page.getByLabel("Type the name of the database").fill(name);
    await page.getByRole("button", { name: "Delete the database" }).click();
    await expect(row(page, name)).toContainText("deleted, until");
    await page.getByRole("button", { name: `Restore ${name}` }).click();
    await expect(outcome(page)).toHaveText(`The database ${name} is back, with its data and logins.`);
    await expect(row(page, name)).toContainText("active");
    expect(await query(url, "SELECT city FROM branches")).toEqual([{ city: "Montreal" }]);
  });

  test("says what is wrong with a name", async ({ page, stack }) => {
    await page.goto(`${stack.demoUrl}/databases`);
    await create(page, "orders; --", /which has a cluster/);
    await expect(outcome(page)).toHaveText(
      "The name may hold letters a to z, digits, underscores and spaces only.",
    );
  });
});
