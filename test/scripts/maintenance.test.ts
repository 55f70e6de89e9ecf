/** Backups and verifications record when they last ended well, for the metrics. */
import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { GENESIS_HASH } from '../../src/economy/points/hash.ts'
import { readRuns } from '../../src/operate/admin/maintenance.ts'
import { withRawConnection } from '../db/probe.ts'
import { createClock } from '../support/clock.ts'
import { engines, type TemporaryDatabase } from '../support/engines.ts'
import { root } from '../support/executable.ts'
import { runScript } from './run-script.ts'

describe.each(engines)('Maintenance ($name)', engine => {
  let opened: TemporaryDatabase
  beforeEach(async () => {
    opened = await engine.open(createClock())
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
