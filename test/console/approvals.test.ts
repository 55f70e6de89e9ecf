/** Actions that need two people. The operation is one of the test's own, so that it counts what happened. */
import { beforeEach, describe, expect, test } from 'bun:test'
import { DomainError } from '../../src/core/problems.ts'
import { Closed, IdReference, Integer } from '../../src/core/schemas.ts'
import { linkIdOf, providerIdOf } from '../../src/core/staff-ids.ts'
import { Type } from '../../src/core/typebox.ts'
import { pointsProblems } from '../../src/economy/points/problems.ts'
import {
  APPROVAL_MS,
  clearExpiredRequests,
  MAX_WAITING,
} from '../../src/identity/staff/approvals/approvals.ts'
import { INTERRUPTED_AFTER_MS } from '../../src/identity/staff/approvals/state.ts'
import { Reason } from '../../src/identity/staff/reason.ts'
import { endSessionsAtProvider } from '../../src/identity/staff/sessions/provider-sessions.ts'
import { createSession } from '../../src/identity/staff/sessions/sessions.ts'
import { sweepConsole } from '../../src/identity/staff/sweep.ts'
import { createConsoleApi } from '../../src/operate/console/app.ts'
import { consoleOperation } from '../../src/operate/console/contract/operation.ts'
import { staff } from '../../src/operate/console/contract/staff.ts'
import type { ConsoleDeps } from '../../src/operate/console/deps.ts'
import { type Fan, onEachEngine } from '../support/world.ts'
import { consoleOf } from './support.ts'

const LACKING = { pointsRequired: 500, points: 100, missingPoints: 400 }

