/** Stand-ins for the users of your database. */
export const users = [
  { id: "u-1", name: "Ada", isAdmin: true, folder: "/Contracts" },
  { id: "u-2", name: "Ben", isAdmin: false, folder: "/Photos" },
];

/** What this user may see and do. A scope without `path` would be the whole bucket. */
export const scopeOf = (user) => ({
  bucket: "demo-files",
  path: user.folder,
  actions: user.isAdmin ? ["download", "upload", "organize", "delete"] : ["download"],
});
