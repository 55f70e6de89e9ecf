import { runChains } from '../load/bun-generators.ts'
import { primeTokens } from '../prime-tokens.ts'
import { median, row, type Scenario } from '../scenario.ts'
import { warmUp } from '../warm-up.ts'

/** Paid with points, unlimited supply. */
const PACK = 'starter'

export const purchase: Scenario = {
  name: 'purchase',
  summary: 'POST and PUT /api/packs/purchase, then POST /api/packs/open: three durable writes per chain',
  async run({ options, subjects, tokensOf, folder, cores }) {
    const running = await subjects.matchday.start(options.fans)
    try {
      const { connections } = options
      const job = { origin: running.origin, tokens: tokensOf(options.fans), connections, packId: PACK }
      await primeTokens(running.origin, job.tokens, '/api/user/points', { workers: 1 })
      let first = 0
      async function load(seconds: number) {
        const measurement = await runChains({ ...job, first, seconds }, folder, cores.generator)
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
        notes: [
          'measured by a generator of the bench: wrk cannot use values of a response in the next request',
        ],
        ...(failed > 0 ? { invalid: `${failed} chains failed` } : {}),
      }
    } finally {
      await running.stop()
    }
  },
}
