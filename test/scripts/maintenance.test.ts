/** Backups and verifications record when they last ended well, for the metrics. */
import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { GENESIS_HASH } from '../../src/economy/ledgers/chain.ts'
import { onceADay, readRuns } from '../../src/platform/jobs/maintenance.ts'
import { withRawConnection } from '../db/probe.ts'
import { createClock, type TestClock } from '../support/clock.ts'
import { engines, type TemporaryDatabase } from '../support/engines.ts'
import { root } from '../support/executable.ts'
import { runScript } from './run-script.ts'

describe.each(engines)('Maintenance ($name)', engine => {
  let opened: TemporaryDatabase
  let clock: TestClock
  beforeEach(async () => {
    clock = createClock()
    opened = await engine.open(clock)
  })
  afterEach(() => opened.remove())
  const run = (name: string, ...parameters: string[]) =>
    runScript(name, parameters, { env: { DATABASE_URL: opened.url ?? '' } })
  const recorded = async () => [...(await readRuns(opened.db.read)).keys()].toSorted()

  test('a verification is recorded when it finds nothing', async () => {
    const at = new Date(0)
    expect((await run('verify-ledger')).code).toBe(0)
    expect((await run('verify-quests')).code).toBe(0)
    expect(await recorded()).toEqual(['verify-ledger', 'verify-quests'])
    await opened.db.write(async tx => {
      const { users, pointsAccounts, maintenanceRuns } = tx.tables
      await tx
        .insert(users)
        .values({ id: 'ada', provider: 'test', subject: 'ada', createdAt: at, updatedAt: at })
      const account = {
        userId: 'ada',
        balance: 7,
        lifetime: 7,
        seq: 0,
        headHash: GENESIS_HASH,
        updatedAt: at,
      }
      await tx.insert(pointsAccounts).values(account)
      await tx.delete(maintenanceRuns)
    })
    expect((await run('verify-ledger')).code).toBe(1)
    expect(await recorded()).toEqual([])
  })

  test('a verification in parts is recorded when all parts are verified', async () => {
    expect(await run('verify-ledger', '--part', '2/2', '--json')).toMatchObject({
      code: 0,
      out: expect.stringContaining('"coverage":"part"'),
    })
    expect(await recorded()).toEqual([])
    // Another number of parts begins again.
    expect((await run('verify-ledger', '--part', '2/3')).out).toEndWith(
      'Of 3 parts, these are not verified yet: 1, 3.\n',
    )
    expect((await run('verify-ledger', '--part', '2/2')).out).toEndWith(
      'Of 2 parts, these are not verified yet: 1.\n',
    )
    expect((await run('verify-ledger', '--part', '1/2')).out).toEndWith(
      'With it, all 2 parts are verified.\n',
    )
    expect(await recorded()).toEqual(['verify-ledger'])
    const { code, out } = await run('verify-ledger', '--since-last')
    expect(code).toBe(0)
    expect(out).toContain('Only a full run verifies the others.')
    expect(out).not.toContain('Digest')
    const quests = await run('verify-quests', '--since-last')
    expect(quests).toMatchObject({ code: 0, err: expect.stringContaining('this run verifies everything') })
    expect(await recorded()).toEqual(['verify-ledger', 'verify-quests'])
  })

  test.each(['--part 0/2', '--part 3/2', '--part 3', '--part 1/2 --since-last'])(
    'a verification refuses %s',
    async parameters => {
      expect((await run('verify-ledger', ...parameters.split(' '))).code).toBe(2)
      expect(await recorded()).toEqual([])
    },
  )

  test('a daily task is run again after a day, or if it was stopped', async () => {
    let runs = 0
    const start = (hours: number, finishes = true) => {
      clock.advance(hours * 3_600_000)
      return onceADay(opened.db, 'sweep-counts', async () => {
        runs++
        return finishes
      })
    }
    await start(0, false)
    await start(1)
    await start(23)
    expect(runs).toBe(2)
    await start(1)
    expect(runs).toBe(3)
  })

  test.skipIf(engine.name !== 'SQLite')('a backup is recorded once it is written (SQLite only)', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'matchday-backup-'))
    try {
      expect((await run('backup', join(folder, 'a.db'), '--dry-run')).code).toBe(0)
      expect(await recorded()).toEqual([])
      expect((await run('backup', join(folder, 'a.db'))).code).toBe(0)
      expect(await recorded()).toEqual(['backup'])
    } finally {
      rmSync(folder, { recursive: true })
    }
  })

  test.skipIf(engine.name === 'SQLite')(
    'the statement of docs/backups.md records a dump (PostgreSQL only)',
    async () => {
      const [, statement = ''] =
        /```sql\n(INSERT INTO maintenance_runs[^`]+)```/.exec(
          await Bun.file(join(root, 'docs/backups.md')).text(),
        ) ?? []
      await withRawConnection(opened, async execute => {
        await execute(statement)
        await execute(statement)
      })
      expect(await recorded()).toEqual(['backup'])
    },
  )
})
