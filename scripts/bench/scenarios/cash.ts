/**
 * Purchases with cash: measures whether fans who buy the same product wait for each other. Each purchase is a checkout, a
 * hold and a completion. One product is also bought of a server that only writes the same rows.
 */
import { labelAt } from '../against.ts'
import { type Checkout, runIn } from '../checkout.ts'
import { subjectsOf } from '../data.ts'
import type { Engine } from '../databases.ts'
import { cpuSecondsOf, type Running, sessionCpuSeconds } from '../process.ts'
import { type Bench, median, row, type Scenario, type ScenarioResult } from '../scenario.ts'
import { CURRENCY, prepareShop, productOf } from '../shop.ts'
import { warmUp } from '../warm-up.ts'

/** Each buys with their own cash. */
const FANS = 2_000
const CONNECTIONS = 16
const ADDRESS = {
  name: 'Ana Ruiz',
  line1: 'Rua do Cais 12',
  city: 'Porto',
  postalCode: '4050-123',
  country: 'PT',
}

type Send = (method: 'POST' | 'PUT', path: string, body: object) => Promise<{ id?: string }>

async function buy(send: Send, productId: string): Promise<void> {
  const lines = [{ productId, variantId: 'one', quantity: 1 }]
  const { id: orderId } = await send('POST', '/api/checkout', { lines, address: ADDRESS })
  await send('POST', '/api/checkout/payment', { orderId, method: 'cash' })
  await send('PUT', '/api/checkout', { orderId })
}

/** Matchday of one checkout, or the raw reference. */
interface Lane {
  running: Running
  /** Of the database. */
  url: string
  /** Of the fans who buy. */
  tokens: string[]
  /** What it says of a kind of product. */
  labelOf(name: string): string
  /** Whether it is measured with a kind of product. */
  sells(name: string): boolean
  remove(): Promise<void>
}

async function startLane(bench: Bench, engine: Engine, checkout?: Checkout): Promise<Lane> {
  const { databases, subjects } = bench
  const { url, remove } = await databases.copy(engine, FANS, checkout)
  await (checkout ? runIn(checkout, 'shop.ts', 'prepareShop', url) : prepareShop(url))
  const running = await subjects.matchdayOn(url, { CASH_CURRENCIES: CURRENCY }, checkout?.path)
  const labelOf = (name: string) => {
    const label = `${engine}, ${name}`
    return checkout ? labelAt(label, checkout.commit) : label
  }
  return { running, url, tokens: bench.tokensOf(FANS, FANS), labelOf, sells: () => true, remove }
}

/** The same rows, in three commits, without Matchday. */
async function startRaw({ databases, subjects }: Bench, engine: Engine): Promise<Lane> {
  const { url, remove } = await databases.copy(engine, FANS)
  await prepareShop(url)
  const running = await subjects.rawCash(url)
  const labelOf = () => `${engine}, raw rows`
  return {
    running,
    url,
    tokens: subjectsOf(FANS, FANS),
    labelOf,
    sells: name => name === 'one product',
    remove,
  }
}

export const cash: Scenario = {
  name: 'cash',
  summary:
    'Purchases with cash: all fans buy one product, or different ones; with and without a limit of stock',
  comparable: true,
  async run(bench) {
    const { options, checkout } = bench
    const all: ScenarioResult = { rows: [], notes: [], separateRows: true }
    for (const engine of bench.options.engines) {
      const lanes = [await startLane(bench, engine)]
      let bought = 0

      /** Purchases a second, and for each second of CPU time of the server, and of the server and the sessions of its database. */
      async function measure(
        { running, tokens, url }: Lane,
        productIdOf: (n: number) => string,
        seconds: number,
      ) {
        const started = performance.now()
        const cpuSeconds = () => ({
          server: cpuSecondsOf(running.pid) ?? Number.NaN,
          sessions: engine === 'postgres' ? sessionCpuSeconds(url) : 0,
        })
        const before = cpuSeconds()
        let purchases = 0
        const buyer = async () => {
          while (performance.now() - started < seconds * 1_000) {
            const n = bought++
            const headers = {
              authorization: `Bearer ${tokens[n % tokens.length]}`,
              'content-type': 'application/json',
            }
            await buy(async (method, path, body) => {
              const sent = await fetch(running.origin + path, { method, headers, body: JSON.stringify(body) })
              if (!sent.ok) throw new Error(`${path} is answered with ${sent.status}: ${await sent.text()}`)
              return (await sent.json()) as { id?: string }
            }, productIdOf(n))
            purchases++
          }
        }
        await Promise.all(Array.from({ length: CONNECTIONS }, buyer))
        const took = (performance.now() - started) / 1_000
        const after = cpuSeconds()
        const [server, sessions] = [after.server - before.server, after.sessions - before.sessions]
        return {
          perSecond: purchases / took,
          perCpuSecond: purchases / server,
          perCpuSecondOfBoth: purchases / (server + sessions),
        }
      }

      try {
        lanes.push(await (checkout ? startLane(bench, engine, checkout) : startRaw(bench, engine)))
        const kinds = Object.entries(productOf).flatMap(([name, productIdOf]) =>
          lanes
            .filter(lane => lane.sells(name))
            .map(lane => ({
              name,
              lane,
              productIdOf,
              rounds: [] as Awaited<ReturnType<typeof measure>>[],
            })),
        )
        for (const lane of lanes)
          await warmUp(seconds => measure(lane, productOf['one product'], seconds), options)
        for (let round = 0; round < options.rounds; round++)
          for (const { lane, productIdOf, rounds } of kinds)
            rounds.push(await measure(lane, productIdOf, options.seconds))
        for (const { name, lane, rounds } of kinds) {
          const both = rounds.map(round => round.perCpuSecondOfBoth)
          const perCpuSecond = rounds.reduce((sum, round) => sum + round.perCpuSecond, 0) / rounds.length
          all.rows.push(
            row(
              lane.labelOf(name),
              'purchases/s',
              rounds.map(({ perSecond }) => perSecond),
              {
                perCpuSecond,
                perCpuSecondOfBoth: median(both),
                lowOfBoth: Math.min(...both),
                highOfBoth: Math.max(...both),
              },
            ),
          )
        }
      } finally {
        for (const { running, remove } of lanes) {
          await running.stop()
          await remove()
        }
      }
    }
    return all
  },
}
