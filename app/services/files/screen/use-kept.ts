import { type ReactNode, useEffect, useRef, useState } from "react";

/** A response within this time replaces what is on the screen without a flash. */
const KEEP_MS = 100;

/**
 * What `render` returns; while there is nothing new to render, for a moment what it has returned last.
 * @param isKept whether what it returns now may stay for that moment
 * @returns undefined after that moment
 */
export function useKept(isLoading: boolean, render: () => ReactNode, isKept = true): ReactNode | undefined {
  const [isLong, setLong] = useState(false);
  const last = useRef<ReactNode>(undefined);
  useEffect(() => {
    setLong(false);
    if (!isLoading) return;
    const timer = setTimeout(() => setLong(true), KEEP_MS);
    return () => clearTimeout(timer);
  }, [isLoading]);
  if (isLoading) return isLong ? undefined : last.current;
  const content = render();
  last.current = isKept ? content : undefined;
  return content;
}
