/** What changes for fans, systems and operators when the past of a fan is archived. */
import { beforeAll, expect, test } from 'bun:test'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { and, eq } from 'drizzle-orm'
import { verifyQuests } from '../../../../src/audit/runs/verify-quests.ts'
import { streamJson } from '../../../../src/core/stream-json.ts'
import {
  ArchiveFault,
  filesOf,
  readArchiveFile,
  writeArchiveFile,
} from '../../../../src/economy/archive/files.ts'
import { readPast } from '../../../../src/economy/archive/past.ts'
import { archiveKeyOf } from '../../../../src/economy/events/archived.ts'
import { explainRow } from '../../../../src/economy/events/explain-event.ts'
import { appendEntry } from '../../../../src/economy/points/ledger.ts'
import { findSeam } from '../../../../src/economy/points/seams.ts'
import { eraseUser } from '../../../../src/fan/account/erase-user.ts'
import { exportUser } from '../../../../src/operate/admin/export-user.ts'
import { mergeFans } from '../../../../src/operate/admin/merge/merge-fans.ts'
import { addRule, unique } from '../../../economy/rules/rules-world.ts'
import { create as createLeague, join as joinLeague } from '../../../play/leagues/leagues-world.ts'
import { expectStatus } from '../../../play/packs/packs-world.ts'
import { addQuest, userIdOf } from '../../../play/quests/quests-world.ts'
import type { Client } from '../../../support/client.ts'
import { type Fan, onEachEngine } from '../../../support/world.ts'
import { archive, DAY, findingsOf, happen, restore, rowsOf, takeBack, walk } from './archive-world.ts'

