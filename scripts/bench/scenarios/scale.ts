/**
 * What further instances on one PostgreSQL cost, as behind a load balancer. They run at the same time on one core and are loaded
 * in turn: loaded at once, they would evict each other's data from the core's caches, which instances on cores of their own do not.
 */
import { claimPlan } from '../catalogue.ts'
import { countRoundTrips } from '../count-round-trips.ts'
import { subjectOf } from '../data.ts'
import { eventData, prepareEvents, SERVER_KEY, typeOf } from '../event-rules.ts'
import { PROVIDER } from '../issuer.ts'
import type { Plan } from '../plan.ts'
import { coreCount } from '../process.ts'
import { type Contender, compare } from '../rounds.ts'
import {
  type Bench,
  mergeOutcomes,
  type Outcome,
  type Row,
  row,
  type Scenario,
  skipped,
} from '../scenario.ts'
import { eventGenerator, eventPlan } from './events.ts'

const INSTANCES = [1, 2, 4]
/** The operations that are measured. */
export const OPERATIONS = ['rewards', 'dashboard', 'claims', 'events, batches of 100'] as const
/** So that the last batches end soon. */
const BATCH_CONNECTIONS = 4
/** All instances of a comparison run at the same time, and PostgreSQL accepts 100 connections by default. */
const POOL = { DATABASE_POOL_SIZE: '5' }
/** Of reads. Each instance reads all their tokens into its cache before the measurement. */
const CALLERS = 4_000

interface Operation {
  name: (typeof OPERATIONS)[number]
  plan: Plan
  /** The bench has an Express server for it. */
  withPeer?: boolean
  isBatch?: boolean
  /** Request number `nth` of those that are counted. */
  request(nth: number): Request
}

function operationsOf({ options, tokensOf }: Bench): Operation[] {
  const tokens = tokensOf(options.fans, CALLERS)
  // All fans: a claim of each reward by each must last for all warm-ups and rounds.
  const claims = claimPlan(tokensOf(options.fans))
  const bearer = (token = '') => ({ authorization: `Bearer ${token}`, 'content-type': 'application/json' })
  const read = (name: Operation['name'], path: string, withPeer = false): Operation => ({
    ...{ name, withPeer },
    plan: { tokens, requests: [{ method: 'GET', path }], primePath: '/api/rewards' },
    request: nth => new Request(`http://localhost${path}`, { headers: bearer(tokens[nth]) }),
  })
  return [
    read('rewards', '/api/rewards', true),
    read('dashboard', '/api/dashboard'),
    {
      name: 'claims',
      plan: claims,
      withPeer: true,
      request(nth) {
        const { method = 'POST', path = '', body = '' } = claims.requests[0] ?? {}
        return new Request(`http://localhost${path}`, { method, body, headers: bearer(claims.tokens[nth]) })
      },
    },
    {
      name: 'events, batches of 100',
      plan: eventPlan,
      isBatch: true,
      request(nth) {
        const fan = (at: number) => ({ provider: PROVIDER, subject: subjectOf(nth * 100 + at) })
        const events = Array.from({ length: 100 }, (_, at) => ({
          ...{ id: `counted-${nth}-${at}`, type: typeOf(0), fan: fan(at), data: eventData },
          occurredAt: new Date().toISOString(),
        }))
        const body = JSON.stringify({ events })
        return new Request('http://localhost/api/events', {
          ...{ method: 'POST', body, headers: bearer(SERVER_KEY) },
        })
      },
    },
  ]
}

export const scale: Scenario = {
  name: 'scale',
  summary: 'Lists, dashboards, claims and events by one, two and four instances on PostgreSQL',
  long: true,
  async run(bench) {
    if (!process.env.BENCH_POSTGRES_URL) return skipped('requires BENCH_POSTGRES_URL')
    const outcomes: Outcome[] = []
    for (const operation of operationsOf(bench)) outcomes.push(await measure(bench, operation))
    const { notes, ...merged } = mergeOutcomes(outcomes)
    const inTurn =
      'instances run at the same time on one core and are loaded in turn; the CPU time of all is counted'
    const shared = `instances, PostgreSQL and the load share ${coreCount()} cores`
    return { ...merged, notes: [inTurn, shared, ...notes], separateRows: true }
  },
}

async function measure(bench: Bench, operation: Operation): Promise<Outcome> {
  const { express, prepared } = bench.subjects.on('postgres')
  const { name, plan, isBatch } = operation
  const prepare = async (url: string) => {
    if (isBatch) await prepareEvents(url, { types: 1 })
  }
  const contenders = INSTANCES.map(
    (instances): Contender => ({
      subject: prepared(prepare, { instances, env: POOL }),
      ...{ label: labelOf(name, instances), plan },
      ...(isBatch ? { connections: BATCH_CONNECTIONS } : {}),
    }),
  )
  if (operation.withPeer) contenders.push({ subject: express, label: `${name}, Express and pg`, plan })
  const measured = {
    ...bench,
    options: { ...bench.options, engine: 'postgres' as const },
    generator: isBatch ? eventGenerator(bench, { batch: 100 }) : bench.generator,
    progress: bench.log,
  }
  const { rows, notes, ...outcome } = await compare(measured, contenders)
  const { statements, roundTrips } = await countRoundTrips(
    bench,
    (handle, nth) => handle(operation.request(nth)),
    prepare,
  )
  return {
    ...outcome,
    rows: rows.flatMap(row => [row, ...perCpu(row)]),
    notes: [
      `${name}: ${statements} statements and ${roundTrips} round trips a request`,
      ...notes.map(note => (note.startsWith(name) ? note : `${name}: ${note}`)),
    ],
  }
}

const labelOf = (name: string, count: number) => `${name}, ${count} ${count === 1 ? 'instance' : 'instances'}`

const byCpu = (subject: string) => `${subject}, by CPU of the API`

/** The subjects of rows whose ratio is what further instances leave of the throughput for each second of the API's CPU time. */
export const scalingOf = (name: string, count: number) =>
  [byCpu(labelOf(name, count)), byCpu(labelOf(name, 1))] as const

/** How many requests a second of the API's CPU time is enough for. */
function perCpu({ subject, detail }: Row): Row[] {
  const value = detail?.perCpuSecond
  return typeof value === 'number' ? [row(byCpu(subject), 'requests/s', [value])] : []
}
