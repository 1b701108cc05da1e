// What Northwind's page says to applicants, and what it does when they have finished.
const embed = document.querySelector("platform-embed");
const outcome = document.getElementById("outcome");

embed.texts = {
  handInTitle: "Apply at Northwind",
  handInText: "Your CV, please, and photos of your certificates if you have any.\nWe answer within a week.",
};

embed.addEventListener("platform-embed-done", ({ detail }) => {
  const { files } = detail;
  const names = files.map(({ name }) => name).join(", ");
  outcome.textContent = `Handed in (${files.length}): ${names}.`;
});
