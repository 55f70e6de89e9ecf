/** Sends every token of a plan to a server before the measurement, so that the server has them in its cache. */
import { connect } from './load/connection.ts'
import { requestParts } from './plan.ts'

const CONCURRENCY = 32
/** @throws Error when a response is not 200 */
export async function primeTokens(origin: string, tokens: string[], path: string): Promise<void> {
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
  await Promise.all(Array.from({ length: CONCURRENCY }, () => send(shared)))
}
