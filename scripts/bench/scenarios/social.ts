/** How long a fan who follows a thousand others waits for the feed, and for the leaderboard among them: one request at a time. */
import { percentiles } from '../load/bun-generators.ts'
import { enginesOf, row, type Scenario, type ScenarioResult } from '../scenario.ts'
import { addSociety, READER, type Society } from '../social-society.ts'

const SOCIETY: Society = { fans: 1_000_000, followed: 1_000, events: 1_000_000 }
const QUICK: Society = { fans: 2_000, followed: 100, events: 2_000 }

/** In each round. */
const REQUESTS = 200

const READS = [
  { name: 'feed', path: '/api/feed' },
  { name: 'board', path: '/api/leaderboard?among=following' },
]

export const social: Scenario = {
  name: 'social',
  summary: 'GET /api/feed and /api/leaderboard?among=following: a million fans and events, 1,000 followed',
  long: true,
  async run({ options, databases, subjects, issuer, log }) {
    const all: ScenarioResult = { rows: [], notes: [], separateRows: true }
    const [token = ''] = issuer.tokens([READER])
    const headers = { authorization: `Bearer ${token}` }
    for (const engine of enginesOf()) {
      const { url, remove } = await databases.copy(engine, 0)
      const started = performance.now()
      await addSociety(engine, url, options.quick ? QUICK : SOCIETY)
      log(`${engine} with the society: ${((performance.now() - started) / 1_000).toFixed(1)} s`)
      const { origin, stop } = await subjects.matchdayOn(url)
      const timesOf = async (path: string) => {
        const times = new Float64Array(REQUESTS)
        for (let n = 0; n < REQUESTS; n++) {
          const before = performance.now()
          const response = await fetch(origin + path, { headers })
          await response.arrayBuffer()
          times[n] = performance.now() - before
          if (!response.ok) throw new Error(`${path} is answered with ${response.status}`)
        }
        return percentiles(times)
      }
      try {
        for (const { name, path } of READS) {
          await timesOf(path)
          const rounds: { p50: number; p99: number }[] = []
          for (let round = 0; round < options.rounds; round++) rounds.push(await timesOf(path))
          all.rows.push(
            row(
              `${engine}, ${name}`,
              'ms',
              rounds.map(({ p50 }) => p50),
            ),
            row(
              `${engine}, ${name}, p99`,
              'ms',
              rounds.map(({ p99 }) => p99),
            ),
          )
        }
      } finally {
        await stop()
        await remove()
      }
    }
    return all
  },
}
