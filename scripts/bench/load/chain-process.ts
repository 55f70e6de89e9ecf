/** `bun chain-process.ts FILE`: each connection buys a pack, completes the purchase and opens it, repeatedly. */

import { type ChainJob, type ChainMeasurement, percentiles } from './bun-generators.ts'
import { connect } from './connection.ts'

const { origin, tokens, connections, seconds, first, packId } = (await Bun.file(
  process.argv[2] ?? '',
).json()) as ChainJob
const host = new URL(origin).host
const times: number[] = []
let [next, failed] = [first, 0]

const request = (method: string, path: string, token: string, body: object) => {
  const text = JSON.stringify(body)
  return `${method} ${path} HTTP/1.1\r\nHost: ${host}\r\nContent-Type: application/json\r\nContent-Length: ${text.length}\r\nAuthorization: Bearer ${token}\r\n\r\n${text}`
}

const start = performance.now()
const end = start + seconds * 1000

async function worker(): Promise<void> {
  const connection = await connect(origin)
  while (performance.now() < end) {
    const token = tokens[next++ % tokens.length] ?? ''
    const startedAt = performance.now()
    const call = async (method: string, path: string, body: object) => {
      const reply = await connection.send(request(method, path, token, body))
      if (reply.status > 299) throw new Error(`${path} responded with ${reply.status}: ${reply.body}`)
      return JSON.parse(reply.body)
    }
    try {
      const { id } = await call('POST', '/api/packs/purchase', { packId })
      const { userPack } = await call('PUT', '/api/packs/purchase', { purchaseId: id })
      await call('POST', '/api/packs/open', { userPackId: userPack.id })
      times.push(performance.now() - startedAt)
    } catch (error) {
      if (failed++ === 0) process.stderr.write(`${error}\n`)
    }
  }
  connection.close()
}

await Promise.all(Array.from({ length: connections }, worker))
const measured: ChainMeasurement = {
  chains: times.length,
  perSecond: times.length / ((performance.now() - start) / 1000),
  failed,
  latency: percentiles(Float64Array.from(times)),
}
process.stdout.write(JSON.stringify(measured))
process.exit(0)
