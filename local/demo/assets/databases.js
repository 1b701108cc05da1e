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
  rows.replaceChildren(...result.databases.map(toRow));
  if (result.databases.length > 0) return;
  const cell = document.createElement("td");
  cell.colSpan = 5;
  cell.textContent = "There are no databases yet. Create the first one above.";
  rows.insertRow().append(cell);
}

function toRow({ name, region, status, storageBytes, createdAt }) {
  const row = document.createElement("tr");
  const badge = document.createElement("span");
  badge.className = `badge ${status}`;
  badge.textContent = status;
  for (const content of [name, region, badge, sizeOf(storageBytes), new Date(createdAt).toLocaleString()]) {
    row.insertCell().append(content);
  }
  return row;
}

function sizeOf(bytes) {
  if (bytes === null) return "–";
  const power = bytes === 0 ? 0 : Math.min(Math.floor(Math.log10(bytes) / 3), units.length - 1);
  return `${(bytes / 1000 ** power).toFixed(power === 0 ? 0 : 1)} ${units[power]}`;
}

await list();
