/**
 * Answers every message to this worker. This file imports nothing, because each worker has a copy of what it uses.
 * @param whenItThrows the answer if `answer` throws, or if its result cannot be posted
 */
export function answerMessages<Request, Response>(
  answer: (request: Request) => Response | Promise<Response>,
  whenItThrows: (error: unknown) => Response,
): void {
  addEventListener("message", async ({ data }: MessageEvent<Request>) => {
    try {
      postMessage(await answer(data));
    } catch (error) {
      postMessage(whenItThrows(error));
    }
  });
}
