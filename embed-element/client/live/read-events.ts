/** One message of a stream of server-sent events. */
export interface StreamMessage {
  /** null: it is a comment, or a position alone */
  name: string | null;
  id: string | undefined;
  data: string;
}

/** Reads a stream of server-sent events. HTML Standard, "Interpreting an event stream"; the platform sends no other line ends than \n. */
export async function* readEvents(
  body: AsyncIterable<Uint8Array>,
): AsyncGenerator<StreamMessage, void, undefined> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const chunk of body) {
    text += decoder.decode(chunk, { stream: true });
    for (let end = text.indexOf("\n\n"); end !== -1; end = text.indexOf("\n\n")) {
      yield messageOf(text.slice(0, end));
      text = text.slice(end + 2);
    }
  }
}

function messageOf(block: string): StreamMessage {
  const fields = new Map(
    block.split("\n").map((line) => {
      const colon = line.indexOf(":");
      return [line.slice(0, colon), line.slice(colon + 1).replace(/^ /, "")];
    }),
  );
  return { name: fields.get("event") ?? null, id: fields.get("id"), data: fields.get("data") ?? "" };
}
