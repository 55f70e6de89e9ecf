/** A base backup and the archived WAL, taken under load, are restored to a point in time as docs/backups.md describes it. */
import { afterEach, describe, expect, test } from 'bun:test'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { type Database, openDatabase } from '../../db/index.ts'
import { realSources } from '../../src/core/sources.ts'
import { findLostWrites } from '../crash/acknowledged-writes.ts'
import { findFaults } from '../crash/invariants.ts'
import type { History } from '../crash/load.ts'
import { type PostgresCluster, postgresBinaries, startCluster } from '../crash/postgres-cluster.ts'
import { applyLoad, startWorld, stopWorld } from '../crash/rounds.ts'
import { seededNumbers } from '../economy/leaderboard/board-model.ts'
import { runScript } from '../scripts/run-script.ts'
import { waitUntil } from '../support/wait-until.ts'
import { query } from './two-instances.ts'

const tidy: (() => unknown)[] = []

afterEach(async () => {
  for (const end of tidy.splice(0).toReversed()) await end()
})

async function begin(options: Parameters<typeof startCluster>[1] = {}): Promise<PostgresCluster> {
  const cluster = await startCluster(postgresBinaries ?? '', options)
  tidy.push(() => cluster.remove())
  return cluster
}

async function archiveWal(cluster: PostgresCluster, archive: string) {
  await query(
    cluster,
    'ALTER SYSTEM SET archive_mode = on',
    `ALTER SYSTEM SET archive_command = 'mkdir -p ${archive} && test ! -f ${archive}/%f && cp %p ${archive}/%f'`,
  )
  await cluster.stop('fast')
  await cluster.start()
}

/** A new server with the state of that time, whose offset must be a number: PostgreSQL does not know `Z` yet at its start. */
async function restore(base: string, archive: string, time: Date): Promise<PostgresCluster> {
  const cluster = await begin({
    settings: [
      `-c archive_mode=off -c restore_command='cp ${archive}/%f %p'`,
      `-c recovery_target_time='${time.toISOString().replace('Z', '+00')}' -c recovery_target_action=promote`,
    ].join(' '),
    async create(_, data) {
      await Bun.$`cp -a ${base} ${data}`
      const signal = join(data, 'recovery.signal')
      await Bun.$`touch ${signal} && chown --reference=${data} ${signal}`
    },
  })
  await waitUntil(
    'the recovery ends',
    async () => (await query(cluster, 'SELECT pg_is_in_recovery() AS recovers'))[0]?.recovers === false,
    120_000,
  )
  return cluster
}

/** Splits the responses by whether their effect is before the time, after it, or possibly either. */
function splitAt(time: number, { responses, unacknowledged }: History, receivedAt: number[]) {
  const before: History['responses'] = []
  const after: History['responses'] = []
  const unknown = [...unacknowledged]
  /** By fan: the earliest time at which the next request was sent. Requests of a fan are sequential. */
  const sentAt = new Map<string, number>()
  for (const [n, response] of responses.entries()) {
    const { step } = response
    const received = receivedAt[n] ?? 0
    if (received < time) before.push(response)
    else if ((sentAt.get(step.subject) ?? 0) > time) after.push(response)
    else unknown.push(step)
    sentAt.set(step.subject, received)
  }
  return { before, after, unknown }
}

/** The identifiers of events and purchases that these requests created. */
const createdBy = (responses: History['responses']) =>
  responses.flatMap(({ step, status, replayed, body }) => {
    if (step.path === '/api/events' && status < 300)
      return body.results[0].outcome === 'applied' ? [String(body.results[0].id)] : []
    return step.path === '/api/packs/purchase' && status === 201 && !replayed ? [String(body.id)] : []
  })

async function existing({ read }: Database): Promise<Set<string>> {
  const { events, packPurchases } = read.tables
  const purchases = await read.select({ id: packPurchases.id }).from(packPurchases)
  const reported = await read.select({ id: events.eventId }).from(events)
  return new Set([...purchases, ...reported].map(({ id }) => id))
}

describe.skipIf(postgresBinaries === null)('A backup of PostgreSQL (its binaries are needed)', () => {
  test('restores the exact state of a point in time', async () => {
    const cluster = await begin()
    const archive = join(cluster.folder, 'archive')
    const base = join(cluster.folder, 'base')
    await archiveWal(cluster, archive)
    const world = await startWorld(cluster.url, 5_000)
    tidy.push(() => stopWorld(world))
    const { history } = world
    const receivedAt: number[] = []
    let over = false
    const load = applyLoad(world, {
      pick: seededNumbers(1),
      onResponse: () => void receivedAt.push(Date.now()),
      isOver: () => over,
    })
    const answered = (count: number) => {
      const target = history.responses.length + count
      return waitUntil(`${count} responses`, () => history.responses.length >= target, 120_000)
    }
    await answered(500)
    await cluster.run('pg_basebackup', '-D', base, '-c', 'fast', '-d', cluster.url)
    await answered(500)
    const time = new Date()
    await answered(500)
    over = true
    await load
    const [last] = await query(cluster, 'SELECT pg_walfile_name(pg_switch_wal()) AS file')
    await waitUntil('the WAL is archived', async () => {
      const [row] = await query(cluster, 'SELECT last_archived_wal AS file FROM pg_stat_archiver')
      return String(row?.file) >= String(last?.file)
    })
    await cluster.signal('SIGKILL')
    rmSync(cluster.data, { recursive: true })

    const restored = await restore(base, archive, time)
    const db = openDatabase(restored.url, realSources)
    tidy.push(() => db.close())
    const { before, after, unknown } = splitAt(time.getTime(), history, receivedAt)
    const found = await existing(db)
    const isFound = (id: string) => found.has(id)
    process.stderr.write(
      `${JSON.stringify({ before: before.length, unknown: unknown.length, after: after.length })}\n`,
    )
    expect(createdBy(before).length).toBeGreaterThan(0)
    expect(createdBy(after).length).toBeGreaterThan(0)
    expect(createdBy(after).filter(isFound)).toEqual([])
    expect(await findLostWrites(db, { ...history, responses: before, unacknowledged: unknown })).toEqual([])
    expect(await findFaults(db, world.beginnings, time)).toEqual([])
    const { code, out } = await runScript('verify-ledger', ['--database', restored.url])
    expect([code, out]).toEqual([0, expect.stringContaining('No findings')])
  })
})
