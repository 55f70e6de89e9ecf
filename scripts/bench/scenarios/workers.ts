/** The gain of a second core: `WORKERS=2` compared with one process, on both engines, for reads and writes. */
import { MAX_TOKENS } from '../../../src/identity-provider/verified-token-cache.ts'
import { claimPlan } from '../catalogue.ts'
import type { Engine } from '../databases.ts'
import type { Plan } from '../plan.ts'
import { coreCount } from '../process.ts'
import { compare } from '../rounds.ts'
import { type Bench, type Outcome, row, type Scenario } from '../scenario.ts'

/** With fewer connections, all might go to one worker. */
const MIN_CONNECTIONS = 32
/** Callers of the reads. */
const READERS = 32
/** Callers of the claims; all of them fit into each worker's token cache. */
const CLAIMANTS = MAX_TOKENS / 2

export const workers: Scenario = {
  name: 'workers',
  summary: 'GET /api/rewards and POST /api/rewards/claim in one process and in two',
  long: true,
  async run(bench) {
    const { fans, connections } = bench.options
    const plans: Record<string, Plan> = {
      rewards: { tokens: bench.tokensOf(fans, READERS), requests: [{ method: 'GET', path: '/api/rewards' }] },
      claims: claimPlan(bench.tokensOf(fans, CLAIMANTS)),
    }
    const all: Outcome = {
      rows: [],
      notes: [
        `no pinned cores: workers, load and any database server share ${coreCount()} cores; "server" is the workers only`,
        `${Math.max(connections, MIN_CONNECTIONS)} connections, distributed among the workers by the system`,
      ],
      separateRows: true,
    }
    const server = process.env.BENCH_POSTGRES_URL
    if (!server)
      all.notes.push(
        'PostgreSQL is skipped: set BENCH_POSTGRES_URL to a server on which databases may be created',
      )
    for (const engine of server ? (['postgres', 'sqlite'] as const) : (['sqlite'] as const)) {
      for (const [operation, plan] of Object.entries(plans)) {
        const { rows, notes, invalid } = await compareWorkers(bench, engine, operation, plan)
        all.rows.push(...rows)
        all.notes.push(
          ...notes.map(note => (note.startsWith(engine) ? note : `${engine}, ${operation}: ${note}`)),
        )
        if (invalid) all.invalid = all.invalid ? `${all.invalid}; ${invalid}` : invalid
      }
    }
    return all
  },
}

async function compareWorkers(bench: Bench, engine: Engine, operation: string, plan: Plan): Promise<Outcome> {
  const { subjects, options, generator } = bench
  const connections = Math.max(options.connections, MIN_CONNECTIONS)
  const measuring = {
    generator,
    options: { ...options, engine, connections },
    cores: { server: null, generator: null, pinned: false },
  }
  const outcome = await compare(measuring, [
    { subject: subjects.matchdayInWorkers(engine, 1), label: `${engine}, 1 worker: ${operation}`, plan },
    { subject: subjects.matchdayInWorkers(engine, 2), label: `${engine}, 2 workers: ${operation}`, plan },
  ])
  const [one, two] = outcome.rows
  if (!one || !two) return outcome
  const gains = two.rounds.map((perSecond, round) => perSecond / (one.rounds[round] ?? Number.NaN))
  return { ...outcome, rows: [one, two, row(`${engine}, 2 workers / 1 worker: ${operation}`, 'x', gains)] }
}
