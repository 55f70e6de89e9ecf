/** Rounds of load with a crash in each; afterwards the database must have all acknowledged writes. */
import { rmSync } from 'node:fs'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Database, openDatabase } from '../../db/index.ts'
import { migrate } from '../../db/migrate.ts'
import { realSources } from '../../src/core/sources.ts'
import { addEndpoint } from '../../src/delivery/webhooks/endpoints.ts'
import { createWebhookSecrets } from '../../src/delivery/webhooks/secrets.ts'
import { createServerKey } from '../../src/identity/server-keys/keys.ts'
import { readPack } from '../../src/play/packs/packs.ts'
import { HOLD_MS } from '../../src/play/packs/start-purchase.ts'
import { withRawConnection } from '../db/probe.ts'
import { seededNumbers } from '../economy/leaderboard/board-model.ts'
import { addRule } from '../economy/rules/rules-world.ts'
import { addPack } from '../play/packs/packs-world.ts'
import {
  type RunningApi,
  type RunningProvider,
  secrets,
  startApi,
  startProvider,
} from '../support/processes.ts'
import { waitUntil } from '../support/wait-until.ts'
import { findLostWrites } from './acknowledged-writes.ts'
import { type Beginnings, findFaults } from './invariants.ts'
import {
  type History,
  PACKS,
  REWARDS,
  runLoad,
  SCAN,
  type Step,
  type StepResponse,
  sendStep,
} from './load.ts'

const POINTS = 1_000
const CLIENTS = 16
/** Maximum of responses in a round before its crash. */
const MAX_RESPONSES = 250
const STOCK = { plenty: 1_000_000, scarce: 60, endless: null }

export interface CrashWorld {
  url: string
  /** Of the tables on PostgreSQL; null: that of new databases. */
  schema: string | null
  /** The connection of the test itself. */
  db: Database
  provider: RunningProvider
  api: Pick<RunningApi, 'origin' | 'stop'>
  /** Null if the gate reports no events. */
  gateKey: string | null
  beginnings: Beginnings
  history: History
  fans: number
}

export interface Crash {
  /** Causes the crash while requests are pending. */
  inject(world: CrashWorld): Promise<void>
  /** Resolves when the server responds again, restarted or by itself. */
  recover(world: CrashWorld): Promise<void>
}

/** SIGKILL, as by a crash or the out-of-memory killer, then a start on the same database. */
export const killed: Crash = {
  async inject({ api }) {
    await api.stop('SIGKILL')
  },
  async recover(world) {
    world.api = await startApiOf(world)
  },
}

export const readyAgain = async ({ api }: CrashWorld) => {
  // A recovering server replays its log first.
  await waitUntil('the API is ready again', () => isReady(api), 120_000)
}

export async function isReady({ origin }: Pick<RunningApi, 'origin'>): Promise<boolean> {
  return (await fetch(`${origin}/readyz`).catch(() => null))?.status === 200
}

const startApiOf = (
  { url, schema, provider }: Pick<CrashWorld, 'url' | 'schema' | 'provider'>,
  start: StartApi = startApi,
): ReturnType<StartApi> =>
  start({
    DATABASE_URL: url,
    ...(schema === null ? {} : { DATABASE_SCHEMA: schema }),
    IDP_ISSUER: provider.issuer,
    ONBOARDING_POINTS: String(POINTS),
    PACK_HOLDS_PER_FAN: '0',
    TRADE_REST_HOURS: '0',
  })

/** Starts the API with these settings, as one process or as several behind one origin. */
type StartApi = (env: Record<string, string>) => Promise<CrashWorld['api']>

interface WorldOptions {
  start?: StartApi
  /** Migrates the database. Without, it has the schema of this version. */
  prepare?: (url: string) => Promise<unknown>
  schema?: string | null
}

