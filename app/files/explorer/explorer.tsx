import type { ExplorerProps } from "./props";

export function Explorer({ listing }: ExplorerProps) {
  if (!listing.ok) return <p>{listing.message}</p>;
  return (
    <ul>
      {listing.listing.folders.map(({ path, name }) => (
        <li key={path}>{name}</li>
      ))}
      {listing.listing.files.map(({ key, name }) => (
        <li key={key}>{name}</li>
      ))}
    </ul>
  );
}
