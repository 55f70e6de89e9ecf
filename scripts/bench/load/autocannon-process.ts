/** `bun autocannon-process.ts FILE`: runs the load described in FILE and prints the measurement as JSON. */
import autocannon from 'autocannon'
import type { Measurement, Plan } from '../plan.ts'

interface Job {
  origin: string
  plan: Plan
  seconds: number
  connections: number
  first: number
}

const job = (await Bun.file(process.argv[2] ?? '').json()) as Job
const { origin, plan, seconds, connections } = job
const { tokens, requests } = plan
let next = job.first

const result = await autocannon({
  url: origin,
  connections,
  duration: seconds,
  timeout: 10,
  requests: [
    {
      setupRequest(request) {
        const i = next++
        const template = requests[i % requests.length]
        const token = tokens[i % tokens.length]
        return {
          ...request,
          ...template,
          headers: {
            ...(template?.body === undefined ? {} : { 'Content-Type': 'application/json' }),
            ...(token === undefined ? {} : { Authorization: `Bearer ${token}` }),
          },
        }
      },
    },
  ],
})

const { p50, p90, p99, max } = result.latency
const measured: Omit<Measurement, 'generatorCpu'> = {
  requests: result.requests.total,
  perSecond: result.requests.total / result.duration,
  failed: result.non2xx + result.errors + result.timeouts,
  sent: next - job.first,
  latency: { p50, p90, p99, max },
}
process.stdout.write(JSON.stringify(measured))
process.exit(0)