/** Starts a server on an empty database and adds rewards and packs. */
export async function startWorld(
  url: string,
  fans: number,
  { start, schema = null, prepare = () => migrate(url, { schema }) }: WorldOptions = {},
): Promise<CrashWorld> {
  await prepare(url)
  const provider = await startProvider({ fans })
  const api = await startApiOf({ url, schema, provider }, start)
  const db = openDatabase(url, realSources, { postgres: { schema } })
  const at = new Date()
  for (const [id, stockRemaining] of Object.entries(STOCK)) {
    const texts = { title: id, description: id, itemType: 'voucher', pointsRequired: 100, active: true }
    await db.write(tx =>
      tx.insert(tx.tables.rewards).values({ id, ...texts, stockRemaining, createdAt: at, updatedAt: at }),
    )
  }
  const [starter, limited] = PACKS
  await addPack({ db }, { id: starter, price: { amount: 30, currency: 'POINTS' } })
  await addPack({ db }, { id: limited, price: { amount: 50, currency: 'POINTS' }, supply: 200 })
  const beginnings = {
    stock: new Map(REWARDS.map(id => [id, STOCK[id as keyof typeof STOCK]])),
    onboardingPoints: POINTS,
  }
  const world: CrashWorld = {
    url,
    schema,
    db,
    provider,
    api,
    gateKey: null,
    beginnings,
    history: { responses: [], unacknowledged: [], failures: [] },
    fans: 0,
  }
  await addEventReaders(world)
  return world
}

/** Adds a webhook endpoint, a rule, and the key of the gate. */
async function addEventReaders(world: CrashWorld): Promise<void> {
  const { db } = world
  // No server listens there: deliveries stay pending, and each event must have one.
  const webhookSecrets = createWebhookSecrets({ key: JSON.parse(secrets.NATIVE_TOKEN_KEY), previousKeys: [] })
  const endpoint = { url: 'http://127.0.0.1:9/', types: ['*'] }
  await db.write(tx => addEndpoint(tx, webhookSecrets, endpoint))
  const limit = { count: 2, per: 'ever' } as const
  await addRule({ db }, { id: 'gate', eventType: SCAN, limit })
  const request = { source: 'gate', scopes: ['events:write'] as const, expiresAt: null }
  world.gateKey = (await db.write(tx => createServerKey(tx, request)))?.key ?? null
}

export async function stopWorld({ api, provider, db }: CrashWorld): Promise<void> {
  await api.stop('SIGKILL')
  await provider.stop()
  await db.close()
}

/** Creates a temporary directory for a SQLite file. */
export async function temporaryFile() {
  const folder = await mkdtemp(join(tmpdir(), 'matchday-crash-'))
  return { url: `sqlite:${join(folder, 'crash.db')}`, remove: () => rmSync(folder, { recursive: true }) }
}

export interface Statistics {
  rounds: number
  /** Acknowledged writes, found in the database after every later crash. */
  acknowledged: number
  /** Requests without a response, sent again. */
  cut: number
  /** Requests repeated with their key that gave the same response. */
  replayed: number
}

/** @throws Error with the seed, the round and all faults */
export async function runRounds(
  world: CrashWorld,
  { crash, rounds, seed }: { crash: Crash; rounds: number; seed: number },
): Promise<Statistics> {
  const pick = seededNumbers(seed)
  const { history } = world
  const statistics: Statistics = { rounds, acknowledged: 0, cut: 0, replayed: 0 }
  for (let round = 1; round <= rounds; round++) {
    const before = { responses: history.responses.length, unacknowledged: history.unacknowledged.length }
    await runRound(world, crash, pick)
    const lost = history.unacknowledged.splice(before.unacknowledged)
    statistics.cut += lost.length
    const faults = [
      ...history.responses
        .slice(before.responses)
        .filter(({ status }) => status >= 500)
        .map(describe),
      ...(await findLostWrites(world.db, {
        ...history,
        unacknowledged: [...history.unacknowledged, ...lost],
      })),
      ...(await findFaults(world.db, world.beginnings, new Date())),
      ...(await fileFaults(world)),
    ]
    // Requests with a key are sent again; without a key their effect remains unknown.
    history.unacknowledged.push(...lost.filter(({ key }) => key === null))
    const retry = async (step: Step) => {
      const response = await sendStep(world.api.origin, step)
      if (response) history.responses.push(response)
      if (!response || response.status >= 500)
        faults.push(`retried: ${response ? describe(response) : 'no response'}`)
    }
    await Promise.all(lost.filter(({ key }) => key !== null).map(retry))
    const replays = await replayAll(world, history.responses.slice(before.responses))
    statistics.replayed += replays.same
    faults.push(...replays.faults, ...(await findLostWrites(world.db, history)), ...(await holdFaults(world)))
    faults.push(...(await findFaults(world.db, world.beginnings, new Date())))
    if (faults.length > 0)
      throw new Error(
        `seed ${seed}, round ${round}: ${faults.length} faults\n${faults.slice(0, 20).join('\n')}`,
      )
  }
  statistics.acknowledged = history.responses.filter(
    ({ step, status }) => step.method !== 'GET' && status < 300,
  ).length
  return statistics
}

