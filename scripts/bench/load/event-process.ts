/** `bun event-process.ts FILE`: each connection reports events in batches, every event with an id of its own. */
import { subjectOf } from '../data.ts'
import { eventData, typeOf } from '../event-rules.ts'
import { PROVIDER } from '../issuer.ts'
import { requestParts } from '../plan.ts'
import { type EventJob, percentiles } from './bun-generators.ts'
import { connect } from './connection.ts'

/** Has no common divisor with the numbers of fans that are in use: events of all fans, in no order. */
const STEP = 7919

const { origin, plan, types, batch, fans, connections, seconds, first } = (await Bun.file(
  process.argv[2] ?? '',
).json()) as EventJob
const [request = { method: 'POST', path: '' }] = plan.requests
const [token = ''] = plan.tokens
const data = JSON.stringify(eventData)
const run = crypto.randomUUID().slice(0, 8)
const times: number[] = []
let [sent, failed] = [0, 0]

function bodyOf(request: number): string {
  const occurredAt = new Date().toISOString()
  const events = Array.from({ length: batch }, (_, at) => {
    const nth = (first + request) * batch + at
    const fan = `{"provider":"${PROVIDER}","subject":"${subjectOf((nth * STEP) % fans)}"}`
    const type = typeOf(nth % types)
    return `{"id":"${run}-${nth}","type":"${type}","fan":${fan},"occurredAt":"${occurredAt}","data":${data}}`
  })
  return `{"events":[${events.join()}]}`
}

const start = performance.now()
const end = start + seconds * 1000

async function worker(): Promise<void> {
  const connection = await connect(origin)
  while (performance.now() < end) {
    const { head, tail } = requestParts({ ...request, body: bodyOf(sent++) }, new URL(origin).host, true)
    const startedAt = performance.now()
    try {
      const { status, body } = await connection.send(head + token + tail)
      const applied = body.split('"outcome":"applied"').length - 1
      if (status !== 200 || applied !== batch)
        throw new Error(`${status}, ${applied} of ${batch} events were applied: ${body.slice(0, 300)}`)
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
