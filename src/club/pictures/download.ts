/** Reads a picture of another server: of a bounded size, within a deadline, by a fetch that follows no redirect. */
import { withDeadline } from '../../../db/deadline.ts'
import type { GuardedFetch } from '../../core/ssrf-guard.ts'

const MAX_BYTES = 2 * 1_024 * 1_024
const DEADLINE_MS = 3_000

/** Null for what is not a picture, or a large one. Rejects if there is no response. */
export function downloadPicture(fetch: GuardedFetch, url: string): Promise<Uint8Array<ArrayBuffer> | null> {
  const abort = new AbortController()
  const onLate = () => {
    abort.abort()
    return new Error('a picture took too long')
  }
  const response = fetch(new Request(url, { redirect: 'manual', signal: abort.signal }))
  return withDeadline(response.then(readImage), DEADLINE_MS, onLate)
}

async function readImage({ ok, headers, body }: Response): Promise<Uint8Array<ArrayBuffer> | null> {
  if (!ok || !headers.get('content-type')?.startsWith('image/')) {
    await body?.cancel()
    return null
  }
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of body ?? []) {
    size += chunk.byteLength
    // Leaving the loop cancels the body.
    if (size > MAX_BYTES) return null
    chunks.push(chunk)
  }
  return new Uint8Array(Buffer.concat(chunks))
}
