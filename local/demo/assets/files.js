// Links of the portal to folders, and its "Log out".
const embed = document.querySelector("platform-embed");
const session = document.querySelector("#session");

for (const link of document.querySelectorAll("[data-folder]")) {
  // A folder that cannot be shown says so in the frame.
  link.addEventListener("click", () => embed.navigate(link.dataset.folder).catch(() => {}));
}

session.addEventListener("click", () => {
  if (embed.state === "ended") embed.reload();
  else embed.end();
  session.textContent = embed.state === "ended" ? "Log in" : "Log out";
});
// "Try again" in the embed logs in, too: the demo admits everybody.
embed.addEventListener("platform-embed-loading", () => {
  session.textContent = "Log out";
});