onEachEngine('an action that needs two people', world => {
  let done: { fanId: string; points: number }[] = []
  let refuses = false
  /** Between the steps of a refund. */
  let meanwhile = async () => {}
  const grants = (deps: ConsoleDeps) =>
    staff(deps, { prefix: '/api/test', tag: 'Test' })
      .post(
        '/:fanId/grants',
        async ({ act, body: { points, reason }, params: { fanId } }) => {
          await act({ kind: 'fan', id: fanId }, reason, async tx => {
            // Is undone with the unit of work, as what a verb writes.
            const { consoleLinks } = tx.tables
            const now = tx.now()
            const link = { hash: tx.newId(), staffId: fanId, name: String(points), role: 'owner' }
            await tx.insert(consoleLinks).values({ ...link, createdAt: now, expiresAt: now })
            if (refuses) throw new DomainError(pointsProblems.insufficient_points, { ...LACKING })
            tx.afterCommit(() => done.push({ fanId, points }))
          })
          return { points }
        },
        consoleOperation({
          id: 'testGrant',
          summary: 'Grant points',
          permission: 'points.write',
          params: Closed({ fanId: IdReference('The fan.') }),
          body: Closed({ points: Integer({ minimum: 1, maximum: 1_000 }), reason: Reason }),
          responses: { 200: Closed({ points: Type.Integer() }) },
        }),
      )
      .post(
        '/:fanId/refund',
        async ({ act, body: { reason }, params: { fanId } }) => {
          await act.inSteps({ kind: 'fan', id: fanId }, reason, async write => {
            await write(async tx => void tx.afterCommit(() => done.push({ fanId, points: 1 })))
            await meanwhile()
            if (refuses) throw new DomainError(pointsProblems.insufficient_points, { ...LACKING })
            await write(async tx => void tx.afterCommit(() => done.push({ fanId, points: 2 })))
          })
          return { points: 0 }
        },
        consoleOperation({
          id: 'testRefund',
          summary: 'Refund in steps',
          permission: 'refunds.write',
          params: Closed({ fanId: IdReference('The fan.') }),
          body: Closed({ reason: Reason }),
          responses: { 200: Closed({ points: Type.Integer() }) },
        }),
      )

  const createApi: typeof createConsoleApi = (deps, handle) =>
    createConsoleApi(deps, handle).use(grants(deps))
  const configOf = (twoPerson: string[]) => {
    const { console } = world.config
    if (!console) throw new Error('the console is on in tests')
    return { ...world.config, console: { ...console, twoPerson } } as ConsoleDeps['config']
  }
  const twoPeople = consoleOf(world, () => ({ config: configOf(['money']) }), createApi)
  const onePerson = consoleOf(world, () => ({ config: configOf(['erasure']) }), createApi)
  const ada = twoPeople.as('finance', 'Ada')
  const grace = twoPeople.as('owner', 'Grace')
  const auditOf = async (fanId: string) =>
    (await grace.get(`/api/audit?subjectKind=fan&subjectId=${fanId}`)).body.entries

  beforeEach(() => {
    done = []
    refuses = false
    meanwhile = async () => {}
  })

  let fans = 0
  async function ask(client = ada, path = 'grants') {
    const fanId = `fan-${++fans}`
    const body = path === 'grants' ? { points: 50, reason: 'A late bus' } : { reason: 'A late bus' }
    const response = await client.post(`/api/test/${fanId}/${path}`, body)
    return { fanId, response, approvalId: response.body.approvalId as string }
  }

  test('is kept, and nothing happens until another person confirms it', async () => {
    const { fanId, response, approvalId } = await ask()
    expect([response.status, response.body.code]).toEqual([202, 'approval_required'])
    expect(done).toEqual([])
    const [listed] = (await grace.get('/api/approvals?state=pending')).body.approvals
    expect(listed).toMatchObject({
      id: approvalId,
      operation: 'testGrant',
      subject: { kind: 'fan', id: fanId, name: null },
      reason: 'A late bus',
      input: { points: 50 },
      requestedBy: { id: 'link:ada', name: 'Ada', role: 'finance' },
      mayConfirm: true,
    })
    const confirmed = await grace.post(`/api/approvals/${approvalId}/confirm`, {})
    expect([confirmed.status, confirmed.body]).toEqual([
      200,
      { approvalId, status: 200, result: { points: 50 } },
    ])
    expect(done).toEqual([{ fanId, points: 50 }])
  })

  test('is in the audit log with both people and the time of the request', async () => {
    const { fanId, approvalId } = await ask()
    await grace.post(`/api/approvals/${approvalId}/confirm`, {})
    const [action, request] = await auditOf(fanId)
    expect(action).toMatchObject({
      operation: 'testGrant',
      staff: { id: 'link:ada', name: 'Ada', role: 'finance' },
      confirmedBy: { id: 'link:grace', name: 'Grace' },
      reason: 'A late bus',
    })
    expect(request).toMatchObject({
      operation: 'requestApproval',
      confirmedBy: null,
      detail: { operation: 'testGrant', approvalId },
    })
  })

  test('is never confirmed by the person who asks, in any of their sessions', async () => {
    const { approvalId } = await ask()
    const again = twoPeople.as('owner', 'Ada')
    for (const client of [ada, again]) {
      const { status, body } = await client.post(`/api/approvals/${approvalId}/confirm`, {})
      expect([status, body.code]).toEqual([403, 'own_approval'])
    }
    expect(done).toEqual([])
  })

  test.each([
    ['case', 'ada byron', linkIdOf('ada byron')],
    ['accents', 'Áda Byron', linkIdOf('Áda Byron')],
    ['punctuation', 'Ada-Byron.', linkIdOf('Ada-Byron.')],
    ['spaces', 'Ada\u00a0Byron', linkIdOf('Ada\u00a0Byron')],
    ['spelling, by an earlier version', 'ada byron', 'link:ada byron'],
    ['the way of signing in', 'Ada Byron', providerIdOf('https://sso.example', 'ada')],
    // The provider lets people edit their names.
    ['all, by another way of signing in', 'Grace Hopper', providerIdOf('https://sso.example', 'ada')],
  ])('is never confirmed under a name that differs in %s', async (_, name, id) => {
    const { approvalId } = await ask(twoPeople.as('finance', 'Ada Byron'))
    const again = twoPeople.client((await twoPeople.signIn('owner', name, id)).headers)
    const { status, body } = await again.post(`/api/approvals/${approvalId}/confirm`, {})
    expect([status, body.code]).toEqual([403, 'own_approval'])
    const { approvals } = (await again.get('/api/approvals?state=pending')).body
    const listed = approvals.find((one: { id: string }) => one.id === approvalId)
    expect(listed).toMatchObject({ mayConfirm: false })
    expect(done).toEqual([])
  })

  test.each([
    ['another name at the provider', 'https://sso.example', '7', 403],
    ['another issuer', 'https://other.example', '8', 403],
    ['another subject and the same name', 'https://sso.example', '8', 200],
  ])('of a person at the provider is compared by issuer and subject: %s', async (_, issuer, sub, status) => {
    const at = async (name: string, id: string) =>
      twoPeople.client((await twoPeople.signIn('owner', name, id)).headers)
    const { approvalId } = await ask(await at('Ida Rhodes', providerIdOf('https://sso.example', '7')))
    const other = await at(status === 200 ? 'Ida Rhodes' : 'Someone Else', providerIdOf(issuer, sub))
    expect((await other.post(`/api/approvals/${approvalId}/confirm`, {})).status).toBe(status)
  })

  test('is not confirmed by a person without the permission, who does not see it either', async () => {
    const { approvalId } = await ask(ada, 'refund')
    const support = twoPeople.as('support')
    expect((await support.post(`/api/approvals/${approvalId}/confirm`, {})).body.code).toBe(
      'permission_denied',
    )
    const seen = (await support.get('/api/approvals?limit=100')).body.approvals
    expect(seen.map(({ id }: { id: string }) => id)).not.toContain(approvalId)
    expect((await twoPeople.as('moderator').get('/api/approvals')).status).toBe(403)
  })

  test('happens once, even if several people confirm it at the same time', async () => {
    const { approvalId, fanId } = await ask()
    const people = ['Grace', 'Mary', 'Joan', 'Edith'].map(name => twoPeople.as('owner', name))
    const answers = await Promise.all(
      people.map(person => person.post(`/api/approvals/${approvalId}/confirm`, {})),
    )
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409, 409, 409])
    expect(done).toEqual([{ fanId, points: 50 }])
    expect(await auditOf(fanId)).toHaveLength(2)
  })

  test('in steps that were interrupted waits again after a minute, and is repeated', async () => {
    const { approvalId, fanId } = await ask(ada, 'refund')
    const mary = twoPeople.as('owner', 'Mary')
    const confirm = (by = mary) => by.post(`/api/approvals/${approvalId}/confirm`, {})
    const shown = async (state: string) => {
      const { approvals } = (await mary.get(`/api/approvals?state=${state}&limit=100`)).body
      return approvals.find(({ id }: { id: string }) => id === approvalId)
    }
    let resume = () => {}
    const begun = new Promise<void>(begin => {
      meanwhile = () =>
        new Promise(resolve => {
          resume = resolve
          begin()
        })
    })
    const first = confirm(grace)
    await begun
    expect([(await confirm()).body.code, await shown('pending')]).toEqual(['approval_closed', undefined])
    expect(await shown('decided')).toMatchObject({ state: 'confirmed', decidedBy: { name: 'Grace' } })
    world.clock.advance(INTERRUPTED_AFTER_MS)
    const pending = { state: 'pending', decidedBy: null, decidedAt: null, mayConfirm: true }
    expect(await shown('pending')).toMatchObject(pending)
    expect(await shown('decided')).toBeUndefined()
    expect((await confirm(ada)).body.code).toBe('own_approval')
    meanwhile = async () => {}
    expect((await confirm()).status).toBe(200)
    expect(done).toEqual([1, 1, 2].map(points => ({ fanId, points })))
    // The first attempt was only slow.
    resume()
    expect((await first).status).toBe(200)
    world.clock.advance(INTERRUPTED_AFTER_MS)
    expect([(await confirm()).body.code, await shown('pending')]).toEqual(['approval_closed', undefined])
  })

  test('is confirmed or refused, not both, at the same time', async () => {
    const { approvalId } = await ask()
    const [confirmed, refused] = await Promise.all([
      grace.post(`/api/approvals/${approvalId}/confirm`, {}),
      twoPeople.as('owner', 'Mary').post(`/api/approvals/${approvalId}/refuse`, { reason: 'No' }),
    ])
    expect([confirmed.status, refused.status].toSorted()).toEqual([200, 409])
    expect(done).toHaveLength(confirmed.status === 200 ? 1 : 0)
  })

  test('that is refused does not happen, and its input is deleted', async () => {
    const { approvalId } = await ask()
    const { status, body } = await grace.post(`/api/approvals/${approvalId}/refuse`, { reason: 'Paid twice' })
    expect([status, body.state, body.decidedBy, body.input]).toEqual([
      200,
      'refused',
      { id: 'link:grace', name: 'Grace' },
      null,
    ])
    const late = await grace.post(`/api/approvals/${approvalId}/confirm`, {})
    expect([late.status, late.body.code, late.body.state]).toEqual([409, 'approval_closed', 'refused'])
    expect(done).toEqual([])
    const [row] = (await grace.get(`/api/audit?subjectKind=approval&subjectId=${approvalId}`)).body.entries
    expect(row).toMatchObject({ operation: 'refuseApproval', reason: 'Paid twice' })
  })

  test('can be withdrawn by the one who asked', async () => {
    const { approvalId } = await ask()
    const { status, body } = await ada.post(`/api/approvals/${approvalId}/refuse`, { reason: 'A mistake' })
    expect([status, body.state]).toEqual([200, 'refused'])
  })

  test('expires, and its input is deleted by the sweep', async () => {
    const { approvalId } = await ask()
    world.clock.advance(APPROVAL_MS)
    // Sessions have expired as well.
    const mary = twoPeople.as('owner', `Mary ${approvalId}`)
    const { status, body } = await mary.post(`/api/approvals/${approvalId}/confirm`, {})
    expect([status, body.code, body.state]).toEqual([409, 'approval_closed', 'expired'])
    await clearExpiredRequests(world.db)
    const { consoleApprovals } = world.db.tables
    const rows = await world.db.read.select().from(consoleApprovals)
    expect(rows.filter(({ request }) => request !== null)).toEqual([])
  })

  test('that its verb would refuse is refused at once, and nobody is asked', async () => {
    refuses = true
    const { response, fanId } = await ask()
    expect([response.status, response.body]).toMatchObject([409, { code: 'insufficient_points', ...LACKING }])
    const { consoleApprovals, consoleLinks } = world.db.tables
    const kept = await world.db.read.select().from(consoleApprovals)
    expect(kept.filter(({ subjectId }) => subjectId === fanId)).toEqual([])
    const links = await world.db.read.select().from(consoleLinks)
    expect(links.filter(({ staffId }) => staffId === fanId)).toEqual([])
    expect(await auditOf(fanId)).toEqual([])
    expect(done).toEqual([])
  })

  test('that its verb refuses continues to wait, and nothing is written', async () => {
    const [{ approvalId, fanId }, joan] = [
      await ask(twoPeople.as('finance', 'Joan')),
      twoPeople.as('owner', 'Edith 2'),
    ]
    refuses = true
    const { status, body } = await joan.post(`/api/approvals/${approvalId}/confirm`, {})
    expect([status, body.code]).toEqual([409, 'insufficient_points'])
    const { consoleLinks } = world.db.tables
    const links = await world.db.read.select().from(consoleLinks)
    expect(links.filter(({ staffId }) => staffId === fanId)).toEqual([])
    refuses = false
    expect((await joan.post(`/api/approvals/${approvalId}/confirm`, {})).status).toBe(200)
    expect(done).toEqual([{ fanId, points: 50 }])
  })

  test('in several units of work is claimed by the first, waits again after a failure, and is then done', async () => {
    const { approvalId, fanId } = await ask(twoPeople.as('finance', 'Joan'), 'refund')
    const edith = twoPeople.as('owner', 'Edith 2')
    refuses = true
    expect((await edith.post(`/api/approvals/${approvalId}/confirm`, {})).body.code).toBe(
      'insufficient_points',
    )
    const entries = (await edith.get(`/api/audit?subjectKind=fan&subjectId=${fanId}`)).body.entries
    expect(entries.map(({ detail }: { detail: object }) => detail)).toEqual([
      { failed: 'insufficient_points' },
      null,
      { operation: 'testRefund', approvalId },
    ])
    expect((await edith.get('/api/approvals?state=pending')).body.approvals[0]).toMatchObject({
      ...{ id: approvalId, state: 'pending', decidedBy: null, input: {} },
    })
    refuses = false
    expect((await edith.post(`/api/approvals/${approvalId}/confirm`, {})).status).toBe(200)
    expect((await edith.post(`/api/approvals/${approvalId}/confirm`, {})).body.code).toBe('approval_closed')
    expect(done.map(({ points }) => points)).toEqual([1, 1, 2])
    expect(await requestsOf(approvalId)).toEqual([['confirmed', null]])
  })

  test('in several units of work cannot be confirmed again while it runs', async () => {
    const { approvalId } = await ask(twoPeople.as('finance', 'Joan'), 'refund')
    const codes: string[] = []
    meanwhile = async () => {
      const { body } = await twoPeople.as('owner', 'Mary').post(`/api/approvals/${approvalId}/confirm`, {})
      codes.push(body.code)
    }
    expect((await grace.post(`/api/approvals/${approvalId}/confirm`, {})).status).toBe(200)
    expect(codes).toEqual(['approval_closed'])
  })

  const requestsOf = async (approvalId: string) => {
    const { consoleApprovals } = world.db.tables
    const rows = await world.db.read.select().from(consoleApprovals)
    return rows.filter(({ id }) => id === approvalId).map(({ decision, request }) => [decision, request])
  }

  describe('ends with', () => {
    let people = 0
    const ownerAsking = twoPeople.as('owner', 'Joan')
    const idOf = async (fan: Fan): Promise<string> => (await fan.post('/api/user/profile', {})).body.id
    /** A person who has asked for a refund. */
    async function asked(id = linkIdOf(`Person ${++people}`)) {
      const name = `Person ${people}`
      const session = await twoPeople.signIn('finance', name, id)
      const { approvalId } = await ask(twoPeople.client(session.headers), 'refund')
      return { id, name, session, approvalId }
    }
    const isRefused = async (approvalId: string) => {
      const { status, body } = await grace.post(`/api/approvals/${approvalId}/confirm`, {})
      expect([status, body.code, body.state]).toEqual([409, 'approval_closed', 'refused'])
      expect(done).toEqual([])
    }

    test('the erasure of a fan in it, as its subject or in its input', async () => {
      const [fan, other] = [await world.fan(), await world.fan()]
      const [fanId, otherId] = [await idOf(fan), await idOf(other)]
      const reason = 'A late bus'
      const about = [
        [`/api/fans/${fanId}/grants`, { delta: 5, ref: 'sorry', reason }],
        [`/api/fans/${otherId}/merge`, { into: fanId, reason }],
      ] as const
      const ofOther = [`/api/fans/${otherId}/grants`, { delta: 5, ref: 'sorry', reason }] as const
      const ids: string[] = []
      for (const [path, body] of [...about, ofOther])
        ids.push((await ownerAsking.post(path, body)).body.approvalId)
      const [grant = '', merge = '', kept = ''] = ids
      await fan.send('/api/user', { method: 'DELETE' })
      for (const id of [grant, merge]) {
        await isRefused(id)
        expect(await requestsOf(id)).toEqual([['refused', null]])
        const [row] = (await grace.get(`/api/audit?subjectKind=approval&subjectId=${id}`)).body.entries
        expect(row).toMatchObject({ operation: 'endRequest', reason: 'The fan is erased.' })
      }
      const listed = (await grace.get('/api/approvals?limit=100')).body.approvals
      const ended = listed.filter(({ id }: { id: string }) => id === grant || id === merge)
      expect(ended.map(({ input, decidedBy }: Record<string, unknown>) => [input, decidedBy])).toEqual([
        [null, { id: 'erasure', name: 'Erasure' }],
        [null, { id: 'erasure', name: 'Erasure' }],
      ])
      expect(await requestsOf(kept)).toEqual([[null, expect.any(String)]])
    })

    test('an erasure that came before it, at the next sweep', async () => {
      const [erased, fan] = [await world.fan(), await world.fan()]
      const [erasedId, fanId] = [await idOf(erased), await idOf(fan)]
      await erased.send('/api/user', { method: 'DELETE' })
      const asked: string[] = []
      for (const id of [erasedId, fanId]) {
        // It does not look at the fan: it was tried before the erasure, and is kept after it.
        const body = { points: 5, reason: 'A late bus' }
        asked.push((await ownerAsking.post(`/api/test/${id}/grants`, body)).body.approvalId)
      }
      const [late = '', kept = ''] = asked
      await sweepConsole(world.db)
      await isRefused(late)
      expect(await requestsOf(late)).toEqual([['refused', null]])
      expect(await requestsOf(kept)).toEqual([[null, expect.any(String)]])
    })

    test('all sessions of the person, and is counted in the audit log', async () => {
      const { id, approvalId } = await asked()
      await grace.post('/api/staff/end-sessions', { staffId: id, reason: 'Left' })
      await isRefused(approvalId)
      const [row] = (await grace.get(`/api/audit?subjectKind=staff&subjectId=${id}`)).body.entries
      expect(row.detail).toEqual({ ended: 1, requests: 1 })
    })

    test('one session of the person that an owner ends', async () => {
      const { session, approvalId } = await asked()
      await grace.post(`/api/staff/sessions/${session.id}/end`, { reason: 'A lost laptop' })
      await isRefused(approvalId)
    })

    test('the sessions that the provider ends', async () => {
      const person = providerIdOf('https://sso.example', 'leaver')
      const { approvalId } = await asked(person)
      const until = world.deps.now()
      await world.db.write(tx => endSessionsAtProvider(tx, { person, session: null, until }))
      await isRefused(approvalId)
    })

    test('a change of the role that allowed it, at the next sign-in', async () => {
      const { id, name, approvalId } = await asked()
      await world.db.write(tx => createSession(tx, { id, name, role: 'support' }))
      await isRefused(approvalId)
    })

    test('the sessions, also while it is carried out and fails', async () => {
      const { id, approvalId } = await asked()
      refuses = true
      meanwhile = async () => {
        await grace.post('/api/staff/end-sessions', { staffId: id, reason: 'Left' })
      }
      await twoPeople.as('owner', 'Mary').post(`/api/approvals/${approvalId}/confirm`, {})
      refuses = false
      const { body } = await grace.post(`/api/approvals/${approvalId}/confirm`, {})
      expect([body.code, body.state]).toEqual(['approval_closed', 'confirmed'])
    })

    test('neither a sign-out of the person, nor a new sign-in in the same role', async () => {
      const { id, name, session, approvalId } = await asked()
      await twoPeople.client(session.headers).post('/api/session/end', {})
      await world.db.write(tx => createSession(tx, { id, name, role: 'finance' }))
      expect((await grace.post(`/api/approvals/${approvalId}/confirm`, {})).status).toBe(200)
    })

    test('the sessions, raced with the request', async () => {
      for (let round = 0; round < 8; round++) {
        const id = linkIdOf(`Racer ${round}`)
        const { headers } = await twoPeople.signIn('finance', `Racer ${round}`, id)
        const [{ approvalId }] = await Promise.all([
          ask(twoPeople.client(headers)),
          grace.post('/api/staff/end-sessions', { staffId: id, reason: 'Left' }),
        ])
        if (approvalId === undefined) continue
        const { body } = await grace.post(`/api/approvals/${approvalId}/confirm`, {})
        expect([body.code, body.state]).toEqual(['approval_closed', 'refused'])
      }
    })
  })

  test('at most 20 wait for a person, however many are asked for at the same time', async () => {
    const busy = twoPeople.as('finance', 'Busy')
    const asked = await Promise.all(Array.from({ length: MAX_WAITING + 5 }, () => ask(busy)))
    const waiting = asked.filter(({ response }) => response.status === 202)
    expect(waiting).toHaveLength(MAX_WAITING)
    const refused = asked.filter(({ response }) => response.status === 409)
    expect(refused.map(({ response }) => [response.body.code, response.body.limit])).toEqual(
      refused.map(() => ['too_many_approvals', MAX_WAITING]),
    )
    expect((await ask(twoPeople.as('finance', 'Idle'))).response.status).toBe(202)
    const [first] = waiting
    await busy.post(`/api/approvals/${first?.approvalId}/refuse`, { reason: 'A mistake' })
    expect((await ask(busy)).response.status).toBe(202)
    world.clock.advance(APPROVAL_MS)
    expect((await ask(twoPeople.as('finance', 'Busy'))).response.status).toBe(202)
  })

  test('a request from outside cannot pass for a confirmed one', async () => {
    const response = await twoPeople.app.handle(
      new Request('http://console/api/test/fan/grants', {
        method: 'POST',
        body: JSON.stringify({ points: 1, reason: 'x' }),
        headers: { 'content-type': 'application/json', host: 'console', origin: 'http://console' },
      }),
    )
    expect(response.status).toBe(401)
  })

  test('happens at once if the setting does not contain its group', async () => {
    const { response, fanId } = await ask(onePerson.as('finance', 'Ada 2'))
    expect([response.status, done]).toEqual([200, [{ fanId, points: 50 }]])
  })

  describe('an unknown approval', () => {
    test.each(['confirm', 'refuse'])('cannot be decided: %s', async decision => {
      const person = twoPeople.as('owner', 'Edith 3')
      const { status, body } = await person.post(
        `/api/approvals/none/${decision}`,
        decision === 'refuse' ? { reason: 'x' } : {},
      )
      expect([status, body.code]).toEqual([404, 'approval_not_found'])
    })
  })
})
