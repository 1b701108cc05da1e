/** A section of the details that could not be loaded. */
export function Failure({ text, retry, onRetry }: { text: string; retry: string; onRetry(): void }) {
  return (
    <p className="file-activity" role="alert">
      {text}{" "}
      <button type="button" className="link-button" onClick={onRetry}>
        {retry}
      </button>
    </p>
  );
}
