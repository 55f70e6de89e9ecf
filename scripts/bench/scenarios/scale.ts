/**
 * What further API processes on one PostgreSQL give. They share one core of this machine and its caches, which has a price in
 * CPU time: that of a bare server is measured beside it. The work of a request is its instructions, which do not depend on that.
 */
import { claimPlan } from '../catalogue.ts'
import { countRoundTrips } from '../count-round-trips.ts'
import { subjectOf, subjectsOf } from '../data.ts'
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

const PROCESSES = [1, 2, 4]
/** The bare server that it is compared with. */
export const BARE = 'one prepared row'
/** What a row says of its subject. */
export const BY_CPU = 'by CPU of the API'
export const WORK = 'work'
/** Connections for each process: every process has the same load to work on at once. */
const CONNECTIONS = 16
/** For each process, before it is measured: the JIT compiler optimizes what was called often. Batches are many calls. */
const WARM_UP_REQUESTS = 50_000
/** With batches of 100 events, so that the last ones end soon. */
const BATCH_CONNECTIONS = 4
/** All processes of a comparison run at the same time, and PostgreSQL accepts 100 connections by default. */
const POOL = { DATABASE_POOL_SIZE: '5' }
/** Their tokens are cached by all processes before the measurement. */
const CALLERS = 4_000

interface Operation {
  name: string
  plan: Plan
  /** The bench has an Express server for it. */
  withPeer?: boolean
  isBatch?: boolean
  /** Request number `nth` of those that are counted. */
  request(nth: number): Request
}

function operationsOf({ options, tokensOf }: Bench): Operation[] {
  const tokens = tokensOf(options.fans, CALLERS)
  const claims = claimPlan(tokens)
  const bearer = (token = '') => ({ authorization: `Bearer ${token}`, 'content-type': 'application/json' })
  const read = (name: string, path: string, withPeer = false): Operation => ({
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
        return new Request(`http://localhost${path}`, { method, body, headers: bearer(tokens[nth]) })
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
  summary: 'Lists, dashboards, claims and events by one, two and four processes on PostgreSQL',
  long: true,
  async run(bench) {
    if (!process.env.BENCH_POSTGRES_URL) return skipped('requires BENCH_POSTGRES_URL')
    const outcomes = [await measureBare(bench)]
    for (const operation of operationsOf(bench)) outcomes.push(await measure(bench, operation))
    const { notes, ...merged } = mergeOutcomes(outcomes)
    const shared = `processes, PostgreSQL and the load share ${coreCount()} cores`
    return { ...merged, notes: [shared, ...notes], separateRows: true }
  },
}

async function measure(bench: Bench, operation: Operation): Promise<Outcome> {
  const { subjects, options } = bench
  const { name, plan, isBatch } = operation
  bench.log(`measuring ${name}…`)
  const prepare = isBatch ? (url: string) => prepareEvents(url, { types: 1 }) : undefined
  const generator = isBatch ? eventGenerator(bench, { batch: 100 }) : bench.generator
  const contenders = PROCESSES.map((count): Contender => {
    const { server: core } = bench.cores
    const subject = subjects.matchdayInWorkers('postgres', count, { prepare, env: POOL, core })
    const connections = count * (isBatch ? BATCH_CONNECTIONS : CONNECTIONS)
    return {
      subject,
      label: labelOf(name, count),
      plan,
      connections,
      warmUpRequests: options.quick || isBatch ? 0 : count * WARM_UP_REQUESTS,
    }
  })
  if (operation.withPeer)
    contenders.push({ subject: subjects.on('postgres').express, label: `${name}, Express and pg`, plan })
  const outcome = await comparePerCpu({ ...bench, generator }, contenders)
  const { statements, roundTrips } = await countRoundTrips(
    bench,
    (handle, nth) => handle(operation.request(nth)),
    prepare,
  )
  return {
    ...outcome,
    notes: [
      `${name}: ${statements} statements and ${roundTrips} round trips a request`,
      ...outcome.notes.map(note => (note.startsWith(name) ? note : `${name}: ${note}`)),
    ],
  }
}

/** What sharing a core costs a server that only reads one row. */
function measureBare(bench: Bench): Promise<Outcome> {
  const plan: Plan = { tokens: subjectsOf(CALLERS), requests: [{ method: 'GET', path: '/' }] }
  const { oneRow } = bench.subjects.on('postgres')
  const contenders = PROCESSES.map(
    (count): Contender => ({
      subject: oneRow(count),
      ...{ label: labelOf(BARE, count), plan, connections: count * CONNECTIONS },
    }),
  )
  return comparePerCpu(bench, contenders)
}

async function comparePerCpu(bench: Bench, contenders: Contender[]): Promise<Outcome> {
  const options = { ...bench.options, engine: 'postgres' as const }
  const outcome = await compare({ ...bench, options, countsInstructions: true }, contenders)
  return { ...outcome, rows: outcome.rows.flatMap(row => [row, ...perCpu(row), ...instructionsOf(row)]) }
}

const labelOf = (name: string, count: number) => `${name}, ${count} ${count === 1 ? 'process' : 'processes'}`

/** How many requests a second of the API's CPU time is enough for. */
function perCpu({ subject, detail }: Row): Row[] {
  const value = detail?.perCpuSecond
  return typeof value === 'number' ? [row(`${subject}, ${BY_CPU}`, 'requests/s', [value])] : []
}

/** What the API does for a request, where it can be counted. */
function instructionsOf({ subject, detail }: Row): Row[] {
  const value = detail?.instructionsPerRequest
  return typeof value === 'number' ? [row(`${subject}, ${WORK}`, 'instructions', [value])] : []
}
