/** The content of every e-mail in the benchmark. */
export const content = {
  title: "Welcome to Northwind, Ada",
  siteName: "Northwind Traders",
  logoUrl: "https://northwind.example/logo.png",
  greeting: "Hi Ada,",
  steps: ["Open the customer portal", "Upload your documents", "Invite your team"].map((label, index) => ({
    label,
    url: `https://northwind.example/step/${index + 1}`,
  })),
  notes: ["Files stay in Canada", "Support answers within a day 🙂", "Nothing is deleted without asking"],
  closing: "See you soon, the Northwind team",
  files: ["Getting started.pdf", "Terms 2026.pdf"].map((name) => ({
    name,
    host: "files.northwind.example",
    url: `https://files.northwind.example/${encodeURIComponent(name)}`,
  })),
};

export type Content = typeof content;
