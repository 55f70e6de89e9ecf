/**
 * `bun herd-process.ts FILE`: clients that arrive within one second, each with one write. A rejected client retries
 * after `Retry-After` until its write succeeds.
 */
import { setPriority } from 'node:os'
import { requestParts } from '../plan.ts'
import type { HerdJob, HerdMeasurement } from './bun-generators.ts'
import { connect } from './connection.ts'

/** The clients stand for other machines: server, database and probes get the processor first. */
setPriority(10)

const job = (await Bun.file(process.argv[2] ?? '').json()) as HerdJob
const { origin, plan, fans, connections, timeoutSeconds } = job
const host = new URL(origin).host
const parts = plan.requests.map(request => requestParts(request, host, true))

/** Clients by the time of their next request, in slots of 10 ms. */
const SLOT_MS = 10
const slots = Array.from({ length: (timeoutSeconds * 1000) / SLOT_MS + 1 }, (): number[] => [])
for (let fan = 0; fan < fans; fan++) slots[Math.floor((fan * (1000 / SLOT_MS)) / fans)]?.push(fan)

const idle = await Promise.all(Array.from({ length: connections }, () => connect(origin)))
const all = [...idle]
const served = new Float64Array(fans)
let [done, rejected, failed, slot] = [0, 0, 0, 0]
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
          rejected++
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

while (done + failed < fans && elapsed() < timeoutSeconds * 1000) {
  dispatch()
  await Bun.sleep(1)
}
for (const connection of all) connection.close()
const measured: HerdMeasurement = {
  served: done,
  rejected,
  failed,
  // Measured at 95 %: the few last clients find an idle server.
  seconds: (served[Math.min(done, Math.ceil(fans * 0.95)) - 1] ?? Number.NaN) / 1000,
}
process.stdout.write(JSON.stringify(measured))
process.exit(0)
