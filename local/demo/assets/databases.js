import { ask, say } from "/demo.js";

const form = document.querySelector("#new-database");
const rows = document.querySelector("#databases");
const units = ["bytes", "kB", "MB", "GB", "TB"];

form.addEventListener("submit", async (event) => {
  event.preventDefault();
  const { name, region, maxCapacityAcu } = Object.fromEntries(new FormData(form));
  const button = form.querySelector("button");
  button.disabled = true;
  say("Creating the database…");
  const { result, error } = await ask("POST", "/my-databases", {
    name,
    region,
    ...(maxCapacityAcu === "" ? {} : { maxCapacityAcu: Number(maxCapacityAcu) }),
  });
  say(result?.note, error);
  button.disabled = false;
  await list();
});

async function list() {
  const { result, error } = await ask("GET", "/my-databases");
  if (error) return say("", error);
  // What was dropped is of no use to anybody.
  const shown = result.databases.filter(({ status, metadata }) => status !== "deleted" || metadata.deletion);
  rows.replaceChildren(...shown.map(toRow));
  if (shown.length > 0) return;
  const cell = document.createElement("td");
  cell.colSpan = 6;
  cell.textContent = "There are no databases yet. Create the first one above.";
  rows.insertRow().append(cell);
}

function toRow(database) {
  const { name, region, status, storageBytes, createdAt, metadata } = database;
  const row = document.createElement("tr");
  const badge = document.createElement("span");
  badge.className = `badge ${status}`;
  badge.textContent = status;
  if (metadata.deletion) {
    badge.textContent = `deleted, until ${new Date(metadata.deletion.restorableUntil).toLocaleDateString()}`;
  }
  for (const content of [name, region, badge, sizeOf(storageBytes), new Date(createdAt).toLocaleString()]) {
    row.insertCell().append(content);
  }
  const action = row.insertCell();
  if (status === "active") action.append(button(`Open`, () => open(database), `Open ${name}`));
  if (metadata.deletion) action.append(button(`Restore`, () => restore(database), `Restore ${name}`));
  return row;
}

function button(text, onClick, label = text) {
  const element = document.createElement("button");
  element.type = "button";
  element.textContent = text;
  element.setAttribute("aria-label", label);
  element.addEventListener("click", async () => {
    element.disabled = true;
    await onClick();
    element.disabled = false;
  });
  return element;
}

async function restore({ id, name }) {
  const { error } = await ask("POST", "/my-databases/restore", { id });
  say(error ? "" : `The database ${name} is back, with its data and logins.`, error);
  await list();
}

/** The database that is open below the list. */
let current;
const opened = document.querySelector("#opened");
const logins = document.querySelector("#logins");
const loginUrl = document.querySelector("#login-url");
const queryForm = document.querySelector("#query");
const deleteForm = document.querySelector("#delete");

async function open(database) {
  current = database;
  const title = document.querySelector("#opened-name");
  title.textContent = database.name;
  opened.hidden = false;
  showUrl("");
  showResult({ columns: [], rows: [] });
  sayBelow("");
  deleteForm.reset();
  await listLogins();
  title.focus();
}

async function listLogins() {
  const { result, error } = await ask("POST", "/my-databases/logins", { id: current.id });
  if (error) return say("", error);
  logins.replaceChildren(...result.credentials.map(toLogin));
}

function toLogin({ user, name, expiresAt }) {
  const item = document.createElement("li");
  const code = document.createElement("code");
  code.textContent = user;
  const until = expiresAt ? `, replaced: works until ${new Date(expiresAt).toLocaleTimeString()}` : "";
  item.append(code, ` ${name ?? ""}${until} `);
  if (!expiresAt)
    item.append(
      button("Rotate", () => issue("rotate-login", { user }), `Rotate ${user}`),
      " ",
    );
  item.append(button("Remove", () => remove(user), `Remove ${user}`));
  return item;
}

async function issue(endpoint, body = {}) {
  const { result, error } = await ask("POST", `/my-databases/${endpoint}`, { id: current.id, ...body });
  if (error) return say("", error);
  showUrl(`psql "${result.url}"`);
  await listLogins();
}

async function remove(user) {
  const { error } = await ask("POST", "/my-databases/remove-login", { id: current.id, user });
  say(error ? "" : `The login ${user} is gone, and its connections ended.`, error);
  await listLogins();
}

document.querySelector("#add-login").addEventListener("click", () => issue("add-login"));

function showUrl(text) {
  loginUrl.textContent = text;
  loginUrl.hidden = text === "";
}

queryForm.addEventListener("submit", async (event) => {
  event.preventDefault();
  sayBelow("Running…");
  const { sql } = Object.fromEntries(new FormData(queryForm));
  const { result, error } = await ask("POST", "/my-databases/query", { id: current.id, sql });
  sayBelow(error ?? result.summary, error !== undefined);
  showResult(result ?? { columns: [], rows: [] });
  await listLogins();
});

function sayBelow(text, isError = false) {
  const outcome = document.querySelector("#query-outcome");
  outcome.textContent = text;
  outcome.classList.toggle("error", isError);
}

function showResult({ columns, rows }) {
  const table = document.querySelector("#query-result");
  table.parentElement.hidden = columns.length === 0;
  table.replaceChildren();
  const head = table.createTHead().insertRow();
  for (const column of columns) {
    const cell = document.createElement("th");
    cell.textContent = column;
    head.append(cell);
  }
  const body = table.createTBody();
  for (const values of rows) {
    const row = body.insertRow();
    for (const value of values) row.insertCell().textContent = value ?? "NULL";
  }
}

deleteForm.addEventListener("submit", async (event) => {
  event.preventDefault();
  const { confirm } = Object.fromEntries(new FormData(deleteForm));
  const { id, name } = current;
  if (confirm !== name) return say("", `Nothing was deleted. Type ${name} to delete this database.`);
  const { error } = await ask("POST", "/my-databases/delete", { id, confirm });
  say(error ? "" : `The database ${name} is deleted. You can restore it for a week.`, error);
  if (error) return;
  opened.hidden = true;
  await list();
});

function sizeOf(bytes) {
  if (bytes === null) return "–";
  const power = bytes === 0 ? 0 : Math.min(Math.floor(Math.log10(bytes) / 3), units.length - 1);
  return `${(bytes / 1000 ** power).toFixed(power === 0 ? 0 : 1)} ${units[power]}`;
}

await list();
