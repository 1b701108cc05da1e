import { useEffect, useMemo, useRef, useState } from "react";
import type { StorageClient } from "../../storage-client";
import type { FolderEntry } from "../../storage-contract.server";
import { isAbort } from "../../storage-problem";
import { type Branch, type Branches, linesOf, wayTo, withPage } from "./tree-state";

/** The folders below `root`, level by level as they are opened. @param path which is to be seen at the beginning */
export function useFolderTree(client: StorageClient, root: FolderEntry, path: string) {
  const [branches, setBranches] = useState<Branches>(new Map());
  const latest = useRef(branches);
  latest.current = branches;
  const ending = useRef<AbortController>();

  const change = (folder: string, next: (before: Branch | undefined) => Branch) =>
    setBranches((all) => new Map(all).set(folder, next(all.get(folder))));

  const load = async (folder: string) => {
    const before = latest.current.get(folder);
    if (before?.status === "loading") return;
    const cursor = before?.cursor ?? null;
    change(folder, () => ({ folders: [], cursor, ...before, isOpen: true, status: "loading" }));
    try {
      const listing = await client.list(folder, cursor, ending.current?.signal);
      change(folder, (branch) => withPage(branch, listing));
    } catch (error) {
      if (isAbort(error)) return;
      change(folder, () => ({ folders: [], cursor, ...before, isOpen: true, status: "failed" }));
    }
  };
  const setOpen = (folder: string, isOpen: boolean) => {
    const branch = latest.current.get(folder);
    if (branch) change(folder, () => ({ ...branch, isOpen }));
    else if (isOpen) void load(folder);
  };
  const add = (folder: string, made: FolderEntry) =>
    change(folder, (branch) => ({
      cursor: null,
      ...branch,
      isOpen: true,
      status: "ready",
      folders: [...(branch?.folders ?? []).filter((one) => one.path !== made.path), made],
    }));

  const first = useRef({ load, way: wayTo(path, root.path) });
  useEffect(() => {
    const { load, way } = first.current;
    // Another for each time that the effect runs: in development React runs it twice.
    const stop = new AbortController();
    ending.current = stop;
    for (const folder of way) void load(folder);
    return () => stop.abort();
  }, []);

  const lines = useMemo(() => linesOf(root, branches), [root, branches]);
  return { lines, branches, load, setOpen, add };
}