onEachEngine(
  'The archive',
  world => {
    let shop: Client
    let folder: string
    const type = 'shop.purchase'

    beforeAll(async () => {
      shop = world.withToken(await world.serverKey(['events:write'], { source: 'shop' }))
      await addRule(world, { eventType: type })
      folder = mkdtempSync(join(tmpdir(), 'archive-'))
    })

    interface Reported {
      id: string
      occurredAt: string
      subject: string
    }
    async function report({ id, occurredAt, subject }: Reported) {
      const fan = { provider: world.config.identity.name, subject }
      const { body } = await shop.post('/api/events', { events: [{ id, type, fan, occurredAt, data: {} }] })
      return body.results[0]
    }

    /** A fan with an archived event, a newer one, and a former event `first`. */
    async function withPast() {
      const fan: Fan = await world.fan()
      const userId = await userIdOf(world, fan)
      const first = { id: unique('first'), occurredAt: world.clock.now().toISOString(), subject: fan.subject }
      expect(await report(first)).toMatchObject({ outcome: 'applied' })
      world.clock.advance(70 * DAY)
      await happen(world.db, { userId, type })
      const before = await rowsOf(world.db, userId)
      expect(await archive(world.db, folder)).toBeGreaterThan(0)
      const client = world.withToken(await world.idp.issueToken(fan.subject))
      return { client, userId, first, before }
    }

    test('keeps only a seam, and the list of points says so', async () => {
      const { client, userId } = await withPast()
      const { entries, events } = await rowsOf(world.db, userId)
      expect([entries.map(({ seq }) => seq), events.map(({ eventId }) => eventId).length]).toEqual([[2], 1])
      const { body } = await client.get('/api/user/points')
      expect(body).toMatchObject({ balance: 20, lifetime: 20, entries: [{ seq: 2, balanceAfter: 20 }] })
      expect(body.archivedUntil).toBe(new Date(world.clock.ms - 62 * DAY).toISOString())
      expect(await findingsOf(world.db)).toEqual([])
    })

    test('a league that is older counts archived points for members who join later', async () => {
      const member = await world.fan()
      const userId = await userIdOf(world, member)
      await member.put('/api/user/leaderboard-membership')
      await happen(world.db, { userId, type })
      world.clock.advance(DAY)
      const league = await createLeague(await world.fan(), { from: 'start' })
      world.clock.advance(DAY)
      const taken = await happen(world.db, { userId, type })
      await happen(world.db, { userId, type })
      await takeBack(world.db, taken)
      world.clock.advance(70 * DAY)
      await happen(world.db, { userId, type })
      expect(await archive(world.db, folder)).toBeGreaterThan(0)
      const client = world.withToken(await world.idp.issueToken(member.subject))
      const { me } = expectStatus(200, await joinLeague(client, league.code))
      expect(me.points).toBe(20)
      expect(await findingsOf(world.db)).toEqual([])
    })

    test('counts no archived event again, whatever time it states', async () => {
      const { first } = await withPast()
      expect(await report(first)).toMatchObject({ outcome: 'refused', code: 'too_old' })
      const again = { ...first, occurredAt: world.clock.now().toISOString() }
      expect(await report(again)).toMatchObject({ outcome: 'refused', code: 'event_archived' })
      expect(await findingsOf(world.db)).toEqual([])
    })

    test('never states an earlier time up to which a past is archived', async () => {
      const { userId } = await withPast()
      await happen(world.db, { userId, type })
      world.clock.advance(70 * DAY)
      const second = new Date(world.clock.ms - 63 * DAY)
      expect(await archive(world.db, folder, { until: second })).toBeGreaterThan(0)
      expect((await findSeam(world.db.read, userId))?.until).toEqual(second)
      // The event that was the newest one is archived now, by a run for an earlier season.
      await happen(world.db, { userId, type })
      const earlier = new Date(second.getTime() - DAY)
      expect(await archive(world.db, folder, { until: earlier })).toBe(1)
      const seam = await findSeam(world.db.read, userId)
      expect(seam?.until).toEqual(second)
      expect(JSON.parse(seam?.files ?? '')).toHaveLength(3)
      expect(await walk(world.db, folder)).toMatchObject({ findings: [] })
    })

    test('refuses to void an archived event until the fan is restored', async () => {
      const { userId, first, before } = await withPast()
      expect(await shop.post('/api/events/void', { id: first.id })).toMatchObject({
        status: 409,
        body: { code: 'event_archived' },
      })
      expect(await restore(world.db, folder, userId)).toEqual({ entries: 1, events: 1 })
      expect(await rowsOf(world.db, userId)).toEqual(before)
      expect(await findSeam(world.db.read, userId)).toBeUndefined()
      expect(await shop.post('/api/events/void', { id: first.id })).toMatchObject({ status: 200 })
      expect(await findingsOf(world.db)).toEqual([])
      expect(await restore(world.db, folder, userId)).toEqual({ entries: 0, events: 0 })
    })

    test('refuses a merge of the fan in either direction', async () => {
      const { userId } = await withPast()
      const other = await userIdOf(world, await world.fan())
      for (const [from, into] of [
        [userId, other],
        [other, userId],
      ] as const) {
        const merging = world.db.write(tx => mergeFans(tx, { from, into, mergedBy: 'Ana', reason: null }))
        await expect(merging).rejects.toMatchObject({
          code: 'fans_not_mergeable',
          members: { blockedBy: ['archived'] },
        })
      }
    })

    test('lets nobody delete an entry behind a seam', async () => {
      const { userId } = await withPast()
      const { pointsEntries, archiveSeams } = world.db.tables
      const deleting = () =>
        world.db.write(tx => tx.delete(pointsEntries).where(and(eq(pointsEntries.userId, userId))))
      await expect(deleting()).rejects.toThrow()
      // Behind an open seam, but with a reason that the archive never takes.
      const granted = await userIdOf(world, await world.fan())
      const grant = {
        id: unique('entry'),
        userId: granted,
        seq: 1,
        delta: 5,
        balanceAfter: 5,
        ref: 'r',
        hash: 'h',
      }
      const work = world.db.write(async tx => {
        await tx.insert(pointsEntries).values({ ...grant, reason: 'adjustment', createdAt: tx.now() })
        const [seam] = await tx.select().from(archiveSeams).where(eq(archiveSeams.userId, userId))
        if (!seam) throw new Error('there is no seam')
        await tx.insert(archiveSeams).values({ ...seam, userId: granted, sealed: false })
        await tx.delete(pointsEntries).where(eq(pointsEntries.userId, granted))
      })
      await expect(work).rejects.toThrow()
      expect(await findingsOf(world.db)).toEqual([])
    })

    test('exports and explains what is in the files', async () => {
      const { userId, first } = await withPast()
      const document = await exportUser(world.db.read, { id: userId }, undefined, folder)
      const text = (await Array.fromAsync(streamJson(document ?? {}))).join('')
      expect(JSON.parse(text)).toMatchObject({
        points: { balance: 20, archived: { until: expect.any(String) } },
        archived: { entries: [{ seq: 1, delta: 10 }], events: [{ eventId: first.id }] },
      })
      const [event] = (await readPast(world.db.read, folder, userId)).events
      expect(event && (await explainRow(world.db.read, event))).toMatchObject({
        eventId: first.id,
        rules: [{ outcome: 'granted', points: 10 }],
      })
    })

    test('is stated in the export of a fan: the entries that are left and the archived points are the balance', async () => {
      const { userId } = await withPast()
      // The archive never takes it, although it comes before the seam of the next run.
      await world.db.write(tx =>
        appendEntry(tx, { userId, delta: 7, reason: 'adjustment', ref: unique('kept') }),
      )
      world.clock.advance(70 * DAY)
      await happen(world.db, { userId, type })
      await archive(world.db, folder)
      const document = await exportUser(world.db.read, { id: userId })
      const { points } = JSON.parse((await Array.fromAsync(streamJson(document ?? {}))).join(''))
      const left = points.entries.map(({ delta }: { delta: number }) => delta)
      expect(left).toEqual([7, 10])
      const until = (await findSeam(world.db.read, userId))?.until.toISOString()
      expect(points).toMatchObject({ balance: 37, archived: { points: 20, until } })
    })

    test('leaves events that count for a quest which is open', async () => {
      const quest = await addQuest(world, { steps: [{ target: 2 }] })
      const userId = await userIdOf(world, await world.fan())
      await happen(world.db, { userId, type: quest.type })
      await happen(world.db, { userId, type: 'test.unheard' })
      world.clock.advance(70 * DAY)
      await happen(world.db, { userId, type: 'test.unheard' })
      await archive(world.db, folder)
      const kept = (await rowsOf(world.db, userId)).events.filter(({ source }) => source === 'shop')
      expect(kept.map(({ type }) => type)).toEqual([quest.type, 'test.unheard'])
      await happen(world.db, { userId, type: quest.type })
      const completed = (await rowsOf(world.db, userId)).events.filter(
        ({ type }) => type === 'quest.completed',
      )
      expect(completed).toHaveLength(1)
      const onFinding = ({ what }: { what: string }) => expect(what).toBeNull()
      expect(await verifyQuests(world.db, { onFinding })).toMatchObject({ findings: 0 })
      expect(await findingsOf(world.db)).toEqual([])
    })

    test('lets nobody read the lines of an erased fan', async () => {
      const { userId } = await withPast()
      const { erased } = await walk(world.db, folder)
      await world.db.write(tx => eraseUser(tx, { id: userId }))
      const seam = await findSeam(world.db.read, userId)
      expect(seam).toMatchObject({ key: null })
      await expect(restore(world.db, folder, userId)).rejects.toThrow(ArchiveFault)
      expect(await walk(world.db, folder)).toMatchObject({ erased: erased + 1, findings: [] })
      expect(await findingsOf(world.db)).toEqual([])
    })

    test('finds a changed byte of a file, and a missing file', async () => {
      const { userId } = await withPast()
      expect(await walk(world.db, folder)).toMatchObject({ findings: [] })
      const file =
        readdirSync(folder)
          .filter(name => name.endsWith('.gz'))
          .toSorted()
          .at(-1) ?? ''
      const path = join(folder, file)
      const bytes = readFileSync(path)
      for (const at of [20, Math.floor(bytes.byteLength / 2), bytes.byteLength - 1]) {
        const changed = Buffer.from(bytes)
        changed[at] = (changed[at] ?? 0) ^ 1
        writeFileSync(path, changed)
        expect((await walk(world.db, folder)).findings).toMatchObject([
          { what: `archive ${file.split('.')[0]}` },
        ])
        await expect(restore(world.db, folder, userId)).rejects.toThrow('was changed')
      }
      rmSync(path)
      expect((await walk(world.db, folder)).findings).toHaveLength(1)
      writeFileSync(path, bytes)
      expect(await walk(world.db, folder)).toMatchObject({ findings: [] })
    })

    test('finds that an event before the seam, which is not archived, has gone', async () => {
      const { userId } = await withPast()
      const { events, archiveSeams } = world.db.tables
      const [row] = (await rowsOf(world.db, userId)).events
      if (!row) throw new Error('there is no event')
      const seam = await findSeam(world.db.read, userId)
      await world.db.write(tx =>
        tx.insert(events).values({ ...row, eventId: unique('kept'), sequence: 1, entryCount: null }),
      )
      const findings = (await findingsOf(world.db)).map(({ what }) => what)
      expect(findings).toContain('archive_seams.kept_events')
      expect((await walk(world.db, folder)).findings).toMatchObject([
        { what: 'events.sequence of archived and kept events', expected: seam?.sequence },
      ])
      await world.db.write(tx =>
        tx.delete(events).where(and(eq(events.userId, userId), eq(events.sequence, 1))),
      )
      expect(await findingsOf(world.db)).toEqual([])
      expect(await world.db.read.select().from(archiveSeams)).not.toEqual([])
    })

    test('finds ids of archived events that are missing, too many, or of another fan', async () => {
      const { userId, first } = await withPast()
      const { archivedEvents } = world.db.tables
      const key = archiveKeyOf({ source: 'shop', eventId: first.id })
      const isFirst = eq(archivedEvents.key, key)
      const set = (values: { userId: string } | null) =>
        world.db.write(tx =>
          values
            ? tx.insert(archivedEvents).values({ key, ...values })
            : tx.delete(archivedEvents).where(isFirst),
        )
      const what = async () => (await walk(world.db, folder)).findings.map(finding => finding.what)
      await set(null)
      expect(await what()).toEqual([
        expect.stringContaining(`archived_events of ${first.id}`),
        'archived_events',
      ])
      const other = await userIdOf(world, await world.fan())
      await set({ userId: other })
      expect(await what()).toHaveLength(3)
      await set(null)
      await set({ userId })
      expect(await what()).toEqual([])
      await world.db.write(tx => tx.insert(archivedEvents).values({ key: 'one more', userId }))
      expect((await walk(world.db, folder)).findings).toMatchObject([
        { userId, what: 'archived_events', expected: 1, actual: 2 },
      ])
      await world.db.write(tx => tx.delete(archivedEvents).where(eq(archivedEvents.key, 'one more')))
    })

    test('finds seams whose files have no lines of the fan, and keys that are missing or too many', async () => {
      const { userId } = await withPast()
      const seam = await findSeam(world.db.read, userId)
      if (!seam) throw new Error('there is no seam')
      const { archiveSeams } = world.db.tables
      const set = (values: Partial<typeof seam>) =>
        world.db.write(tx => tx.update(archiveSeams).set(values).where(eq(archiveSeams.userId, userId)))
      const what = async () => (await walk(world.db, folder)).findings.map(finding => finding.what)
      const others = (await world.db.read.select().from(world.db.tables.archiveFiles)).map(({ id }) => id)
      const [own = ''] = filesOf(seam)
      const other = others.find(id => id !== own)
      for (const file of ['unknown', ...(other ? [other] : [])]) {
        await set({ files: JSON.stringify([file]) })
        expect(await what()).toContain(`archive ${file}: lines of the fan`)
      }
      await set({ files: seam.files, key: null })
      expect(await what()).toContain('archive_seams.key')
      await set({ key: seam.key })
      expect(await what()).toEqual([])
      await world.db.write(tx => eraseUser(tx, { id: userId }))
      expect(await what()).toEqual([])
      await set({ key: seam.key })
      expect(await what()).toContain('archive_seams.key')
      await set({ key: null })
      expect(await what()).toEqual([])
    })

    test('takes the next name for a file whose name another run has taken', async () => {
      const own = mkdtempSync(join(tmpdir(), 'archive-'))
      const taken = join(own, 'next-0001.ndjson.gz')
      const names: string[] = []
      const written = writeArchiveFile(
        { sources: world.db.read, folder: own, seasonId: 'next', known: new Set() },
        id => {
          names.push(id)
          if (names.length === 1) writeFileSync(taken, 'of another run')
          return [{ userId: 'ada', data: id }]
        },
      )
      expect(names).toEqual(['next-0001', 'next-0002'])
      expect(readFileSync(taken, 'utf8')).toBe('of another run')
      expect(readdirSync(own).toSorted()).toEqual(['next-0001.ndjson.gz', 'next-0002.ndjson.gz'])
      const row = { seasonId: 'next', until: new Date(0), writtenAt: new Date(0) }
      expect(readArchiveFile(own, { ...written, ...row })).toEqual([{ userId: 'ada', data: 'next-0002' }])
    })

    test('deletes the ids of the archived events of a fan who is erased', async () => {
      const { userId, first } = await withPast()
      const { archivedEvents } = world.db.tables
      const ids = () => world.db.read.select().from(archivedEvents).where(eq(archivedEvents.userId, userId))
      expect(await ids()).toHaveLength(1)
      await world.db.write(tx => eraseUser(tx, { id: userId }))
      expect(await ids()).toEqual([])
      const again = { ...first, occurredAt: world.clock.now().toISOString() }
      expect(await report(again)).toMatchObject({ outcome: 'ignored', code: 'fan_erased' })
      expect(await walk(world.db, folder)).toMatchObject({ findings: [] })
      await world.db.write(tx => tx.insert(archivedEvents).values({ key: 'left', userId }))
      expect((await walk(world.db, folder)).findings).toMatchObject([
        { userId, what: 'archived_events', expected: 0, actual: 1 },
      ])
      await world.db.write(tx => tx.delete(archivedEvents).where(eq(archivedEvents.key, 'left')))
    })

    test('exports nothing of a fan whose past changes meanwhile', async () => {
      const { userId } = await withPast()
      const document = await exportUser(world.db.read, { id: userId }, undefined, folder)
      await restore(world.db, folder, userId)
      await expect(Array.fromAsync(streamJson(document ?? {}))).rejects.toThrow(ArchiveFault)
    })

    test('finds a seam that does not follow from the files', async () => {
      const { userId } = await withPast()
      const { archiveSeams } = world.db.tables
      const seam = await findSeam(world.db.read, userId)
      const wrong = { lifetime: 0, balance: 11, seq: 0, sequence: 0, hash: '0', digest: '0', state: '{}' }
      for (const [column, value] of Object.entries(wrong)) {
        await world.db.write(tx =>
          tx
            .update(archiveSeams)
            .set({ [column]: value })
            .where(eq(archiveSeams.userId, userId)),
        )
        const { findings } = await walk(world.db, folder)
        expect(
          findings.map(({ what }) => what.split('.').at(-1)),
          column,
        ).toContain(column)
        await world.db.write(tx =>
          tx
            .update(archiveSeams)
            .set(seam ?? {})
            .where(eq(archiveSeams.userId, userId)),
        )
      }
      expect(await walk(world.db, folder)).toMatchObject({ findings: [] })
    })
  },
  { worldPer: 'suite' },
)
