/** The people who can be signed in to the demo's portal. Only an admin may delete versions of files for good. */
export const demoUsers = [
  { id: "u-1", name: "Mara Lindqvist", isAdmin: true },
  { id: "u-2", name: "Jonas Weber", isAdmin: false },
] as const;

export type DemoUser = (typeof demoUsers)[number];

/** Who is signed in: a cookie of the demo's pages names the id. Whoever has none is the first. */
export function signedInUser(cookies = ""): DemoUser {
  const [, id] = /(?:^|; )demo-user=([^;]*)/.exec(cookies) ?? [];
  return demoUsers.find((user) => user.id === id) ?? demoUsers[0];
}
