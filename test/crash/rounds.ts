/** Rounds of load, a blow in the middle of each, and everything held against what fans were told before it. */
import { rmSync } from 'node:fs'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Database, openDatabase } from '../../db/index.ts'
import { migrate } from '../../db/migrate.ts'
import { realSources } from '../../src/core/sources.ts'
import { readPack } from '../../src/packs/catalogue.ts'
import { HOLD_MS } from '../../src/packs/start-purchase.ts'
import { withRawConnection } from '../db/probe.ts'
import { seededNumbers } from '../leaderboard/board-model.ts'
import { addPack } from '../packs/packs-world.ts'
import { type RunningApi, type RunningProvider, startApi, startProvider } from '../support/processes.ts'
import { waitUntil } from '../support/wait-until.ts'
import { type Beginnings, findFaults } from './invariants.ts'
import { ask, type Heard, type Memory, PACKS, REWARDS, runLoad, type Step } from './load.ts'
import { findLies } from './testimony.ts'

const POINTS = 1_000
const CLIENTS = 16
/** Answers of a round before its blow, at the most. */
const MOST_ANSWERS = 250
const STOCK = { plenty: 1_000_000, scarce: 60, endless: null }

export interface CrashWorld {
  url: string
  /** Of the test, beside the server. */
  db: Database
  provider: RunningProvider
  api: RunningApi
  beginnings: Beginnings
  memory: Memory
  fans: number
}

export interface Blow {
  /** Strikes while requests are under way. */
  strike(world: CrashWorld): Promise<void>
  /** Until the server answers again, restarted or by itself. */
  recover(world: CrashWorld): Promise<void>
}

/** SIGKILL, as a crash, an out-of-memory killer or a pulled plug of the process; then a start on the same database. */
export const killed: Blow = {
  async strike({ api }) {
    await api.stop('SIGKILL')
  },
  async recover(world) {
    world.api = await startApiOf(world)
  },
}

export const readyAgain = async ({ api }: CrashWorld) => {
  // A server that recovers replays its log first.
  await waitUntil('the API is ready again', () => isReady(api), 120_000)
}

async function isReady({ origin }: RunningApi): Promise<boolean> {
  return (await fetch(`${origin}/readyz`).catch(() => null))?.status === 200
}

const startApiOf = ({ url, provider }: Pick<CrashWorld, 'url' | 'provider'>) =>
  startApi({
    DATABASE_URL: url,
    IDP_ISSUER: provider.issuer,
    ONBOARDING_POINTS: String(POINTS),
    PACK_HOLDS_PER_FAN: '0',
  })

/** A server on this database, which is empty, and what fans can claim and buy there. */
export async function startWorld(url: string, fans: number): Promise<CrashWorld> {
  await migrate(url)
  const provider = await startProvider({ fans })
  const api = await startApiOf({ url, provider })
  const db = openDatabase(url, realSources)
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
  return { url, db, provider, api, beginnings, memory: { heard: [], unheard: [] }, fans: 0 }
}

export async function stopWorld({ api, provider, db }: CrashWorld): Promise<void> {
  await api.stop('SIGKILL')
  await provider.stop()
  await db.close()
}

/** A folder for a SQLite file, and how to be rid of it. */
export async function temporaryFile() {
  const folder = await mkdtemp(join(tmpdir(), 'matchday-crash-'))
  return { url: `sqlite:${join(folder, 'crash.db')}`, remove: () => rmSync(folder, { recursive: true }) }
}

export interface Figures {
  rounds: number
  /** Answers that promised an effect, and were found to be true after every later blow. */
  promises: number
  /** Requests that were cut, and asked again. */
  cut: number
  /** Answers that were asked for again under their key, and came the same. */
  replayed: number
}

