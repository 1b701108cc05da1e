import { useEffect } from "react";

/** While `warns` is true, the browser asks for confirmation when the person leaves the page. */
export function useUnloadWarning(warns: boolean): void {
  useEffect(() => {
    if (!warns) return;
    const ask = (event: BeforeUnloadEvent) => event.preventDefault();
    window.addEventListener("beforeunload", ask);
    return () => window.removeEventListener("beforeunload", ask);
  }, [warns]);
}
