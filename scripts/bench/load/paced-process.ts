/**
 * `bun paced-process.ts FILE`: sends at a fixed rate, whatever the server does. The latency of a request counts from
 * when it was due, not from when a connection was free to carry it: so a server that stops for a second is charged
 * for every request that was due in it (no coordinated omission, as in wrk2).
 */
import { requestParts } from '../plan.ts'
import { type Connection, connect } from './connection.ts'
import { type PacedMeasurement, type PacedOrder, percentiles } from './own.ts'

const order = (await Bun.file(process.argv[2] ?? '').json()) as PacedOrder
const { origin, plan, seconds, rate, first, leadSeconds } = order
const { tokens } = plan
const host = new URL(origin).host
const parts = plan.requests.map(request => requestParts(request, host, tokens.length > 0))

const lead = Math.floor(rate * leadSeconds)
const total = lead + Math.floor(rate * seconds)
const latencies = new Float64Array(total)
const lateness: number[] = []
let [next, done, failed] = [0, 0, 0]

const idle: Connection[] = await Promise.all(Array.from({ length: order.connections }, () => connect(origin)))
const all = [...idle]
const start = performance.now()
const dueAt = (i: number) => start + (i * 1000) / rate

/** Sends what is due on the connections that are free. */
function dispatch(ownTurn: boolean): void {
  const now = performance.now()
  while (next < total && dueAt(next) <= now) {
    const connection = idle.pop()
    if (!connection) return
    const i = next++
    if (ownTurn && i >= lead) lateness.push(now - dueAt(i))
    const { head, tail } = parts[(first + i) % parts.length] ?? { head: '', tail: '' }
    connection.send(head + (tokens[(first + i) % tokens.length] ?? '') + tail).then(
      ({ status }) => {
        if (status < 200 || status > 299) failed++
        finish(i)
        idle.push(connection)
        dispatch(false)
      },
      () => {
        failed++
        finish(i)
      },
    )
  }
}

function finish(i: number): void {
  latencies[i] = performance.now() - dueAt(i)
  done++
}

// A turn of the event loop after another: a timer would be up to a millisecond late. The core is ours.
const giveUp = start + (leadSeconds + seconds + 10) * 1000
while (done < total && performance.now() < giveUp) {
  dispatch(true)
  await new Promise(resolve => setImmediate(resolve))
}
const took = (performance.now() - start) / 1000
for (const connection of all) connection.close()

const late = percentiles(Float64Array.from(lateness))
const measured: PacedMeasurement = {
  requests: done,
  perSecond: done / took,
  failed: failed + (total - done),
  made: next,
  latency: percentiles(latencies.subarray(lead)),
  lateness: { p99: late.p99, max: late.max },
}
process.stdout.write(JSON.stringify(measured))
process.exit(0)
