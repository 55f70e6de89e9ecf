/** Sends every token of a plan to a server before the measurement, so that the server has them in its cache. */
import { connect } from './load/connection.ts'
import { requestParts } from './plan.ts'

const CONCURRENCY = 32
/**
 * Workers share no cache, and the system chooses the worker of a connection. Each token is therefore sent on so many
 * connections that the probability that a worker gets none of them is at most 1 in 4,000.
 */
const connectionsFor = (workers: number) => Math.ceil(Math.log(1 / 4_000) / Math.log(1 - 1 / workers))

/** @throws Error when a response is not 200 */
export async function primeTokens(
  origin: string,
  tokens: string[],
  path: string,
  { workers }: { workers: number },
): Promise<void> {
  const { head, tail } = requestParts({ method: 'GET', path }, new URL(origin).host, true)

  async function send(batch: Iterable<string>) {
    const connection = await connect(origin)
    try {
      for (const token of batch) {
        const { status, body } = await connection.send(head + token + tail)
        if (status !== 200) throw new Error(`GET ${path} with a known token responds with ${status}: ${body}`)
      }
    } finally {
      connection.close()
    }
  }

  // The connections share one iterator: each takes the next token.
  const shared = tokens.values()
  await (workers > 1
    ? Promise.all(Array.from({ length: connectionsFor(workers) }, () => send(tokens)))
    : Promise.all(Array.from({ length: CONCURRENCY }, () => send(shared))))
}
