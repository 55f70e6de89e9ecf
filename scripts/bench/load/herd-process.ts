/**
 * `bun herd-process.ts FILE`: a crowd that comes within one second, each with one write. A client that is refused comes
 * back when `Retry-After` says, until its write is done.
 */
import { requestParts } from '../plan.ts'
import { connect } from './connection.ts'
import type { HerdMeasurement, HerdOrder } from './own.ts'

const order = (await Bun.file(process.argv[2] ?? '').json()) as HerdOrder
const { origin, plan, fans, connections, patienceSeconds } = order
const host = new URL(origin).host
const parts = plan.requests.map(request => requestParts(request, host, true))

/** Clients by the time at which they are due, in slots of 10 ms. */
const SLOT_MS = 10
const slots = Array.from({ length: (patienceSeconds * 1000) / SLOT_MS + 1 }, (): number[] => [])
for (let fan = 0; fan < fans; fan++) slots[Math.floor((fan * (1000 / SLOT_MS)) / fans)]?.push(fan)

const idle = await Promise.all(Array.from({ length: connections }, () => connect(origin)))
const all = [...idle]
const served = new Float64Array(fans)
let [done, refused, failed, slot] = [0, 0, 0, 0]
const due: number[] = []
const start = performance.now()
const elapsed = () => performance.now() - start

function dispatch() {
  for (; slot < slots.length && slot * SLOT_MS <= elapsed(); slot++)
    due.push(...(slots[slot] ?? []).splice(0))
  while (idle.length > 0) {
    const fan = due.shift()
    if (fan === undefined) return
    const connection = idle.pop()
    if (!connection) return
    const { head, tail } = parts[fan % parts.length] ?? { head: '', tail: '' }
    connection.send(head + (plan.tokens[fan % plan.tokens.length] ?? '') + tail).then(
      ({ status, retryAfter }) => {
        idle.push(connection)
        if (status >= 200 && status < 300) served[done++] = elapsed()
        else if (status === 503 && retryAfter !== undefined) {
          refused++
          const at = Math.ceil((elapsed() + retryAfter * 1000) / SLOT_MS)
          slots[Math.min(Math.max(at, slot + 1), slots.length - 1)]?.push(fan)
        } else failed++
        dispatch()
      },
      () => {
        failed++
      },
    )
  }
}

while (done + failed < fans && elapsed() < patienceSeconds * 1000) {
  dispatch()
  await Bun.sleep(1)
}
for (const connection of all) connection.close()
const measured: HerdMeasurement = {
  served: done,
  refused,
  failed,
  // The last of the crowd are few: the server has nothing else to do when they come.
  seconds: (served[Math.min(done, Math.ceil(fans * 0.95)) - 1] ?? Number.NaN) / 1000,
}
process.stdout.write(JSON.stringify(measured))
process.exit(0)
