/**
 * `bun paced-process.ts FILE`: sends at a fixed rate. The latency of a request counts from its scheduled time, not from
 * the time a connection was free, so a pause of the server counts for every request scheduled in it (no coordinated
 * omission, as in wrk2).
 */
import { requestParts } from '../plan.ts'
import { type PacedJob, type PacedMeasurement, percentiles } from './bun-generators.ts'
import { type Connection, connect } from './connection.ts'

const job = (await Bun.file(process.argv[2] ?? '').json()) as PacedJob
const { origin, plan, seconds, rate, first, leadSeconds } = job
const { tokens } = plan
const host = new URL(origin).host
const parts = plan.requests.map(request => requestParts(request, host, tokens.length > 0))

const lead = Math.floor(rate * leadSeconds)
const total = lead + Math.floor(rate * seconds)
const latencies = new Float64Array(total)
const lateness: number[] = []
let [next, done, failed] = [0, 0, 0]

const idle: Connection[] = await Promise.all(Array.from({ length: job.connections }, () => connect(origin)))
const all = [...idle]
const start = performance.now()
const dueAt = (i: number) => start + (i * 1000) / rate

/** Sends the due requests on free connections. */
function dispatch(polled: boolean): void {
  const now = performance.now()
  while (next < total && dueAt(next) <= now) {
    const connection = idle.pop()
    if (!connection) return
    const i = next++
    if (polled && i >= lead) lateness.push(now - dueAt(i))
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

// Polls in the event loop: a timer would be up to a millisecond late. The process has the core for itself.
const giveUp = start + (leadSeconds + seconds + 10) * 1000
while (done < total && performance.now() < giveUp) {
  dispatch(true)
  await new Promise(resolve => setImmediate(resolve))
}
const elapsedSeconds = (performance.now() - start) / 1000
for (const connection of all) connection.close()

const late = percentiles(Float64Array.from(lateness))
const measured: PacedMeasurement = {
  requests: done,
  perSecond: done / elapsedSeconds,
  failed: failed + (total - done),
  sent: next,
  latency: percentiles(latencies.subarray(lead)),
  lateness: { p99: late.p99, max: late.max },
}
process.stdout.write(JSON.stringify(measured))
process.exit(0)
