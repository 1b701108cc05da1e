// Links of the portal to folders, who is signed in, and its "Log out".
const embed = document.querySelector("platform-embed");
const session = document.querySelector("#session");

for (const link of document.querySelectorAll("[data-folder]")) {
  // A folder that cannot be shown says so in the frame.
  link.addEventListener("click", () => embed.navigate(link.dataset.folder).catch(() => {}));
}

document.querySelector("#user").addEventListener("change", ({ target }) => {
  // A portal of your own would sign somebody else in here.
  // biome-ignore lint/suspicious/noDocumentCookie: Firefox got CookieStore only in 2025
  document.cookie = `demo-user=${target.value}; path=/; SameSite=Lax`;
  embed.end();
  embed.reload();
});

session.addEventListener("click", () => {
  if (embed.state === "ended") embed.reload();
  else embed.end();
  session.textContent = embed.state === "ended" ? "Log in" : "Log out";
});
// "Try again" in the embed logs in, too: the demo admits everybody.
embed.addEventListener("platform-embed-loading", () => {
  session.textContent = "Log out";
});
