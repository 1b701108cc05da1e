/** A file browser in plain DOM. The engine has the state and does the work; this file draws it. */
import { createFilesClient } from "platform-embed-element/client";

/** As in `server.mjs`: the bucket, and the folder that the visitor may see. */
const BUCKET = "demo-files";
const TOP = "/Contracts";
/** Your id of who is signed in: unfinished uploads are shown to nobody else at this browser. */
const USER = "demo";

const files = createFilesClient({ bucket: BUCKET, fetchToken, uploads: { visitorKey: USER } });
const folder = files.folder();

/** Asks your backend for a token, at the beginning and whenever one has expired. */
async function fetchToken({ signal }) {
  const response = await fetch("/embed-url", { method: "POST", signal });
  // The engine reads the status: 401 ends the session, and what may be temporary is tried again.
  if (!response.ok) throw response;
  return response.json();
}

const byId = (id) => document.getElementById(id);

function make(tag, members = {}, ...children) {
  const element = Object.assign(document.createElement(tag), members);
  element.append(...children);
  return element;
}

const button = (text, onclick, label = text) =>
  make("button", { type: "button", textContent: text, ariaLabel: label, onclick });

/** What is not drawn from state: a sentence about what has happened last. */
function say(sentence) {
  byId("status").textContent = sentence;
}

function drawFolder() {
  const { path, status, rows, complete, problem } = folder.getState();
  byId("path").textContent = path;
  byId("up").disabled = path === TOP;
  byId("rows").ariaBusy = String(status !== "ready");
  byId("rows").replaceChildren(...rows.map(drawRow));
  if (problem) say(`The files could not be listed: ${problem.message}`);
  else if (complete && rows.length === 0) say("This folder is empty.");
}

function drawRow(row) {
  const name = row.type === "folder" ? `${row.name}/` : row.name;
  const open = () => (row.type === "folder" ? folder.open(row.path) : download(row));
  return make(
    "li",
    {},
    button(name, open),
    make("span", { textContent: row.type === "file" ? `${row.size} bytes` : "" }),
    button("Rename", () => rename(row), `Rename ${row.name}`),
    button("Delete", () => files.changes.remove([row]), `Delete ${row.name}`),
  );
}

async function download(file) {
  try {
    location.assign(await files.downloads.url(file));
  } catch (error) {
    say(`${file.name} could not be downloaded: ${error.message}`);
  }
}

function rename(row) {
  const name = prompt("New name", row.name);
  if (name && name !== row.name) void files.changes.rename(row, name);
}

async function upload(chosen) {
  try {
    await files.uploads.add(chosen, folder.getState().path);
  } catch (error) {
    say(`The files could not be uploaded: ${error.message}`);
  }
}

/** The state comes ten times a second. A line that says the same stays: somebody may be pressing its button. */
function drawUploads() {
  const { uploads } = files.uploads.getState();
  const list = byId("uploads");
  const lines = uploads.map(drawUpload);
  for (const line of lines) {
    const shown = byId(line.id);
    if (!shown) list.append(line);
    else if (shown.textContent !== line.textContent) shown.replaceWith(line);
    else shown.querySelector("progress").value = line.querySelector("progress").value;
  }
  for (const shown of [...list.children]) if (!lines.some(({ id }) => id === shown.id)) shown.remove();
}

function drawUpload({ id, name, size, sent, status, question, error }) {
  const answers = answersTo[question?.about] ?? [];
  const actions = {
    sending: () => button("Pause", () => files.uploads.pause(id), `Pause ${name}`),
    paused: () => button("Resume", () => files.uploads.retry(id), `Resume ${name}`),
    failed: () => button("Retry", () => files.uploads.retry(id), `Retry ${name}`),
  };
  return make(
    "li",
    { id: `upload-${id}` },
    make("span", { textContent: `${name}: ${error?.message ?? asks[question?.about] ?? status}` }),
    make("progress", { max: size || 1, value: size ? sent : 1, ariaLabel: name }),
    ...answers.map((answer) => button(answer, () => files.uploads.answer(id, answer))),
    actions[status]?.() ?? "",
    status === "done" ? "" : button("Cancel", () => files.uploads.cancel(id), `Cancel ${name}`),
  );
}

const asks = { conflict: "name is taken", found: "go on with a part sent before?", file: "choose it again" };

/** A change that waits for an answer is state. Where you ask, and how, is yours. */
function drawQuestions() {
  const waiting = files.changes.getState().filter(({ status }) => status === "waiting");
  byId("questions").replaceChildren(...waiting.map(drawQuestion));
}

const taken = ["replace", "keep-both", "skip"];
const found = ["continue", "start-over"];
const answersTo = { conflict: taken, found, conflicts: taken, delete: ["delete"], purge: ["delete"] };

function drawQuestion({ id, question }) {
  const text =
    question.about === "conflicts"
      ? `These names are taken: ${question.items.map(({ name }) => name).join(", ")}`
      : "Nothing can bring these files back. Delete them?";
  return make(
    "li",
    {},
    make("span", { textContent: text }),
    ...answersTo[question.about].map((answer) => button(answer, () => files.changes.answer(id, answer))),
    button("cancel", () => files.changes.cancel(id)),
  );
}

/** The folder has heard of it already: this is for the person. */
files.on("changed", ({ change, next }) => {
  byId("undo").disabled = next?.way !== "undo";
  if (change.status === "done") say(`${change.action}: ${change.done} done`);
  if (change.status !== "failed") return;
  say(`${change.action} failed: ${change.error?.message ?? change.failed[0]?.code}`);
  files.changes.dismiss(change.id);
});

byId("choose").onchange = ({ target }) => {
  void upload([...target.files]);
  target.value = "";
};
byId("undo").onclick = () => files.changes.undo();
byId("up").onclick = () => {
  const { path } = folder.getState();
  void folder.open(path.slice(0, path.lastIndexOf("/")));
};
folder.subscribe(drawFolder);
files.changes.subscribe(drawQuestions);
files.uploads.subscribe(drawUploads);
void folder.open(TOP);
