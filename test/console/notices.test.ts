/** Notices of illegal content in the console: listed without who sent them, decided once, and told to the notifier. */
import { expect, test } from 'bun:test'
import { EVERYONE } from '../../db/id-range.ts'
import { findWrongModeration } from '../../src/audit/fans/verify-moderation.ts'
import { reportYear } from '../../src/operate/admin/moderation-report.ts'
import { namedFan } from '../identity/relations/relations-world.ts'
import { expectStatus } from '../play/packs/packs-world.ts'
import { onEachEngine } from '../support/world.ts'
import { consoleOf } from './support.ts'

onEachEngine('notices in the console', world => {
  const { as } = consoleOf(world)
  const [ana, bruno, support] = [as('moderator', 'Ana'), as('moderator', 'Bruno'), as('support', 'Carla')]
  const NOTIFIER = { name: 'Dora Reis', email: 'dora@example.com' }

  async function noticed(location: string, more: object = {}) {
    const notice = { category: 'hate', location, explanation: 'A call for violence.', goodFaith: true }
    return String(
      expectStatus(201, await world.anonymous.post('/api/notices', { ...notice, ...NOTIFIER, ...more }))
        .receipt,
    )
  }
  const list = async (state = 'open') =>
    expectStatus(200, await ana.get(`/api/moderation/notices?limit=100&state=${state}`)).notices
  const find = async (id: string, state?: string) =>
    (await list(state)).find((notice: { id: string }) => notice.id === id)
  const decide = (id: string, decision: object, by = ana) =>
    by.post(`/api/moderation/notices/${id}/decision`, {
      reason: 'hate',
      answer: 'It is a threat.',
      ...decision,
    })
  const ofNotifier = (id: string, what: string, by = ana) =>
    by.post(`/api/moderation/notices/${id}/${what}`, { reason: 'To tell the decision.' })

  test('are listed with the fan and what was shown, and who sent them is told for a reason', async () => {
    const fan = await namedFan(world)
    const id = await noticed(`https://club.example/fans/${fan.handle}`)
    const before = expectStatus(200, await ana.get('/api/moderation/open')).notices
    expect(before).toBeGreaterThan(0)
    const shown = await find(id)
    expect(shown).toMatchObject({
      category: 'hate',
      subjectKind: 'fan',
      fan: { id: fan.id, handle: fan.handle },
      evidence: { handle: fan.handle },
      hasNotifier: true,
      decidedAt: null,
      reply: null,
    })
    for (const secret of Object.values(NOTIFIER)) expect(JSON.stringify(shown)).not.toContain(secret)
    expectStatus(200, await support.get('/api/moderation/notices'))
    expect((await ofNotifier(id, 'notifier', support)).status).toBe(403)
    expect(expectStatus(200, await ofNotifier(id, 'notifier'))).toEqual(NOTIFIER)
    expectStatus(204, await ofNotifier(id, 'forget-notifier'))
    expect(expectStatus(200, await ofNotifier(id, 'notifier'))).toEqual({ name: null, email: null })
    expect(await find(id)).toMatchObject({ hasNotifier: false })
    for (const what of ['notifier', 'forget-notifier'])
      expect((await ofNotifier('nothing', what)).body.code).toBe('notice_not_found')
    const { consoleAudit } = world.db.tables
    const rows = (await world.db.read.select().from(consoleAudit)).filter(row => row.subjectId === id)
    expect(rows.map(({ operation }) => operation)).toEqual([
      ...['revealNotifier', 'deleteNotifier', 'revealNotifier'],
    ])
    expect(JSON.stringify(rows)).not.toContain(NOTIFIER.email)
  })

  test('are decided once, with the sanction in the same step, and have a reply to the notifier', async () => {
    const fan = await namedFan(world)
    const id = await noticed(`/lockers/${fan.handle}`)
    const hide = { actionTaken: true, sanction: 'hide', facts: 'A call for violence in the locker.' }
    const both = await Promise.all([decide(id, hide), decide(id, { actionTaken: false }, bruno)])
    expect(both.map(({ status }) => status).toSorted()).toEqual([200, 409])
    const again = await decide(id, hide)
    expect([again.status, again.body.code]).toEqual([409, 'notice_not_open'])
    expect(await find(id)).toBeUndefined()

    const other = await noticed(`/lockers/${(await namedFan(world)).handle}`)
    expectStatus(200, await decide(other, hide))
    const decided = await find(other, 'decided')
    expect(decided).toMatchObject({ actionTaken: true, decidedBy: 'Ana' })
    for (const text of [other, 'It is a threat.', 'has acted on the content', 'court'])
      expect(decided.reply).toContain(text)
    const report = await reportYear(world.db.read, world.clock.now().getUTCFullYear())
    expect(report.notices).toMatchObject({ categories: [{ category: 'hate' }], merged: 0 })
    const found = report.decisions.find(({ kind }) => kind === 'hide')?.found
    expect(found?.notices).toBeGreaterThan(0)
    expect(await findWrongModeration(world.db.read, EVERYONE)).toEqual([])
  })

  test.each([
    ['a sanction where nothing is done', { actionTaken: false, sanction: 'mute', facts: 'x' }, '/sanction'],
    ['a sanction without facts', { actionTaken: true, sanction: 'mute' }, '/facts'],
    ['a suspension without an end', { actionTaken: true, sanction: 'suspend', facts: 'x' }, '/until'],
    ['facts without a sanction', { actionTaken: true, facts: 'x' }, '/facts'],
  ])('refuse %s', async (_, decision, pointer) => {
    const id = await noticed(`/lockers/${(await namedFan(world)).handle}`)
    const { status, body } = await decide(id, decision)
    expect([status, body.errors[0].pointer]).toEqual([422, pointer])
    expect(await find(id)).toMatchObject({ decidedAt: null })
  })

  test('of content that the server does not know have no sanction', async () => {
    const id = await noticed('Somewhere')
    const { status, body } = await decide(id, { actionTaken: true, sanction: 'mute', facts: 'x' })
    expect([status, body.errors[0].pointer]).toEqual([422, '/sanction'])
    expectStatus(200, await decide(id, { actionTaken: true }))
  })
})
