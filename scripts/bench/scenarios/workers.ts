/** What a second core brings: `WORKERS=2` beside one process, on both engines, reading and writing. */
import { MAX_TOKENS } from '../../../src/identity-provider/verified-token-cache.ts'
import { claimPlan } from '../claim-plan.ts'
import type { Engine } from '../databases.ts'
import type { Plan } from '../plan.ts'
import { coreCount } from '../process.ts'
import { compare } from '../rounds.ts'
import { type Bench, type Outcome, row, type Scenario } from '../scenario.ts'

/** Of the load: fewer may by chance all be one worker's. */
const FEWEST_CONNECTIONS = 32
/** Callers who come again. */
const WARM = 32
/** Who claims: each is introduced many times over, so that every worker knows them. */
const CLAIMANTS = MAX_TOKENS / 2

export const workers: Scenario = {
  name: 'workers',
  about: 'GET /api/rewards and POST /api/rewards/claim by known callers, in two processes beside one',
  long: true,
  async run(bench) {
    const { fans, connections } = bench.options
    const plans: Record<string, Plan> = {
      rewards: { tokens: bench.tokensOf(fans, WARM), requests: [{ method: 'GET', path: '/api/rewards' }] },
      claims: claimPlan(bench.tokensOf(fans, CLAIMANTS)),
    }
    const all: Outcome = {
      rows: [],
      notes: [
        `nothing is pinned: workers, load and any database server share ${coreCount()} cores; "server" is the workers alone`,
        `${Math.max(connections, FEWEST_CONNECTIONS)} connections, shared among the workers as the system will`,
      ],
      unlike: true,
    }
    const server = process.env.BENCH_POSTGRES_URL
    if (!server)
      all.notes.push(
        'PostgreSQL is left out: BENCH_POSTGRES_URL names a server on which databases may be created',
      )
    for (const engine of server ? (['postgres', 'sqlite'] as const) : (['sqlite'] as const)) {
      for (const [what, plan] of Object.entries(plans)) {
        const { rows, notes, invalid } = await oneBesideTwo(bench, engine, what, plan)
        all.rows.push(...rows)
        all.notes.push(...notes.map(note => (note.startsWith(engine) ? note : `${engine}, ${what}: ${note}`)))
        if (invalid) all.invalid = all.invalid ? `${all.invalid}; ${invalid}` : invalid
      }
    }
    return all
  },
}

async function oneBesideTwo(bench: Bench, engine: Engine, what: string, plan: Plan): Promise<Outcome> {
  const { subjects, options, generator } = bench
  const connections = Math.max(options.connections, FEWEST_CONNECTIONS)
  const measuring = {
    generator,
    options: { ...options, engine, connections },
    cores: { server: null, generator: null, pinned: false },
  }
  const outcome = await compare(measuring, [
    { subject: subjects.matchdayInWorkers(engine, 1), label: `${engine}, 1 worker: ${what}`, plan },
    { subject: subjects.matchdayInWorkers(engine, 2), label: `${engine}, 2 workers: ${what}`, plan },
  ])
  const [one, two] = outcome.rows
  if (!one || !two) return outcome
  const gains = two.rounds.map((perSecond, round) => perSecond / (one.rounds[round] ?? Number.NaN))
  return { ...outcome, rows: [one, two, row(`${engine}, 2 workers / 1 worker: ${what}`, 'x', gains)] }
}
