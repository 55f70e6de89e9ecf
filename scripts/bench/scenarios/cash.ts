/**
 * Purchases with cash: measures whether fans who buy the same product wait for each other. Each purchase is a checkout, a
 * hold and a completion.
 */
import { cpuSecondsOf } from '../process.ts'
import { enginesOf, row, type Scenario, type ScenarioResult } from '../scenario.ts'
import { CURRENCY, prepareShop, productOf } from '../shop.ts'

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

export const cash: Scenario = {
  name: 'cash',
  summary:
    'Purchases with cash: all fans buy one product, or different ones; with and without a limit of stock',
  async run({ options, databases, subjects, tokensOf }) {
    const all: ScenarioResult = { rows: [], notes: [], separateRows: true }
    for (const engine of enginesOf()) {
      const { url, remove } = await databases.copy(engine, FANS)
      await prepareShop(url)
      const running = await subjects.matchdayOn(url, { CASH_CURRENCIES: CURRENCY })
      const tokens = tokensOf(FANS, FANS)
      let bought = 0

      /** Purchases a second, and purchases for each second of CPU time of the server. */
      async function measure(productIdOf: (n: number) => string, seconds: number) {
        const started = performance.now()
        const cpuBefore = cpuSecondsOf(running.pid) ?? Number.NaN
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
        return {
          perSecond: purchases / took,
          perCpuSecond: purchases / ((cpuSecondsOf(running.pid) ?? Number.NaN) - cpuBefore),
        }
      }

      try {
        const kinds = Object.entries(productOf).map(([name, productIdOf]) => ({
          name,
          productIdOf,
          rounds: [] as Awaited<ReturnType<typeof measure>>[],
        }))
        for (const { productIdOf } of kinds) await measure(productIdOf, options.seconds)
        for (let round = 0; round < options.rounds; round++)
          for (const { productIdOf, rounds } of kinds)
            rounds.push(await measure(productIdOf, options.seconds))
        for (const { name, rounds } of kinds) {
          const perCpuSecond = rounds.reduce((sum, round) => sum + round.perCpuSecond, 0) / rounds.length
          all.rows.push(
            row(
              `${engine}, ${name}`,
              'purchases/s',
              rounds.map(({ perSecond }) => perSecond),
              { perCpuSecond },
            ),
          )
        }
      } finally {
        await running.stop()
        await remove()
      }
    }
    return all
  },
}
