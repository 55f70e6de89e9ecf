/** `bun autocannon-process.ts FILE`: runs the load that FILE describes and prints a measurement as JSON. */
import autocannon from 'autocannon'
import type { Measurement, Plan } from '../plan.ts'

interface Order {
  origin: string
  plan: Plan
  seconds: number
  connections: number
  first: number
}

const order = (await Bun.file(process.argv[2] ?? '').json()) as Order
const { origin, plan, seconds, connections } = order
const { tokens, requests } = plan
let next = order.first

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
  made: next - order.first,
  latency: { p50, p90, p99, max },
}
process.stdout.write(JSON.stringify(measured))
process.exit(0)
