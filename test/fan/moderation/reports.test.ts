/** Reports of fans: filed once while open, with what the subject showed, and resolved by the decision of the case. */

import { describe, expect, test } from 'bun:test'
import { eq } from 'drizzle-orm'
import { decide, listCases, listOpenReports } from '../../../src/fan/moderation/cases.ts'
import { block, type NamedFan, namedFan } from '../../identity/relations/relations-world.ts'
import { expectStatus, refusal } from '../../play/packs/packs-world.ts'
import { completedTrade, drawnItem, offer } from '../../play/trades/trades-world.ts'
import type { Client } from '../../support/client.ts'
import { countStatements } from '../../support/queries.ts'
import { overrideSettings } from '../../support/settings.ts'
import { onEachEngine } from '../../support/world.ts'

interface Filed {
  subject: { kind: string }
  status: string
}

onEachEngine('A report', world => {
  const report = (fan: Client, handle: string, more: object = {}) =>
    fan.post('/api/reports', { subject: { kind: 'fan', id: handle }, reason: 'harassment', ...more })
  const reportsOf = async (fan: Client) => (await fan.get('/api/user/reports')).body.reports
  const by = { decidedBy: 'Ana', reason: 'harassment' } as const
  const dismiss = (about: string) => world.db.write(tx => decide(tx, about, { ...by, kind: 'dismiss' }))
  const hide = (about: string) => world.db.write(tx => decide(tx, about, { ...by, kind: 'hide' }))
  const caseOf = async ({ id }: NamedFan) =>
    (await listCases(world.db.read, { limit: 1_000 })).find(({ fanId }) => fanId === id)
  const codeOf = (work: Promise<unknown>) => work.then(() => null).catch(error => error.code)

  test('a reporter learns the outcome, and never who decided', async () => {
    const [fan, other, third] = [await namedFan(world), await namedFan(world), await namedFan(world)]
    const filed = await report(fan, other.handle, { note: 'Insults.' })
    expect(filed).toMatchObject({
      status: 201,
      body: {
        ...{ subject: { kind: 'fan', id: other.handle }, reason: 'harassment', note: 'Insults.' },
        ...{ status: 'open', actionTaken: false, resolvedAt: null },
      },
    })
    await report(fan, third.handle)
    await hide(other.id)
    await dismiss(third.id)
    const [dismissed, upheld] = await reportsOf(fan)
    const resolvedAt = world.clock.now().toISOString()
    expect(upheld).toEqual({ ...filed.body, status: 'resolved', actionTaken: true, resolvedAt })
    expect(dismissed).toMatchObject({ status: 'resolved', actionTaken: false, resolvedAt })
    expect(JSON.stringify(await reportsOf(fan))).not.toContain('Ana')
    // The subject reads nothing of the report.
    expect(await reportsOf(other)).toEqual([])
    expect(JSON.stringify((await other.get('/api/user/sanctions')).body)).not.toContain(fan.id)
  })

  test('identical reports do not grow the queue: an open one is returned, and a decided one can be filed again', async () => {
    const [fan, other] = [await namedFan(world), await namedFan(world)]
    const first = await report(fan, other.handle)
    for (const again of [
      await report(fan, other.handle),
      await report(fan, other.handle, { reason: 'spam' }),
    ])
      expect([again.status, again.body]).toEqual([200, first.body])
    const atOnce = await Promise.all([1, 2, 3, 4].map(() => report(fan, other.handle)))
    expect(atOnce.map(({ status }) => status)).toEqual([200, 200, 200, 200])
    expect(await caseOf(other)).toMatchObject({ caseId: first.body.id, reports: 1, reporters: 1 })
    await dismiss(first.body.id)
    expect(await caseOf(other)).toBeUndefined()
    expect((await report(fan, other.handle)).status).toBe(201)
  })

  test('that is sent several times at once is filed once', async () => {
    const [fan, other] = [await namedFan(world), await namedFan(world)]
    const answers = await Promise.all([1, 2, 3, 4].map(() => report(fan, other.handle)))
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 200, 200, 201])
    expect(new Set(answers.map(({ body }) => body.id)).size).toBe(1)
  })

  test('keeps what the subject showed, whatever the subject changes later', async () => {
    const [fan, other] = [await namedFan(world), await namedFan(world)]
    await other.patch('/api/user/profile', { bio: 'An insult.' })
    await report(fan, other.handle)
    await other.patch('/api/user/profile', {
      bio: 'Nothing.',
      displayName: 'Other',
      handle: `${other.handle.slice(0, 18)}_z`,
    })
    const [stored] = await listOpenReports(world.db.read, other.id)
    expect(JSON.parse(stored?.evidence ?? '')).toEqual({
      ...{ handle: other.handle, displayName: `Name of ${other.handle}`, bio: 'An insult.' },
      avatarUrl: `https://pictures.example/${other.handle}`,
    })
    expect((await reportsOf(fan))[0].subject.id).toBe(other.handle)
  })

  test('can be about a fan that the reporter has blocked, but not about one who has blocked the reporter', async () => {
    const [fan, other] = [await namedFan(world), await namedFan(world)]
    await block(fan, other.handle)
    expect((await report(fan, other.handle)).status).toBe(201)
    const [hidden, unknown] = [await report(other, fan.handle), await report(other, 'nobody_at_all')]
    expect([hidden.status, hidden.body.code]).toEqual([404, 'fan_not_found'])
    const { requestId: _, ...body } = hidden.body
    expect(unknown.body).toMatchObject(body)
  })

  test.each([
    ['about nobody', 'nobody_at_all', {}, [404, 'fan_not_found']],
    ['with an unknown reason', 'nobody_at_all', { reason: 'boring' }, [422, 'validation_failed']],
    ['about a trade that nobody has', '', { subject: { kind: 'trade', id: 'x' } }, [404, 'trade_not_found']],
    ['of an unknown kind', '', { subject: { kind: 'stadium', id: 'x' } }, [422, 'validation_failed']],
    ['with a long note', 'nobody_at_all', { note: 'x'.repeat(501) }, [422, 'validation_failed']],
  ])('%s is refused', async (_, handle, more, refusal) => {
    const { status, body } = await report(await namedFan(world), handle, more)
    expect([status, body.code]).toEqual(refusal as [number, string])
  })

  test('about oneself, about a hidden fan, and without a token is refused', async () => {
    const [fan, other] = [await namedFan(world), await namedFan(world)]
    const own = await report(fan, fan.handle)
    expect([own.status, own.body.code]).toEqual([409, 'cannot_report_yourself'])
    await hide(other.id)
    expect((await report(fan, other.handle)).body.code).toBe('fan_not_found')
    for (const answer of [
      await report(world.anonymous, fan.handle),
      await world.anonymous.get('/api/user/reports'),
    ])
      expect([answer.status, answer.body.code]).toEqual([401, 'unauthenticated'])
  })

  describe('about a locker', () => {
    const locker = { title: 'An insult', theme: 'night', shelves: [{ title: 'Another', items: [] }] }
    const reportLocker = (fan: Client, handle: string) =>
      report(fan, handle, { subject: { kind: 'locker', id: handle } })

    async function fanWithLocker() {
      const fan = await namedFan(world)
      const item = await drawnItem(world, fan)
      const shelves = [{ title: 'Another', items: [item] }]
      expectStatus(200, await fan.put('/api/user/locker', { ...locker, shelves }))
      return { fan, item }
    }

    test('keeps titles and items of that time, and is another case than the one about the fan', async () => {
      const [reporter, { fan, item }] = [await namedFan(world), await fanWithLocker()]
      const filed = expectStatus(201, await reportLocker(reporter, fan.handle))
      expect(filed.subject).toEqual({ kind: 'locker', id: fan.handle })
      expectStatus(200, await reportLocker(reporter, fan.handle))
      expectStatus(201, await report(reporter, fan.handle))
      expectStatus(200, await fan.put('/api/user/locker', { title: '', theme: 'night', shelves: [] }))
      const stored = (await listOpenReports(world.db.read, fan.id)).find(({ id }) => id === filed.id)
      expect(JSON.parse(stored?.evidence ?? '')).toMatchObject({
        handle: fan.handle,
        locker: { ...locker, shelves: [{ title: 'Another', items: [item] }] },
      })
      await dismiss(filed.id)
      const statuses = (await reportsOf(reporter)).map(({ subject, status }: Filed) => [subject.kind, status])
      expect(statuses.toSorted()).toEqual([
        ['fan', 'open'],
        ['locker', 'resolved'],
      ])
    })

    test('that the reporter may not see is refused in the same way as a missing one', async () => {
      const [reporter, { fan }, none] = [await namedFan(world), await fanWithLocker(), await namedFan(world)]
      expectStatus(200, await fan.patch('/api/user/privacy', { locker: 'private' }))
      for (const { handle } of [fan, none])
        expect(refusal(await reportLocker(reporter, handle))).toEqual([404, 'locker_not_found'])
      expect(refusal(await reportLocker(fan, fan.handle))).toEqual([409, 'cannot_report_yourself'])
    })

    test('can be about a fan that the reporter has blocked, but not about one who has blocked the reporter', async () => {
      const [{ fan }, { fan: other }] = [await fanWithLocker(), await fanWithLocker()]
      await block(fan, other.handle)
      expectStatus(201, await reportLocker(fan, other.handle))
      expect(refusal(await reportLocker(other, fan.handle))).toEqual([404, 'fan_not_found'])
    })
  })

  describe('about a trade', () => {
    const reportTrade = (fan: Client, id: string) => report(fan, '', { subject: { kind: 'trade', id } })

    test('is about the other fan, keeps what the trade said, and names the reporter to nobody', async () => {
      const [from, to] = [await namedFan(world), await namedFan(world)]
      const item = await drawnItem(world, from)
      const trade = expectStatus(201, await offer(from, to.handle, [item]))
      const [byTo, byFrom] = [await reportTrade(to, trade.id), await reportTrade(from, trade.id)]
      expectStatus(200, await reportTrade(to, trade.id))
      expect(expectStatus(201, byTo).subject).toEqual({ kind: 'trade', id: trade.id })
      expectStatus(201, byFrom)
      expectStatus(200, await from.post(`/api/trades/${trade.id}/cancel`, {}))
      const [stored] = await listOpenReports(world.db.read, from.id)
      const evidence = JSON.parse(stored?.evidence ?? '')
      expect(evidence).toMatchObject({
        handle: from.handle,
        trade: { id: trade.id, give: [item], want: [], status: 'open', madeBy: 'fan' },
      })
      expect(evidence.trade.give).toEqual([item])
      expect(stored?.evidence).not.toContain(to.handle)
      const [other] = await listOpenReports(world.db.read, to.id)
      expect(JSON.parse(other?.evidence ?? '').trade.madeBy).toBe('reporter')
    })

    test('is refused to others in the same way as a missing trade, and to a fan that the other one has blocked', async () => {
      const [from, to, stranger] = [await namedFan(world), await namedFan(world), await namedFan(world)]
      const id = await completedTrade(world, from, to)
      const bodyOf = async (fan: Client, tradeId: string) => {
        const { status, body } = await reportTrade(fan, tradeId)
        return { status, ...body, requestId: null }
      }
      const none = await bodyOf(stranger, 'nobody-has-it')
      expect(none).toMatchObject({ status: 404, code: 'trade_not_found' })
      expect(await bodyOf(stranger, id)).toEqual(none)
      await block(from, to.handle)
      expect(await bodyOf(to, id)).toEqual(none)
      expectStatus(201, await reportTrade(from, id))
      await hide(to.id)
      expect(await bodyOf(from, id)).toEqual(none)
    })

    test('takes the same statements for a missing trade and for one of a fan who has blocked the reporter', async () => {
      const [from, to] = [await namedFan(world), await namedFan(world)]
      const id = await completedTrade(world, from, to)
      await block(from, to.handle)
      const ask = async (tradeId: string) => {
        await reportTrade(to, tradeId)
        return countStatements(world.db, () => reportTrade(to, tradeId))
      }
      const hidden = await ask(id)
      expect(hidden).toBeGreaterThan(1)
      expect(await ask('nobody-has-it')).toBe(hidden)
    })
  })

  test('is listed in pages, newest first', async () => {
    const fan = await namedFan(world)
    const ids: string[] = []
    for (let at = 0; at < 3; at++) {
      world.clock.advance(1)
      ids.unshift((await report(fan, (await namedFan(world)).handle)).body.id)
    }
    const first = (await fan.get('/api/user/reports?limit=2')).body
    const second = (await fan.get(`/api/user/reports?limit=2&cursor=${first.nextCursor}`)).body
    expect([...first.reports, ...second.reports].map(({ id }) => id)).toEqual(ids)
    expect(second.nextCursor).toBeNull()
    expect((await fan.get('/api/user/reports?cursor=x')).body.code).toBe('invalid_cursor')
    expect((await (await world.fan()).get('/api/user/reports')).body).toEqual({
      reports: [],
      nextCursor: null,
    })
  })

  describe('forms a case', () => {
    test('of the queue, which is in the order of weight: reporters, and the share of theirs that were upheld', async () => {
      const [trusted, wrong] = [await namedFan(world), await namedFan(world)]
      const [fresh, otherFresh] = [await namedFan(world), await namedFan(world)]
      for (let round = 0; round < 2; round++) {
        const one = await namedFan(world)
        await report(trusted, one.handle)
        await hide(one.id)
        const another = await namedFan(world)
        await report(wrong, another.handle)
        await dismiss(another.id)
      }
      const subjects: NamedFan[] = []
      const reporters = [[wrong], [fresh], [otherFresh], [trusted], [fresh, otherFresh]]
      for (const of of reporters) {
        world.clock.advance(1)
        const subject = await namedFan(world)
        subjects.push(subject)
        for (const one of of) await report(one, subject.handle)
      }
      const order = subjects.map(({ id }) => id)
      const queue = await listCases(world.db.read, { limit: 1_000 })
      const known = queue.filter(({ fanId }) => order.includes(fanId))
      expect(known.map(({ fanId }) => order.indexOf(fanId))).toEqual([4, 3, 1, 2, 0])
      expect(known.map(({ weight }) => weight)).toEqual([1_000, 750, 500, 500, 250])
      expect(known[0]).toMatchObject({ reports: 2, reporters: 2 })
      expect(await listCases(world.db.read, { limit: 1 })).toHaveLength(1)
    })

    test('that only one of several concurrent decisions decides, with all its reports', async () => {
      const [fan, second, other] = [await namedFan(world), await namedFan(world), await namedFan(world)]
      const { id } = (await report(fan, other.handle)).body
      await report(second, other.handle)
      const codes = await Promise.all([hide(id), dismiss(id), dismiss(id), hide(id)].map(codeOf))
      expect(codes.toSorted()).toEqual([null, 'case_not_open', 'case_not_open', 'case_not_open'].toSorted())
      const { reports } = world.db.tables
      const rows = await world.db.read.select().from(reports).where(eq(reports.fanId, other.id))
      expect(new Set(rows.map(({ decisionId }) => decisionId)).size).toBe(1)
      for (const { resolvedAt } of rows) expect(resolvedAt).not.toBeNull()
      expect(await codeOf(dismiss(other.id))).toBe('case_not_open')
      expect(await codeOf(dismiss('nobody'))).toBe('fan_not_found')
    })
  })

  test('is filed by TEXT_FILTER=flag, once while it is open, and the text is accepted', async () => {
    const end = overrideSettings(world.db, { textFilter: 'flag', textFilterList: ['offside'] })
    const fan = await namedFan(world)
    for (const bio of ['Always offside', 'Never offside'])
      expect((await fan.patch('/api/user/profile', { bio })).status).toBe(200)
    end()
    const [stored, ...others] = await listOpenReports(world.db.read, fan.id)
    expect(others).toEqual([])
    expect(stored?.reporterId).toBeNull()
    expect(JSON.parse(stored?.evidence ?? '').texts).toEqual(['Always offside'])
    expect(await caseOf(fan)).toMatchObject({ reports: 1, reporters: 0, weight: 500 })
    await dismiss(stored?.id ?? '')
    expect(await caseOf(fan)).toBeUndefined()
  })
})