/** @throws Error that names the seed, the round and all that is wrong */
export async function playRounds(
  world: CrashWorld,
  { blow, rounds, seed }: { blow: Blow; rounds: number; seed: number },
): Promise<Figures> {
  const pick = seededNumbers(seed)
  const { memory } = world
  const figures: Figures = { rounds, promises: 0, cut: 0, replayed: 0 }
  for (let round = 1; round <= rounds; round++) {
    const before = { heard: memory.heard.length, unheard: memory.unheard.length }
    await playRound(world, blow, pick)
    const lost = memory.unheard.splice(before.unheard)
    figures.cut += lost.length
    const faults = [
      ...memory.heard
        .slice(before.heard)
        .filter(({ status }) => status >= 500)
        .map(describe),
      ...(await findLies(world.db, { ...memory, unheard: [...memory.unheard, ...lost] })),
      ...(await findFaults(world.db, world.beginnings, new Date())),
      ...(await fileFaults(world)),
    ]
    // Who was cut asks again; without a key, the effect may be there or not, and stays a matter of doubt.
    memory.unheard.push(...lost.filter(({ key }) => key === null))
    const askAgain = async (step: Step) => {
      const answer = await ask(world.api.origin, step)
      if (answer) memory.heard.push(answer)
      if (!answer || answer.status >= 500)
        faults.push(`asked again: ${answer ? describe(answer) : 'no answer'}`)
    }
    await Promise.all(lost.filter(({ key }) => key !== null).map(askAgain))
    const replays = await replayAll(world, memory.heard.slice(before.heard))
    figures.replayed += replays.same
    faults.push(...replays.faults, ...(await findLies(world.db, memory)), ...(await holdFaults(world)))
    faults.push(...(await findFaults(world.db, world.beginnings, new Date())))
    if (faults.length > 0)
      throw new Error(
        `seed ${seed}, round ${round}: ${faults.length} faults\n${faults.slice(0, 20).join('\n')}`,
      )
  }
  figures.promises = memory.heard.filter(({ status }) => status < 300).length
  return figures
}

const describe = ({ step, status, body }: Heard) =>
  `${step.method} ${step.path}: ${status} ${JSON.stringify(body)}`

async function playRound(world: CrashWorld, blow: Blow, pick: (below: number) => number): Promise<void> {
  const { api, provider } = world
  const struck = Promise.withResolvers<void>()
  const answers = 1 + pick(MOST_ANSWERS)
  let heard = 0
  let over = false
  const load = runLoad(
    {
      origin: api.origin,
      pick,
      clients: CLIENTS,
      async nextFan() {
        const subject = `fan-${String(++world.fans).padStart(4, '0')}`
        return { subject, token: await provider.idp.issueToken(subject, { expiresIn: 86_400 }) }
      },
      // By then the other clients' requests are at any point of their way.
      onHeard: () => void (++heard === answers && struck.resolve()),
      isOver: () => over,
    },
    world.memory,
  )
  await Promise.race([struck.promise, load])
  await blow.strike(world)
  over = true
  await load
  await blow.recover(world)
}

/** Asks for everything again that was acknowledged under a key. */
async function replayAll({ api }: CrashWorld, heard: Heard[]) {
  const faults: string[] = []
  const kept = heard.filter(({ step, status }) => step.key !== null && status < 300)
  const byKey = new Map(kept.map(answer => [answer.step.key, answer]))
  const replay = async (first: Heard) => {
    const again = await ask(api.origin, first.step)
    const same = again?.status === first.status && JSON.stringify(again.body) === JSON.stringify(first.body)
    if (!same || !again.replayed)
      faults.push(`another answer: ${describe(first)} ${again && describe(again)}`)
  }
  await Promise.all([...byKey.values()].map(replay))
  return { faults, same: byKey.size - faults.length }
}

/** Nobody completes what is held now: once its time has come, all that is not sold can be had. */
async function holdFaults({ url }: CrashWorld): Promise<string[]> {
  const later = { ...realSources, now: () => new Date(Date.now() + HOLD_MS) }
  const db = openDatabase(url, later)
  try {
    const faults = []
    for (const id of PACKS) {
      const { supply } = await readPack(db.read, id)
      const sold =
        (await db.read.select().from(db.tables.packs)).find(pack => pack.id === id)?.supplySold ?? 0
      if (supply && supply.remaining !== supply.total - sold)
        faults.push(`${id}: ${supply.remaining} once holds are over`)
    }
    return faults
  } finally {
    await db.close()
  }
}

/** What SQLite says of its own file. */
async function fileFaults({ db, url }: CrashWorld): Promise<string[]> {
  if (db.engine !== 'sqlite') return []
  return withRawConnection({ db, url }, async run => {
    const integrity = (await run('PRAGMA integrity_check')).map(row => String(row.integrity_check))
    const orphans = await run('PRAGMA foreign_key_check')
    return [...integrity.filter(word => word !== 'ok'), ...orphans.map(row => JSON.stringify(row))]
  })
}
