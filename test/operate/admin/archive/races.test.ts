/** An archive in another process, while fans are erased, earn, and lose points by voids; and one that is killed. */
import { expect, test } from 'bun:test'
import { hash } from 'node:crypto'
import { mkdtempSync, readdirSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { eq, isNotNull } from 'drizzle-orm'
import { DomainError } from '../../../../src/core/problems.ts'
import { readBalance } from '../../../../src/economy/points/account.ts'
import { joinLeaderboard } from '../../../../src/economy/points/join-leaderboard.ts'
import { appendEntry } from '../../../../src/economy/points/ledger.ts'
import { findSeam } from '../../../../src/economy/points/seams.ts'
import { eraseUser } from '../../../../src/fan/account/erase-user.ts'
import { addFan, addRule } from '../../../economy/rules/rules-world.ts'
import { createClock } from '../../../support/clock.ts'
import { type Engine, engines } from '../../../support/engines.ts'
import { commandOf, root } from '../../../support/executable.ts'
import { readLines } from '../../../support/read-lines.ts'
import { archive, DAY, findingsOf, happen, restore, rowsOf, takeBack, walk } from './archive-world.ts'

const FANS = 24
const EVENTS = 5

/** Fans with events that are old enough, and one that is not; on the board. */
async function createPast(engine: Engine) {
  const clock = createClock()
  const temporary = await engine.open(clock)
  const { db } = temporary
  const { eventType: type } = await addRule(temporary)
  const fans: { userId: string; events: string[] }[] = []
  for (let n = 0; n < FANS; n++) {
    const userId = await addFan(temporary)
    await db.write(tx => joinLeaderboard(tx, userId))
    const events: string[] = []
    for (let m = 0; m < EVENTS; m++) events.push(await happen(db, { userId, type }))
    fans.push({ userId, events })
  }
  clock.advance(70 * DAY)
  for (const { userId } of fans) await happen(db, { userId, type })
  const folder = mkdtempSync(join(tmpdir(), 'archive-'))
  const start = (at = 0) =>
    Bun.spawn(
      [
        ...commandOf('test/operate/admin/archive/archiving-process.ts'),
        temporary.url ?? '',
        folder,
        `${clock.ms}`,
        `${at}`,
      ],
      { cwd: root, stdout: 'pipe', stderr: 'inherit' },
    )
  return { db, type, fans, folder, start, remove: temporary.remove }
}

for (const engine of engines) {
  test(`Erasures, purchases, earnings and voids during an archive in another process (${engine.name})`, async () => {
    const { db, type, fans, folder, start, remove } = await createPast(engine)
    try {
      const archiving = start()
      const expected = new Map<string, number>()
      for (const [n, { userId, events }] of fans.entries()) {
        let balance = 10 * (EVENTS + 1)
        const voided = await takeBack(db, events[n % EVENTS] ?? '').catch((error: unknown) => {
          if (error instanceof DomainError && error.code === 'event_archived') return null
          throw error
        })
        if (voided) balance -= 10
        await happen(db, { userId, type })
        const spend = { userId, delta: -7, reason: 'pack_purchase' as const, ref: 'pack' }
        expect((await db.write(tx => appendEntry(tx, spend))).outcome).toBe('booked')
        expected.set(userId, balance + 10 - 7)
        if (n % 3 === 0) await db.write(tx => eraseUser(tx, { id: userId }))
      }
      expect(await archiving.exited).toBe(0)
      for (const [userId, balance] of expected)
        expect(await readBalance(db.read, userId)).toMatchObject({ balance })
      expect(await findingsOf(db)).toEqual([])
      expect(await walk(db, folder)).toMatchObject({ findings: [] })
      // What was left out, since it changed.
      await archive(db, folder)
      for (const [n, { userId }] of fans.entries()) {
        const seam = await findSeam(db.read, userId)
        if (n % 3 !== 0) expect(seam?.key).toBeString()
        else expect(seam?.key ?? null).toBeNull()
      }
      const { events, users } = db.tables
      const readable = await db.read
        .select({ id: users.id })
        .from(users)
        .innerJoin(events, eq(events.userId, users.id))
        .where(isNotNull(users.erasedAt))
      const withData = await db.read.select().from(events).where(isNotNull(events.data))
      const erased = new Set(readable.map(({ id }) => id))
      expect(withData.filter(({ userId }) => erased.has(userId ?? ''))).toEqual([])
      expect(await findingsOf(db)).toEqual([])
      expect(await walk(db, folder)).toMatchObject({ findings: [] })
    } finally {
      await remove()
    }
  })

  test(`Two processes archive into one folder at once (${engine.name})`, async () => {
    const { db, fans, folder, start, remove } = await createPast(engine)
    try {
      const before = await rowsOf(db)
      const at = Date.now() + 1_500
      const both = [start(at), start(at)]
      expect(await Promise.all(both.map(({ exited }) => exited))).toEqual([0, 0])
      const told = await Promise.all(both.map(({ stdout }) => new Response(stdout).text()))
      expect(told.join('').match(/^sealed/gm)).toHaveLength(fans.length)
      const names = readdirSync(folder).toSorted()
      expect(names).toEqual(['manifest.json', 'next-0001.ndjson.gz', 'next-0002.ndjson.gz'])
      const manifest = JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8'))
      for (const { file, sha256 } of manifest.files)
        expect(hash('sha256', readFileSync(join(folder, file)), 'hex')).toBe(sha256)
      expect(manifest.files).toHaveLength(2)
      expect(await findingsOf(db)).toEqual([])
      expect(await walk(db, folder)).toMatchObject({ findings: [], fans: fans.length })
      for (const { userId } of fans)
        expect(await restore(db, folder, userId)).toEqual({ entries: EVENTS, events: EVENTS })
      expect(await rowsOf(db)).toEqual(before)
    } finally {
      await remove()
    }
  })

  test(`A killed archive is continued by the next one (${engine.name})`, async () => {
    const { db, fans, folder, start, remove } = await createPast(engine)
    try {
      const archiving = start()
      let sealed = 0
      for await (const _ of readLines(archiving.stdout)) if (++sealed === 3) archiving.kill('SIGKILL')
      await archiving.exited
      expect(sealed).toBeGreaterThanOrEqual(3)
      expect(await findingsOf(db)).toEqual([])
      expect(await walk(db, folder)).toMatchObject({ findings: [] })
      await archive(db, folder)
      expect(await walk(db, folder)).toMatchObject({ findings: [], fans: fans.length, events: FANS * EVENTS })
      expect(await findingsOf(db)).toEqual([])
      for (const { userId } of fans)
        expect(await readBalance(db.read, userId)).toMatchObject({ balance: 10 * (EVENTS + 1) })
    } finally {
      await remove()
    }
  })
}
