import { introduce } from '../introduce.ts'
import { runChains } from '../load/own.ts'
import { median, row, type Scenario } from '../scenario.ts'
import { warmUp } from '../warm-up.ts'

/** Paid with points, without a limit of supply. */
const PACK = 'starter'

export const purchase: Scenario = {
  name: 'purchase',
  about:
    'POST and PUT /api/packs/purchase, then POST /api/packs/open: three durable writes a chain, by known callers',
  async run({ options, subjects, tokensOf, folder, cores }) {
    const running = await subjects.matchday.start(options.fans)
    try {
      const { connections } = options
      const order = { origin: running.origin, tokens: tokensOf(options.fans), connections, packId: PACK }
      await introduce(running.origin, order.tokens, '/api/user/points', { workers: 1 })
      let first = 0
      async function load(seconds: number) {
        const measurement = await runChains({ ...order, first, seconds }, folder, cores.generator)
        first += measurement.chains + measurement.failed
        return measurement
      }
      await warmUp(load, options)
      const measured = []
      for (let round = 0; round < options.rounds; round++) measured.push(await load(options.seconds))
      const failed = measured.reduce((sum, round) => sum + round.failed, 0)
      const detail = {
        failed,
        p50: median(measured.map(({ latency }) => latency.p50)),
        p99: median(measured.map(({ latency }) => latency.p99)),
      }
      return {
        rows: [
          row(
            'matchday',
            'chains/s',
            measured.map(({ perSecond }) => perSecond),
            detail,
          ),
        ],
        notes: ['by our own generator: wrk cannot send what an answer told it'],
        ...(failed > 0 ? { invalid: `${failed} chains failed` } : {}),
      }
    } finally {
      await running.stop()
    }
  },
}
