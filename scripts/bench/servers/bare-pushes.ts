/** Sends `COUNT` encrypted pushes to `PUSH_SERVICE`, as many at once as Matchday, and prints the seconds. No database. */
import { realSources } from '../../../src/core/sources.ts'
import { createWebPush } from '../../../src/delivery/push/web-push.ts'
import { KEYS, TEXT, VAPID } from '../pushes.ts'

const AT_ONCE = 128
const [count, origin] = [Number(process.env.COUNT), process.env.PUSH_SERVICE]
const vapid = { privateKey: VAPID.key, publicKey: KEYS.p256dh, subject: VAPID.subject }
const send = createWebPush({ ...realSources, vapid, fetch })
const message = { ...TEXT, imageUrl: null, id: crypto.randomUUID(), category: 'account', tag: 'x'.repeat(32) }
const { signal } = new AbortController()
const started = performance.now()
let next = 0
async function work() {
  while (next < count) {
    const token = JSON.stringify({ endpoint: `${origin}/${next++}`, keys: KEYS })
    await send(token, message, signal)
  }
}
await Promise.all(Array.from({ length: AT_ONCE }, work))
process.stdout.write(String((performance.now() - started) / 1_000))
