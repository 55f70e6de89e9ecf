/** Shows a server every token of a plan before it is measured: its callers are known from then on. */
import { connect } from './load/connection.ts'
import { requestParts } from './plan.ts'

const AT_ONCE = 32
/**
 * Workers share connections, not what they know, and nobody can choose who gets a connection. Every token therefore
 * comes on each of so many: that all of them end at one of two workers happens once in 2,048 times.
 */
const TO_MEET_ALL = 12

/** @throws Error when an answer is not 200 */
export async function introduce(
  origin: string,
  tokens: string[],
  path: string,
  { workers }: { workers: number },
): Promise<void> {
  const { head, tail } = requestParts({ method: 'GET', path }, new URL(origin).host, true)

  async function bring(some: Iterable<string>) {
    const connection = await connect(origin)
    try {
      for (const token of some) {
        const { status, body } = await connection.send(head + token + tail)
        if (status !== 200) throw new Error(`GET ${path} of a known caller answers ${status}: ${body}`)
      }
    } finally {
      connection.close()
    }
  }

  // One after another takes the next of them.
  const shared = tokens.values()
  await (workers > 1
    ? Promise.all(Array.from({ length: TO_MEET_ALL }, () => bring(tokens)))
    : Promise.all(Array.from({ length: AT_ONCE }, () => bring(shared))))
}
