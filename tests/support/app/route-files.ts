/** The route that a file is named after: `api.cluster.databases.$resourceId.ts` is `/api/cluster/databases/:resourceId`. */
export function routeOfFile(file: string): string {
  const name = file.slice(file.lastIndexOf("/") + 1).replace(/\.tsx?$/, "");
  const segments = name.split(/(?<!\[)\./).map((segment) => segment.replaceAll("[.]", "."));
  return `/${segments.join("/").replace(/\$(\w)/g, ":$1")}`;
}
