/** `bun load-process.ts FILE`: a closed loop on each connection, for what wrk cannot send and for machines without it. */
import { subjectOf } from '../data.ts'
import { eventData, typeOf } from '../event-rules.ts'
import { PROVIDER } from '../issuer.ts'
import { requestParts } from '../plan.ts'
import { type LoadJob, percentiles } from './bun-generators.ts'
import { connect } from './connection.ts'

/** Has no common divisor with the numbers of fans in use, so that events of all fans occur in a mixed order. */
const STEP = 7919

const { origin, plan, connections, seconds, first } = (await Bun.file(
  process.argv[2] ?? '',
).json()) as LoadJob
const { tokens, requests, events, inTurn } = plan
const { host } = new URL(origin)
const withToken = tokens.length > 0
const parts = requests.map(request => requestParts(request, host, withToken))
const data = JSON.stringify(eventData)
const run = crypto.randomUUID().slice(0, 8)
const times: number[] = []
let [sent, failed] = [0, 0]

/** A batch of events with unique ids. */
function batchOf(number: number, { batch, types, fans }: NonNullable<typeof events>): string {
  const occurredAt = new Date().toISOString()
  const all = Array.from({ length: batch }, (_, index) => {
    const nth = number * batch + index
    const fan = `{"provider":"${PROVIDER}","subject":"${subjectOf((nth * STEP) % fans)}"}`
    return `{"id":"${run}-${nth}","type":"${typeOf(nth % types)}","fan":${fan},"occurredAt":"${occurredAt}","data":${data}}`
  })
  return `{"events":[${all.join()}]}`
}

function textOf(number: number): string {
  const index = (inTurn ? Math.floor(number / tokens.length) : number) % requests.length
  const request = requests[index]
  const { head, tail } = (events && request
    ? requestParts({ ...request, body: batchOf(number, events) }, host, withToken)
    : parts[index]) ?? { head: '', tail: '' }
  return withToken ? head + tokens[number % tokens.length] + tail : head + tail
}

const start = performance.now()
const end = start + seconds * 1000

async function worker(): Promise<void> {
  const connection = await connect(origin)
  while (performance.now() < end) {
    const text = textOf(first + sent++)
    const startedAt = performance.now()
    try {
      const { status, body } = await connection.send(text)
      if (status < 200 || status > 299) throw new Error(`${status}: ${body.slice(0, 300)}`)
      const applied = events ? body.split('"outcome":"applied"').length - 1 : undefined
      if (applied !== events?.batch) throw new Error(`${applied} events were applied: ${body.slice(0, 300)}`)
      times.push(performance.now() - startedAt)
    } catch (error) {
      if (failed++ === 0) process.stderr.write(`${error}\n`)
      if (failed > 100) break
    }
  }
  connection.close()
}

await Promise.all(Array.from({ length: connections }, worker))
const measured = {
  requests: times.length,
  perSecond: times.length / ((performance.now() - start) / 1000),
  failed,
  sent,
  latency: percentiles(Float64Array.from(times)),
}
process.stdout.write(JSON.stringify(measured))
process.exit(0)
