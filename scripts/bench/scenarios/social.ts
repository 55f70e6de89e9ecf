/**
 * Measures how long a fan who follows a thousand others waits for the feed, for the leaderboard of those fans, and for the table of
 * their league: one request at a time. For comparison, measures only the look-ups: a prepared statement that reads one row of each fan and
 * returns a number.
 */
import { Database as Connection } from 'bun:sqlite'
import { SQL } from 'bun'
import type { Engine } from '../databases.ts'
import { percentiles } from '../load/bun-generators.ts'
import { row, type Scenario, type ScenarioResult } from '../scenario.ts'
import { addSociety, LEAGUE, READER, type Society } from '../social-society.ts'

const SOCIETY: Society = { fans: 1_000_000, followed: 1_000, events: 1_000_000 }
const QUICK: Society = { fans: 2_000, followed: 100, events: 2_000 }

/** Requests in each round. */
const REQUESTS = 200

const FOLLOWED = `fan_relations r where r.fan_id = '${READER}' and r.followed_at is not null`
const READS = [
  {
    name: 'feed',
    path: '/api/feed',
    lookUps: `select count(sequence) from (select (select e.sequence from events e where e.user_id = r.other_id
      order by e.sequence desc limit 1) as sequence from ${FOLLOWED}) as newest`,
  },
  {
    name: 'board',
    path: '/api/leaderboard?among=following',
    lookUps: `select count(points) from (select (select s.minus_points from leaderboard_scores s where s.board = 'all'
      and s.user_id = r.other_id) as points from ${FOLLOWED}) as scores`,
  },
  {
    name: 'league',
    path: `/api/leagues/${LEAGUE}`,
    lookUps: `select count(points) from (select (select s.minus_points from leaderboard_scores s where s.board = 'all'
      and s.user_id = m.user_id) as points from league_members m where m.league_id = '${LEAGUE}') as scores`,
  },
]

export const social: Scenario = {
  name: 'social',
  summary: 'GET /api/feed, /api/leaderboard?among=following and a league of 1,000: a million fans and events',
  long: true,
  async run({ options, databases, subjects, issuer, log }) {
    const all: ScenarioResult = { rows: [], notes: [], separateRows: true }
    const [token = ''] = issuer.tokens([READER])
    const headers = { authorization: `Bearer ${token}` }
    for (const engine of options.engines) {
      const { url, remove } = await databases.copy(engine, 0)
      const started = performance.now()
      await addSociety(engine, url, options.quick ? QUICK : SOCIETY)
      log(`${engine} with the society: ${((performance.now() - started) / 1_000).toFixed(1)} s`)
      const { origin, stop } = await subjects.matchdayOn(url)
      const request = (path: string) => async () => {
        const response = await fetch(origin + path, { headers })
        await response.arrayBuffer()
        if (!response.ok) throw new Error(`${path} is answered with ${response.status}`)
      }
      const raw = connect(engine, url)
      try {
        for (const { name, path, lookUps } of READS) {
          const reads: Percentiles[] = []
          const references: Percentiles[] = []
          for (let round = -1; round < options.rounds; round++) {
            const [read, reference] = [await timesOf(request(path)), await timesOf(() => raw.run(lookUps))]
            if (round < 0) continue
            reads.push(read)
            references.push(reference)
          }
          const add = (label: string, rounds: Percentiles[], of: keyof Percentiles) =>
            all.rows.push(
              row(
                `${engine}, ${label}`,
                'ms',
                rounds.map(round => round[of]),
              ),
            )
          add(name, reads, 'p50')
          add(`${name}, p99`, reads, 'p99')
          add(`${name}, look-ups alone`, references, 'p50')
        }
      } finally {
        await raw.close()
        await stop()
        await remove()
      }
    }
    return all
  },
}

interface Percentiles {
  p50: number
  p99: number
}

async function timesOf(run: () => Promise<unknown>): Promise<Percentiles> {
  const times = new Float64Array(REQUESTS)
  for (let n = 0; n < REQUESTS; n++) {
    const before = performance.now()
    await run()
    times[n] = performance.now() - before
  }
  return percentiles(times)
}

/** Runs statements as prepared ones, on one connection. */
function connect(engine: Engine, url: string) {
  if (engine === 'sqlite') {
    const connection = new Connection(url.slice('sqlite:'.length), { readonly: true })
    return {
      run: async (statement: string) => connection.query(statement).all(),
      close: async () => connection.close(),
    }
  }
  const client = new SQL(url, { max: 1 })
  return { run: (statement: string) => client.unsafe(statement, []), close: () => client.close() }
}
