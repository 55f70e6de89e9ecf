/** Deletion of the data of events: by age, and with the fan. The rest recognises repeats and keeps the sequence. */
import { beforeAll, expect, test } from 'bun:test'
import { eq } from 'drizzle-orm'
import { sweepEventData } from '../../../src/economy/events/delete-data.ts'
import { readBalance } from '../../../src/economy/points/account.ts'
import { eraseUser } from '../../../src/fan/account/erase-user.ts'
import { exportUser } from '../../../src/operate/admin/export-user.ts'
import { DAY } from '../../play/packs/packs-world.ts'
import type { Client } from '../../support/client.ts'
import { onEachEngine } from '../../support/world.ts'
import { addRule, unique } from '../rules/rules-world.ts'
import { eventOf } from './events-world.ts'

const RETENTION = 400 * DAY

onEachEngine('The data of events', world => {
  let gate: Client
  beforeAll(async () => {
    gate = world.withToken(await world.serverKey(['events:write'], { source: 'gate' }))
  })

  const report = async (...events: object[]) => (await gate.post('/api/events', { events })).body.results
  const take = (id: string, note?: string) => gate.post('/api/events/void', { id, note })
  const rowOf = async (id: string) => {
    const { events } = world.db.tables
    const [row] = await world.db.read.select().from(events).where(eq(events.eventId, id))
    if (!row) throw new Error(`no event ${id}`)
    return row
  }
  async function scan() {
    const { eventType: type } = await addRule(world, { limit: { count: 3, per: 'ever' } })
    return eventOf(world, { type, data: { seat: 12 } })
  }

  test('is deleted after the retention period, with the notes of voids, and nothing else', async () => {
    // Events of other tests are older.
    world.clock.advance(DAY)
    const [event, voided, early] = [await scan(), await scan(), await scan()]
    await report(event, voided)
    await take(voided.id, 'Refunded.')
    await take(early.id, 'Never came.')
    world.clock.advance(RETENTION)
    const [young] = [await scan()]
    await report(young)
    await sweepEventData(world.db)
    expect(await rowOf(event.id)).toMatchObject({ data: '{"seat":12}' })
    world.clock.advance(1)
    const before = await rowOf(voided.id)
    // The three, and the void as an entry of the ledger; the two grants are folded.
    expect(await sweepEventData(world.db)).toBe(4)
    expect(await rowOf(voided.id)).toEqual({ ...before, data: null, voidNote: null })
    for (const { id } of [event, early]) expect(await rowOf(id)).toMatchObject({ data: null, voidNote: null })
    expect(await rowOf(young.id)).toMatchObject({ data: '{"seat":12}' })
    expect(await sweepEventData(world.db)).toBe(0)
  })

  test('is swept in batches, all of it', async () => {
    const fan = { provider: world.config.identity.name, subject: unique('regular') }
    const scans = Array.from({ length: 450 }, () => eventOf(world, { fan }))
    for (let at = 0; at < scans.length; at += 100) await report(...scans.slice(at, at + 100))
    world.clock.advance(RETENTION + 1)
    expect(await sweepEventData(world.db)).toBeGreaterThanOrEqual(450)
    expect(await sweepEventData(world.db)).toBe(0)
  })

  test('is not needed to recognise a repeat, to void, or to continue the sequence', async () => {
    const event = await scan()
    await report(event)
    world.clock.advance(RETENTION + 1)
    await sweepEventData(world.db)
    expect(await report(event, { ...event, data: {} })).toMatchObject([
      { outcome: 'duplicate', grants: [{ points: 10 }] },
      { outcome: 'refused', code: 'event_id_reused' },
    ])
    const next = { ...event, id: unique('next'), occurredAt: new Date(world.clock.ms).toISOString() }
    await report(next)
    expect(await rowOf(next.id)).toMatchObject({ sequence: 3 })
    expect((await take(event.id, 'Late.')).body.taken).toMatchObject([{ points: 10, uncollected: 0 }])
    expect(await rowOf(event.id)).toMatchObject({ voidNote: null })
  })

  test('is deleted when the fan is erased, with the notes of voids, also of later ones', async () => {
    const [event, later] = [await scan(), await scan()]
    const { fan } = event
    await report(event, { ...later, fan })
    await take(event.id, 'Refunded.')
    const { userId } = await rowOf(event.id)
    const erasure = await world.db.write(tx => eraseUser(tx, fan))
    expect(erasure).toMatchObject({ userId, eventData: 5 })
    expect((await take(later.id, 'About an erased fan.')).status).toBe(200)
    for (const { id } of [event, later]) expect(await rowOf(id)).toMatchObject({ data: null, voidNote: null })
    expect(await report(event)).toMatchObject([{ outcome: 'ignored', code: 'fan_erased' }])
    expect(await readBalance(world.db.read, userId ?? '')).toEqual({ balance: 0, lifetime: 0 })
    // The entry of the later void, which says what the ledger keeps.
    expect(await world.db.write(tx => eraseUser(tx, { id: userId ?? '' }))).toMatchObject({ eventData: 1 })
  })

  /** Names of the tables that have the text anywhere. */
  async function tablesWith(text: string) {
    const found: string[] = []
    for (const [name, table] of Object.entries(world.db.tables)) {
      const rows = await world.db.read.select().from(table)
      if (JSON.stringify(rows).includes(text)) found.push(name)
    }
    return found.toSorted()
  }

  test('leaves no id that another system chose when the fan is erased, except in the ledger', async () => {
    // No id is a part of another one.
    const receipt = (event: Record<string, unknown>) => ({
      ...eventOf(world, event),
      id: `${unique('ada')}-receipt`,
    })
    const earning = receipt(await scan())
    const { fan } = earning
    const [plain, swept, early] = [receipt({ fan }), receipt({ fan }), receipt({ fan })]
    const ids = [earning, plain, swept, early].map(({ id }) => id)
    await take(early.id)
    await report(swept, early)
    world.clock.advance(RETENTION + 1)
    await sweepEventData(world.db)
    const occurredAt = new Date(world.clock.ms).toISOString()
    await report({ ...earning, occurredAt }, { ...plain, occurredAt })
    for (const id of ids) expect(await tablesWith(id), id).toContain('events')
    const sequences = async () => {
      const { events } = world.db.tables
      const { userId } = await rowOf(earning.id)
      const rows = await world.db.read
        .select()
        .from(events)
        .where(eq(events.userId, userId ?? ''))
      return rows.map(({ sequence, type }) => `${sequence} ${type}`).toSorted()
    }
    const before = await sequences()
    for (let n = 0; n < 2; n++) {
      await world.db.write(tx => eraseUser(tx, fan))
      const [granted = '', ...others] = ids
      expect(await tablesWith(granted)).toEqual(['events', 'pointsEntries'])
      for (const id of others) expect(await tablesWith(id), id).toEqual([])
      expect(await sequences()).toEqual(before)
      // As before: nothing is recorded about the fan.
      expect(await report({ ...plain, occurredAt })).toMatchObject([{ code: 'fan_erased' }])
    }
    expect((await take(earning.id)).body.taken).toMatchObject([{ points: 10 }])
  })

  test('the note of a void that came before its event is deleted with the fan of the event', async () => {
    const [early, late] = [await scan(), await scan()]
    await take(early.id, 'Never entered.')
    await take(late.id, 'Never entered either.')
    expect(await report(early)).toMatchObject([{ outcome: 'ignored', code: 'voided' }])
    expect(await rowOf(early.id)).toMatchObject({ userId: null, voidNote: 'Never entered.' })
    const erasure = await world.db.write(tx => eraseUser(tx, early.fan))
    expect(erasure).toMatchObject({ eventData: 1 })

    // The event of an erased fan comes after its void and after the erasure.
    expect(await report({ ...late, fan: early.fan })).toMatchObject([{ code: 'fan_erased' }])
    expect(await rowOf(late.id)).toMatchObject({ voidNote: null, voidedFor: null })
    expect(await report(early, late)).toMatchObject([{ code: 'fan_erased' }, { code: 'voided' }])
  })

  test('is in the export of the fan, in order, with the points that were earned and taken back', async () => {
    const [event, bare] = [await scan(), await scan()]
    const { fan } = event
    await report(event, { ...bare, fan, data: undefined })
    await take(event.id, 'Refunded.')
    await report({ ...event, id: unique('again') })
    const { userId } = await rowOf(event.id)
    const exported = await exportUser(world.db.read, { id: userId ?? '' })
    if (!exported || !('events' in exported)) throw new Error('the fan has a record')
    const events = (await Array.fromAsync(exported.events)).filter(({ type }) => type !== 'points.changed')
    expect(events).toMatchObject([
      {
        id: event.id,
        source: 'gate',
        sequence: 1,
        data: { seat: 12 },
        decisions: [{ outcome: 'granted', points: 10 }],
        voidNote: 'Refunded.',
        taken: [{ points: 10, uncollected: 0 }],
      },
      { id: bare.id, sequence: 2, data: {}, voidedAt: null, taken: null },
      { sequence: 6 },
    ])
    expect(exported).toMatchObject({
      ruleUses: Array(2).fill({ ruleId: expect.any(String), uses: 1, window: 'ever' }),
    })
    for (const row of events) expect(Object.keys(row)).not.toContain('digest')
  })
})
