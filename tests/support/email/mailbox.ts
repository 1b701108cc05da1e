/** Reads the local mailbox. The MIME parser shares no code with the product's MIME writer. */
import { type ParsedMail, simpleParser } from "mailparser";

interface StoredEmail {
  messageId: string;
  destination: { to: string[] };
}

export interface ReceivedEmail extends ParsedMail {
  /** the provider's id, which the API returns */
  sesMessageId: string;
}

/** Returns the messages to `address`, oldest first. */
export async function readMailbox(mailboxUrl: string, address: string): Promise<ReceivedEmail[]> {
  const { emails } = (await (await fetch(`${mailboxUrl}/store`)).json()) as { emails: StoredEmail[] };
  const found = emails.filter(({ destination }) => destination.to.some((to) => to.includes(address)));
  return Promise.all(
    found.map(async ({ messageId }) => {
      const query = new URLSearchParams({ messageId });
      const { body } = (await (await fetch(`${mailboxUrl}/get-emlContent?${query}`)).json()) as {
        body: { data: number[] };
      };
      return { ...(await simpleParser(Buffer.from(body.data))), sesMessageId: messageId };
    }),
  );
}
