/** `bun run dev --live`: a match day on the seeded data, which ends by itself and on Ctrl-C. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { eq } from 'drizzle-orm'
import { type Database, openDatabase } from '../../db/index.ts'
import { DERBY } from '../../scripts/seed/demo-matches.ts'
import { createSpine } from '../../src/app/spine.ts'
import { verifyLedger } from '../../src/audit/runs/verify-ledger.ts'
import { verifyQuests } from '../../src/audit/runs/verify-quests.ts'
import { realSources } from '../../src/core/sources.ts'
import { readLiveFigures } from '../../src/operate/console/overview/read-overview.ts'
import { type RunningDev, spawnDev, startDev } from '../support/dev.ts'
import { testedExecutable } from '../support/executable.ts'
import { waitUntil } from '../support/wait-until.ts'

/** Other tests take their part of the machine. */
const POLLING = [120_000, 100] as const

let dev: RunningDev
let db: Database

let played: Bun.Subprocess<'ignore', 'pipe', 'pipe'>
let printed = ''
let before: Awaited<ReturnType<typeof stateOf>>

beforeAll(async () => {
  dev = await startDev({ CONSOLE: 'off' })
  dev.process.kill('SIGTERM')
  await dev.process.exited
  db = openDatabase(dev.env.DATABASE_URL ?? '', realSources, { spine: createSpine() })
  // Before the match day begins, on however slow a machine.
  before = await stateOf(db)
  played = spawnDev(dev.env, testedExecutable, ['--live', '8s'])
  void new Response(played.stderr).text()
  void collect(played.stdout)
})
afterAll(async () => {
  played.kill('SIGTERM')
  await played.exited
  await db.close()
  await dev.stop()
})

async function collect(output: ReadableStream<Uint8Array>) {
  const decoder = new TextDecoder()
  for await (const bytes of output) printed += decoder.decode(bytes, { stream: true })
}

const stateOf = async ({ read, tables }: Database) => ({
  figures: await readLiveFigures(read),
  checkIns: (await read.select().from(tables.checkIns).where(eq(tables.checkIns.matchId, DERBY))).length,
  predictions: (await read.select().from(tables.predictions)).length,
  opened: (await read.select().from(tables.userPacks)).filter(({ openedAt }) => openedAt).length,
  board: (await read.select().from(tables.leaderboardScores)).filter(({ board }) => board === 'predictions'),
})
const endpointsOf = ({ read, tables }: Database) => read.select().from(tables.webhookEndpoints)
const matchOf = async ({ read, tables }: Database) =>
  (await read.select().from(tables.matches).where(eq(tables.matches.id, DERBY)))[0]

test('moves the overview, the match and the boards, sends webhooks, and leaves a sound ledger', async () => {
  await waitUntil('the match is over', async () => (await matchOf(db))?.status === 'finished', ...POLLING)
  await waitUntil('the endpoint is removed', async () => (await endpointsOf(db)).length === 0, ...POLLING)
  const ended = await waitUntil(
    'it says so',
    () => /is over: (\d+) webhooks arrived/.exec(printed),
    ...POLLING,
  )
  expect(Number(ended[1])).toBeGreaterThan(0)
  const after = await stateOf(db)
  expect(await matchOf(db)).toMatchObject({ homeScore: 3, awayScore: 1 })
  expect(after.figures.today.activeFans).toBeGreaterThan(0)
  expect(after.figures.fans).toBeGreaterThan(before.figures.fans)
  expect(after.figures.today.pointsGranted).toBeGreaterThan(before.figures.today.pointsGranted)
  expect(after.figures.today.packs).toBeGreaterThan(before.figures.today.packs)
  expect(after.figures.reports.count).toBe(before.figures.reports.count + 1)
  expect(after.checkIns).toBeGreaterThan(before.checkIns)
  expect(after.predictions).toBeGreaterThan(before.predictions)
  expect(after.opened).toBeGreaterThan(before.opened)
  const pointsOn = (board: typeof after.board) => board.reduce((sum, { minusPoints }) => sum - minusPoints, 0)
  expect(pointsOn(after.board)).toBeGreaterThan(pointsOn(before.board))
  const findings: unknown[] = []
  await verifyLedger(db, { onFinding: finding => findings.push(finding) })
  await verifyQuests(db, { onFinding: finding => findings.push(finding) })
  expect(findings).toEqual([])
})

test('ends on Ctrl-C, and leaves no endpoint behind', async () => {
  const other = await startDev({ CONSOLE: 'off', MOCK_IDP_FANS: '30' }, undefined, ['--live'])
  const opened = openDatabase(other.env.DATABASE_URL ?? '', realSources, { spine: createSpine() })
  await waitUntil('it has begun', async () => (await endpointsOf(opened)).length === 1, ...POLLING)
  other.process.kill('SIGINT')
  expect(await other.process.exited).toBe(0)
  expect(await endpointsOf(opened)).toEqual([])
  expect((await matchOf(opened))?.status).toBe('live')
  await opened.close()
  await other.stop()
})
