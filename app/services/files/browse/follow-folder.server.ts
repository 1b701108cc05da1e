import { isFolderMarker, prefixOf } from "platform-embed-element/client";
import { parsePosition, textOfPosition } from "../../../catalogue/change-log.sql.server";
import type { ChangeReader, FolderChanges } from "../../../catalogue/change-reader.server";
import type { UsableCatalogues } from "../../../catalogue/usable-catalogues.server";
import { catalogueFor } from "../place/catalogue-for.server";
import type { FollowedChanges, FollowRequest } from "../place/contract/follow-contract.server";
import { type FilesGrant, folderInScope } from "../place/scope-guards.server";
import { fileEntry, folderEntry } from "./key-rows.server";

/** A message that is longer, in characters, would be more than a stream keeps for a caller: the connection would be cut off, again and again. */
const MAX_MESSAGE_LENGTH = 64 * 1024;

/** What an open explorer is told of its folder, and of what is below it if it asks for that. */
export type FolderMessage =
  | { name: "changes"; id: string; data: FollowedChanges }
  /** list the folder again */
  | { name: "reload"; id: string; data: Record<never, never> }
  /** nobody will be told anything: do not ask again */
  | { name: "unavailable"; data: Record<never, never> };

interface FollowTools {
  catalogues: Pick<UsableCatalogues, "find">;
  changeReader: ChangeReader;
}

/**
 * The folder that the caller may follow; undefined if there is none: the bucket has no catalogue that can be used, or the token requires a tag,
 * which no catalogue knows.
 * @throws AppError `scope_not_allowed`
 */
async function findFollowed(
  request: Pick<FollowRequest, "bucket" | "folderPath" | "below">,
  { scope }: FilesGrant,
  { catalogues }: Pick<FollowTools, "catalogues">,
) {
  const path = folderInScope(request, scope);
  const catalogue = await catalogueFor(scope, { catalogues });
  return (
    catalogue && { catalogueId: catalogue.id, prefix: prefixOf(path), below: request.below !== undefined }
  );
}

/**
 * What has happened in a folder since a position, and then, unless the caller asks once, whatever happens.
 * @returns the messages so far, or how to begin the stream
 * @throws AppError `scope_not_allowed`, `unavailable`
 */
export async function followFolder(
  request: FollowRequest,
  grant: FilesGrant,
  tools: FollowTools,
): Promise<
  | { messages: FolderMessage[] }
  | {
      begin(stream: { send(message: FolderMessage): void; end(): void }): Promise<() => void>;
      lastId(): string | undefined;
    }
> {
  const folder = await findFollowed(request, grant, tools);
  if (folder === undefined) return { messages: [{ name: "unavailable", data: {} }] };
  const { changeReader } = tools;
  const after = request.after === undefined ? undefined : parsePosition(request.after);
  // Not one of ours: what has happened since is not known.
  const isUnknown = request.after !== undefined && after === undefined;
  const asMessage = (changes: FolderChanges) =>
    messageOf({ ...changes, ...(isUnknown && { isIncomplete: true }) });
  if (request.once !== undefined)
    return { messages: [asMessage(await changeReader.readSince(folder, after, grant.companyId))] };
  return {
    begin({ send, end }) {
      let isFirst = true;
      return changeReader.listen(folder, after, grant.companyId, {
        onChanges(changes) {
          send(isFirst ? asMessage(changes) : messageOf(changes));
          isFirst = false;
        },
        onEnd: end,
      });
    },
    lastId: () => changeReader.position && textOfPosition(changeReader.position),
  };
}

function messageOf({ position, isIncomplete, objects, gone, filled, emptied }: FolderChanges): FolderMessage {
  const id = textOfPosition(position);
  const reload = { name: "reload", id, data: {} } as const;
  if (isIncomplete) return reload;
  const data = {
    files: objects.filter(({ key, size }) => !isFolderMarker(key, size)).map(fileEntry),
    deleted: gone,
    folders: filled.map(folderEntry),
    deletedFolders: emptied.map((prefix) => folderEntry(prefix).path),
  };
  return JSON.stringify(data).length > MAX_MESSAGE_LENGTH ? reload : { name: "changes", id, data };
}
