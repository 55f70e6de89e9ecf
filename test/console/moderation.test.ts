/** Moderation in the console: cases with their evidence, one decision of several at once, appeals by another person. */
import { expect, test } from 'bun:test'
import { decideAppeal } from '../../src/identity/sanctions/appeals.ts'
import { recordDecision } from '../../src/identity/sanctions/decisions.ts'
import { sweepConsole } from '../../src/identity/staff/sweep.ts'
import { type NamedFan, namedFan } from '../identity/relations/relations-world.ts'
import { onEachEngine } from '../support/world.ts'
import { CONSOLE_ORIGIN, consoleOf } from './support.ts'

const DAY = 86_400_000

onEachEngine('moderation in the console', world => {
  const { anonymous, as, client } = consoleOf(world)
  const [ana, bruno] = [as('moderator', 'Ana'), as('moderator', 'Bruno')]

  async function report(fan: NamedFan, about: NamedFan, note = 'Links.') {
    const { body } = await fan.post('/api/reports', {
      ...{ subject: { kind: 'fan', id: about.handle }, reason: 'spam', note },
    })
    return String(body.id)
  }
  const queue = async () => (await ana.get('/api/moderation/cases')).body
  const decide = (caseId: string, decision: object, by = ana) =>
    by.post(`/api/moderation/cases/${caseId}/decisions`, { reason: 'spam', ...decision })
  const hidden = { kind: 'hide', facts: 'Sold tickets in the bio on 3 May.' } as const
  const recordOf = async ({ id }: NamedFan) => (await ana.get(`/api/moderation/fans/${id}`)).body
  const statusOf = async (fan: NamedFan) => (await fan.get('/api/user/reports')).body.reports[0]
  async function suspended(by = ana, days = 1) {
    const fan = await namedFan(world)
    const until = new Date(world.clock.ms + days * DAY).toISOString()
    const decision = { ...hidden, kind: 'suspend', reason: 'spam', until }
    const { status, body } = await by.post(`/api/moderation/fans/${fan.id}/decisions`, decision)
    expect(status).toBe(200)
    return { fan, sanctionId: String(body.decisionId) }
  }
  async function appealed(by = ana, days = 1) {
    const { fan, sanctionId } = await suspended(by, days)
    await fan.post('/api/user/appeals', { sanctionId, text: 'I quoted others.' })
    const { appeals } = (await ana.get('/api/moderation/appeals?limit=100')).body
    return {
      fan,
      sanctionId,
      appeal: appeals.find((one: { sanctionId: string }) => one.sanctionId === sanctionId),
    }
  }

  test('shows the queue, and a case with its evidence, without who reported', async () => {
    const [reporter, about] = [await namedFan(world), await namedFan(world)]
    const caseId = await report(reporter, about)
    expect((await queue()).cases).toContainEqual(
      expect.objectContaining({
        caseId,
        fan: { id: about.id, handle: about.handle },
        reports: 1,
        weight: 500,
      }),
    )
    const { status, body } = await ana.get(`/api/moderation/cases/${caseId}`)
    expect(status).toBe(200)
    expect(body).toMatchObject({
      openReports: 1,
      reports: [
        {
          ...{ id: caseId, note: 'Links.', reason: 'spam' },
          evidence: { handle: about.handle },
          reporter: { filed: 1, upheld: 0, dismissed: 0 },
        },
      ],
      record: { fan: { id: about.id }, decisions: [] },
    })
    for (const secret of [reporter.id, reporter.handle]) expect(JSON.stringify(body)).not.toContain(secret)
  })

  /** The rows of a list, in pages of two. */
  async function everyPage<Row>(path: string, member: string): Promise<Row[]> {
    const rows: Row[] = []
    for (let cursor: string | null = ''; cursor !== null; ) {
      const after: string = cursor === '' ? '' : `&cursor=${cursor}`
      const { status, body } = await ana.get(`${path}limit=2${after}`)
      expect(status).toBe(200)
      rows.push(...body[member])
      cursor = body.nextCursor
    }
    return rows
  }
  interface Case {
    caseId: string
    weight: number
    since: string
  }

  test.each(['heaviest', 'oldest'] as const)('lists every case once, the %s first', async order => {
    const fans = [await namedFan(world), await namedFan(world), await namedFan(world)] as const
    const subjects = await Promise.all(Array.from({ length: 4 }, () => namedFan(world)))
    for (const [nth, subject] of subjects.entries()) {
      for (const fan of fans.slice(0, 1 + (nth % 3))) await report(fan, subject)
      world.clock.advance(nth < 2 ? 0 : 1_000)
    }
    const cases = await everyPage<Case>(`/api/moderation/cases?order=${order}&`, 'cases')
    expect(new Set(cases.map(({ caseId }) => caseId)).size).toBe(cases.length)
    const key = ({ weight, since, caseId }: Case) =>
      `${order === 'heaviest' ? String(10_000_000 - weight) : ''} ${since} ${caseId}`
    expect(cases).toEqual(cases.toSorted((a, b) => (key(a) < key(b) ? -1 : 1)))
    const { body } = await ana.get('/api/moderation/open')
    expect(body).toMatchObject({ cases: cases.length, oldest: cases.map(({ since }) => since).toSorted()[0] })
    expect(body.reports).toBeGreaterThan(cases.length)
  })

  test('a case that is decided during paging does not shift a page', async () => {
    const reporter = await namedFan(world)
    for (let n = 0; n < 3; n++) await report(reporter, await namedFan(world))
    const path = '/api/moderation/cases?order=oldest&'
    const before = await everyPage<Case>(path, 'cases')
    const first = (await ana.get(`${path}limit=2`)).body
    await decide(first.cases[0].caseId, { kind: 'dismiss' })
    const { cases } = (await ana.get(`${path}limit=1&cursor=${first.nextCursor}`)).body
    // Its weight may change: the dismissal counts against its reporter.
    expect(cases.map(({ caseId }: Case) => caseId)).toEqual(before.slice(2, 3).map(({ caseId }) => caseId))
  })

  test('lists every open appeal once, the oldest first', async () => {
    for (let n = 0; n < 3; n++) {
      await appealed()
      world.clock.advance(n * 1_000)
    }
    const appeals = await everyPage<{ id: string; createdAt: string }>('/api/moderation/appeals?', 'appeals')
    expect(new Set(appeals.map(({ id }) => id)).size).toBe(appeals.length)
    const times = appeals.map(({ createdAt }) => createdAt)
    expect(times).toEqual(times.toSorted())
    expect((await ana.get('/api/moderation/open')).body.appeals).toBe(appeals.length)
  })

  test.each(['cases', 'appeals'])('a cursor of another list of %s is refused', async list => {
    const { status, body } = await ana.get(`/api/moderation/${list}?cursor=bm90IG91cnM`)
    expect([status, body.code]).toEqual([400, 'invalid_cursor'])
  })

  test('who reported is shown to a moderator with a reason, which the audit log keeps', async () => {
    const [reporter, about] = [await namedFan(world), await namedFan(world)]
    const id = await report(reporter, about)
    const path = `/api/moderation/reports/${id}/reporter`
    expect((await ana.post(path, {})).status).toBe(422)
    expect((await as('support').post(path, { reason: 'x' })).body.code).toBe('permission_denied')
    const reason = 'The reporter called.'
    expect((await ana.post(path, { reason })).body.reporter).toEqual({
      id: reporter.id,
      handle: reporter.handle,
    })
    const { entries } = (await as('owner').get(`/api/audit?subjectKind=report&subjectId=${id}`)).body
    expect(entries).toMatchObject([{ operation: 'revealReporter', reason, staff: { name: 'Ana' } }])
    expect(JSON.stringify(entries)).not.toContain(reporter.id)
  })

  test.each(['dismiss', 'hide', 'mute'] as const)('%s resolves the reports of the case', async kind => {
    const [reporter, about] = [await namedFan(world), await namedFan(world)]
    const caseId = await report(reporter, about)
    const decision = kind === 'dismiss' ? { kind } : { ...hidden, kind }
    expect((await decide(caseId, { ...decision, note: 'Twice before.' })).status).toBe(200)
    expect((await queue()).cases.map((one: { caseId: string }) => one.caseId)).not.toContain(caseId)
    expect(await statusOf(reporter)).toMatchObject({ status: 'resolved', actionTaken: kind !== 'dismiss' })
    expect((await recordOf(about)).decisions).toMatchObject([
      { kind, decidedBy: 'Ana', note: 'Twice before.', inForce: kind !== 'dismiss' },
    ])
    const { entries } = (await as('owner').get(`/api/audit?subjectKind=fan&subjectId=${about.id}`)).body
    expect(entries).toMatchObject([{ operation: 'decideCase', detail: { kind, caseId } }])
    expect(JSON.stringify(entries)).not.toContain('Twice before.')
  })

  test('only one of two concurrent decisions succeeds, and the other moderator is told who decided', async () => {
    const [reporter, about] = [await namedFan(world), await namedFan(world)]
    const caseId = await report(reporter, about)
    const answers = await Promise.all([
      decide(caseId, hidden, ana),
      decide(caseId, { kind: 'dismiss' }, bruno),
      decide(caseId, { ...hidden, kind: 'mute' }, bruno),
    ])
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409, 409])
    const { decisions } = await recordOf(about)
    expect(decisions).toHaveLength(1)
    const late = await ana.get(`/api/moderation/cases/${caseId}`)
    expect([late.status, late.body.code]).toEqual([409, 'case_not_open'])
    expect(late.body.detail).toContain(`${decisions[0].decidedBy} decided it`)
  })

  test('a suspension needs an end in the future, within ten years', async () => {
    const fan = await namedFan(world)
    const path = `/api/moderation/fans/${fan.id}/decisions`
    const at = (ms: number) => new Date(world.clock.ms + ms).toISOString()
    for (const decision of [
      { ...hidden, kind: 'suspend' },
      { ...hidden, kind: 'suspend', until: at(0) },
      { ...hidden, kind: 'suspend', until: at(4_000 * DAY) },
      { ...hidden, until: at(DAY) },
    ]) {
      const { status, body } = await ana.post(path, { reason: 'spam', ...decision })
      expect([status, body.errors[0].pointer]).toEqual([422, '/until'])
    }
    expect(
      (await ana.post(path, { ...hidden, kind: 'suspend', reason: 'spam', until: at(DAY) })).status,
    ).toBe(200)
    expect((await fan.patch('/api/user/profile', { bio: 'x' })).body.code).toBe('suspended')
  })

  test.each([
    ['a sanction without facts', { kind: 'mute' }],
    ['facts of blanks', { kind: 'mute', facts: ' ' }],
    ['facts of a dismissal', { kind: 'dismiss', facts: 'Nothing.' }],
    ['facts of a note', { kind: 'note', facts: 'Nothing.' }],
  ])('refuses %s', async (_, decision) => {
    const [reporter, about] = [await namedFan(world), await namedFan(world)]
    const { status, body } = await decide(await report(reporter, about), decision)
    expect([status, body.errors[0].pointer]).toEqual([422, '/facts'])
    expect((await recordOf(about)).decisions).toEqual([])
  })

  test('shows the fan the facts, and other moderators too; the audit log does not keep them', async () => {
    const [reporter, about] = [await namedFan(world), await namedFan(world)]
    expect((await decide(await report(reporter, about), hidden)).status).toBe(200)
    const { facts } = hidden
    expect((await about.get('/api/user/sanctions')).body.sanctions).toMatchObject([
      { statement: { facts, ground: 'spam', automated: false } },
    ])
    expect((await recordOf(about)).decisions).toMatchObject([{ facts }])
    const { entries } = (await as('owner').get(`/api/audit?subjectKind=fan&subjectId=${about.id}`)).body
    expect(entries).toHaveLength(1)
    expect(JSON.stringify(entries)).not.toContain(facts)
  })

  test('a sanction is lifted once', async () => {
    const { fan, sanctionId } = await suspended()
    const lift = () => bruno.post(`/api/moderation/fans/${fan.id}/lifts`, { sanctionId, reason: 'other' })
    expect((await lift()).status).toBe(200)
    expect((await fan.patch('/api/user/profile', { bio: 'x' })).status).toBe(200)
    expect((await lift()).body.code).toBe('sanction_not_in_force')
  })

  test('an appeal is decided by another person, in the console and by a command alike', async () => {
    const { fan, appeal } = await appealed()
    const decideIt = (by: typeof ana) =>
      by.post(`/api/moderation/appeals/${appeal.id}/decision`, { granted: true, reason: 'other' })
    expect(appeal).toMatchObject({ yours: true, sanction: { kind: 'suspend', decidedBy: 'Ana' } })
    const theirs = (await bruno.get('/api/moderation/appeals')).body.appeals
    expect(theirs.find(({ id }: { id: string }) => id === appeal.id).yours).toBe(false)
    expect((await decideIt(ana)).body.code).toBe('appeal_of_own_decision')
    const command = world.db.write(tx =>
      decideAppeal(tx, appeal.id, { decidedBy: ' ana', reason: 'other', granted: true }),
    )
    expect(await command.catch(({ code }) => code)).toBe('appeal_of_own_decision')
    const answers = await Promise.all([decideIt(bruno), decideIt(as('owner', 'Carla')), decideIt(bruno)])
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409, 409])
    expect((await fan.patch('/api/user/profile', { bio: 'x' })).status).toBe(200)
  })

  test('an appeal is not decided by the person who got the link of the one who decided, also months later', async () => {
    const owner = as('owner', 'Olga')
    const { secret } = (
      await owner.post('/api/staff/invite', { name: 'Mo', role: 'moderator', reason: 'New.' })
    ).body
    const signedIn = await anonymous.post('/api/session/sign-in', { secret })
    const cookie = signedIn.headers.get('set-cookie')?.split(';', 1)[0] ?? ''
    const mo = client({
      ...{ cookie, origin: CONSOLE_ORIGIN },
      'x-csrf-token': signedIn.body.csrfToken,
    })
    const { appeal } = await appealed(mo, 90)
    world.clock.advance(60 * DAY)
    await sweepConsole(world.db)
    const appealFor = async (by: typeof owner) =>
      (await by.get('/api/moderation/appeals?limit=100')).body.appeals.find(
        ({ id }: { id: string }) => id === appeal.id,
      )
    const decideIt = (by: typeof owner) =>
      by.post(`/api/moderation/appeals/${appeal.id}/decision`, { granted: false, reason: 'spam' })
    expect((await appealFor(owner)).yours).toBe(true)
    expect((await decideIt(owner)).body.code).toBe('appeal_of_own_decision')
    const bruno = as('moderator', 'Bruno')
    expect((await appealFor(bruno)).yours).toBe(false)
    expect((await decideIt(bruno)).status).toBe(200)
  })

  test('an appeal against a decision of a command is not decided by the person of this name', async () => {
    const fan = await namedFan(world)
    const { id: sanctionId } = await world.db.write(tx =>
      recordDecision(tx, { fanId: fan.id, kind: 'hide', reason: 'spam', decidedBy: 'Bruno' }),
    )
    await fan.post('/api/user/appeals', { sanctionId, text: 'No.' })
    const { appeals } = (await bruno.get('/api/moderation/appeals')).body
    const { id, yours } = appeals.find((one: { sanctionId: string }) => one.sanctionId === sanctionId)
    const answer = await bruno.post(`/api/moderation/appeals/${id}/decision`, {
      granted: false,
      reason: 'spam',
    })
    expect([yours, answer.body.code]).toEqual([true, 'appeal_of_own_decision'])
    expect(
      (await ana.post(`/api/moderation/appeals/${id}/decision`, { granted: false, reason: 'spam' })).status,
    ).toBe(200)
  })

  test('the record of a fan is found by handle; an unknown one is 404', async () => {
    const { fan } = await suspended()
    expect((await ana.get(`/api/moderation/fans/${fan.handle.toUpperCase()}`)).body.fan.id).toBe(fan.id)
    expect((await ana.get('/api/moderation/fans/nobody_has_it')).body.code).toBe('fan_not_found')
  })
})