const describe = ({ step, status, body }: StepResponse) =>
  `${step.method} ${step.path}: ${status} ${JSON.stringify(body)}`

interface Load {
  pick: (below: number) => number
  clients?: number
  onResponse?: () => void
  isOver: () => boolean
}

/** Load of new fans, recorded in the history. */
export function applyLoad(world: CrashWorld, { clients = CLIENTS, onResponse = () => {}, ...load }: Load) {
  const { api, gateKey, provider, history } = world
  async function nextFan() {
    const subject = `fan-${String(++world.fans).padStart(4, '0')}`
    return { subject, token: await provider.idp.issueToken(subject, { expiresIn: 86_400 }) }
  }
  return runLoad({ ...load, origin: api.origin, gateKey, clients, nextFan, onResponse }, history)
}

async function runRound(world: CrashWorld, crash: Crash, pick: (below: number) => number): Promise<void> {
  const crashPoint = Promise.withResolvers<void>()
  const responsesBefore = 1 + pick(MAX_RESPONSES)
  let received = 0
  let over = false
  const load = applyLoad(world, {
    pick,
    // At this time, requests of the other clients are pending in any state.
    onResponse: () => void (++received === responsesBefore && crashPoint.resolve()),
    isOver: () => over,
  })
  await Promise.race([crashPoint.promise, load])
  await crash.inject(world)
  over = true
  await load
  await crash.recover(world)
}

/** Repeats every acknowledged request that has a key. */
async function replayAll({ api }: CrashWorld, responses: StepResponse[]) {
  const faults: string[] = []
  const kept = responses.filter(({ step, status }) => step.key !== null && status < 300)
  const byKey = new Map(kept.map(response => [response.step.key, response]))
  const replay = async (first: StepResponse) => {
    const again = await sendStep(api.origin, first.step)
    const same = again?.status === first.status && JSON.stringify(again.body) === JSON.stringify(first.body)
    if (!same || !again.replayed)
      faults.push(`another response: ${describe(first)} ${again && describe(again)}`)
  }
  await Promise.all([...byKey.values()].map(replay))
  return { faults, same: byKey.size - faults.length }
}

/** After all holds have expired, the remaining supply must be the total minus the sold packs. */
async function holdFaults({ url, schema }: CrashWorld): Promise<string[]> {
  const later = { ...realSources, now: () => new Date(Date.now() + HOLD_MS) }
  const db = openDatabase(url, later, { postgres: { schema } })
  try {
    const faults = []
    for (const id of PACKS) {
      const { supply } = await readPack(db.read, id)
      const sold =
        (await db.read.select().from(db.tables.packs)).find(pack => pack.id === id)?.supplySold ?? 0
      if (supply && supply.remaining !== supply.total - sold)
        faults.push(`${id}: ${supply.remaining} after holds expired`)
    }
    return faults
  } finally {
    await db.close()
  }
}

/** The integrity checks of SQLite. */
async function fileFaults({ db, url }: CrashWorld): Promise<string[]> {
  if (db.engine !== 'sqlite') return []
  return withRawConnection({ db, url }, async run => {
    const integrity = (await run('PRAGMA integrity_check')).map(row => String(row.integrity_check))
    const orphans = await run('PRAGMA foreign_key_check')
    return [...integrity.filter(word => word !== 'ok'), ...orphans.map(row => JSON.stringify(row))]
  })
}
