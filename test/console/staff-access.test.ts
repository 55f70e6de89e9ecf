/** Who has access to the console: the list, invitations, roles, and what a second person must confirm. */
import { describe, expect, test } from 'bun:test'
import { linkIdOf, providerIdOf } from '../../src/core/staff-ids.ts'
import { issueLink } from '../../src/identity/staff/sessions/links.ts'
import { sweepConsole } from '../../src/identity/staff/sweep.ts'
import type { ConsoleDeps } from '../../src/operate/console/deps.ts'
import { onEachEngine } from '../support/world.ts'
import { consoleOf } from './support.ts'

const HOUR = 3_600_000
const reason = 'Starts in May.'

interface Listed {
  staff: { id: string; name: string; role: string }
  way: string
  isYou: boolean
  sessions: { role: string }[]
  links: { role: string; expiresAt: string; invitedBy: string | null }[]
  lastSignInAt: string | null
}

onEachEngine('access of staff', world => {
  const withTwoPeople = (twoPerson: string[]) => () => {
    const { console } = world.config
    if (!console) throw new Error('the console is on in tests')
    // Guarantee of the cast: the configuration of tests with another member.
    return { config: { ...world.config, console: { ...console, twoPerson } } as ConsoleDeps['config'] }
  }
  const onePerson = consoleOf(world)
  const twoPeople = consoleOf(world, withTwoPeople(['money']))
  const { anonymous, as, client, signIn } = onePerson
  const owner = as('owner', 'Olga Owner')

  let count = 0
  const nextName = () => `Person ${['one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight'][count++]}`
  const listed = async (id: string): Promise<Listed | undefined> => {
    const { people }: { people: Listed[] } = (await owner.get('/api/staff')).body
    return people.find(({ staff }) => staff.id === id)
  }
  const invite = (name: string, role: string, by = owner) =>
    by.post('/api/staff/invite', { name, role, reason })
  /** Signs in with the link; the request's cookie is the session. */
  async function use(secret: string) {
    const { status, headers, body } = await anonymous.post('/api/session/sign-in', { secret })
    expect(status).toBe(200)
    const [cookie = ''] = (headers.get('set-cookie') ?? '').split(';')
    return { cookie, 'x-csrf-token': body.csrfToken, origin: 'http://localhost:3100' }
  }

  test('an invitation signs its person in once, within a day, and is recorded with its reason', async () => {
    const name = nextName()
    const { status, body } = await invite(name, 'moderator')
    expect([status, body.staffId]).toEqual([201, linkIdOf(name)])
    expect((await listed(body.staffId))?.links).toEqual([
      expect.objectContaining({ role: 'moderator', expiresAt: body.expiresAt, invitedBy: 'Olga Owner' }),
    ])
    world.clock.advance(23 * HOUR)
    const headers = await use(body.secret)
    expect((await client(headers).get('/api/session')).body.staff).toEqual({
      id: body.staffId,
      name,
      role: 'moderator',
    })
    expect((await anonymous.post('/api/session/sign-in', { secret: body.secret })).status).toBe(401)
    const person = await listed(body.staffId)
    expect(person).toMatchObject({ way: 'link', isYou: false, links: [], sessions: [{ role: 'moderator' }] })
    expect(person?.lastSignInAt).not.toBeNull()
    const { entries } = (await owner.get(`/api/audit?subjectKind=staff&subjectId=${body.staffId}`)).body
    expect(entries).toMatchObject([{ operation: 'inviteStaff', reason, detail: { role: 'moderator' } }])
    expect(JSON.stringify(entries)).not.toContain(body.secret)
  })

  test('an invitation ends after a day', async () => {
    const { secret } = (await invite(nextName(), 'moderator')).body
    world.clock.advance(24 * HOUR)
    expect((await anonymous.post('/api/session/sign-in', { secret })).status).toBe(401)
  })

  test('a name must be visible text, and the error names its field', async () => {
    for (const name of ['\u200B', ' Ada', 'Ada\u202E']) {
      const { status, body } = await invite(name, 'moderator')
      expect([status, body.errors?.[0]?.pointer]).toEqual([422, '/name'])
    }
  })

  test('a change of role applies at once to sessions and unused links', async () => {
    const name = nextName()
    const session = await signIn('support', name)
    const { secret } = await world.db.write(tx => issueLink(tx, { name, role: 'support' }))
    const body = { staffId: linkIdOf(name), role: 'editor', reason }
    expect((await owner.post('/api/staff/role', body)).body).toEqual({ sessions: 1, links: 1 })
    const { staff, permissions } = (await client(session.headers).get('/api/session')).body
    expect([staff.role, permissions.includes('fans.read')]).toEqual(['editor', false])
    expect((await client(session.headers).get('/api/fans?text=ana')).status).toBe(403)
    expect((await anonymous.post('/api/session/link', { secret })).body.role).toBe('editor')
  })

  test('nobody changes their own role, also not by an invitation', async () => {
    const staffId = linkIdOf('Olga Owner')
    const changed = await owner.post('/api/staff/role', { staffId, role: 'support', reason })
    expect([changed.status, changed.body.code]).toEqual([409, 'own_role'])
    const invited = await invite('olga owner', 'support')
    expect([invited.status, invited.body.code]).toEqual([409, 'own_role'])
    expect((await invite('olga owner', 'owner')).status).toBe(201)
  })

  test('roles of the provider are not changed here, and a person without access has none', async () => {
    const staffId = providerIdOf('https://sso.club.example', 'ada')
    await signIn('support', 'Ada', staffId)
    const ofProvider = await owner.post('/api/staff/role', { staffId, role: 'editor', reason })
    expect([ofProvider.status, ofProvider.body.code]).toEqual([409, 'role_of_provider'])
    expect(await listed(staffId)).toMatchObject({ way: 'provider', sessions: [{ role: 'support' }] })
    const gone = await owner.post('/api/staff/role', { staffId: 'link:nobody', role: 'editor', reason })
    expect([gone.status, gone.body.code]).toEqual([404, 'staff_not_found'])
  })

  test('the end of access removes the person from the list of those with access', async () => {
    const name = nextName()
    const { secret, staffId } = (await invite(name, 'moderator')).body
    await signIn('moderator', name)
    await owner.post('/api/staff/end-sessions', { staffId, reason: 'Left' })
    expect(await listed(staffId)).toBeUndefined()
    expect((await anonymous.post('/api/session/sign-in', { secret })).status).toBe(401)
  })

  test('only owners see and change access', async () => {
    for (const role of ['support', 'editor', 'moderator', 'finance'] as const) {
      const answers = [
        await as(role).get('/api/staff'),
        await invite('Eve', 'owner', as(role)),
        await as(role).post('/api/staff/role', { staffId: 'link:eve', role: 'owner', reason }),
      ]
      expect(answers.map(({ status }) => status)).toEqual([403, 403, 403])
    }
  })

  describe('with the two-person rule', () => {
    const first = twoPeople.as('owner', 'First')
    const second = twoPeople.as('owner', 'Second')
    const grant = (by: typeof first) =>
      by.post('/api/keys', { source: `crm-${count++}`, scopes: ['points:write'], reason })
    /** Asked by the first owner, confirmed by the second, who sees the link. */
    async function inviteByTwo(name: string, role: string) {
      const asked = await invite(name, role, first)
      expect(asked.status).toBe(202)
      expect((await invite(name, role, second)).status).toBe(202)
      const confirmed = await second.post(`/api/approvals/${asked.body.approvalId}/confirm`, {})
      expect([confirmed.status, confirmed.body.status]).toEqual([200, 201])
      return twoPeople.client(await use(confirmed.body.result.secret))
    }

    test('a role that can ask or confirm needs a second person; another role does not', async () => {
      expect((await invite('Mo', 'moderator', first)).status).toBe(201)
      await signIn('moderator', 'Mo')
      for (const role of ['support', 'editor', 'finance', 'owner'])
        expect((await first.post('/api/staff/role', { staffId: linkIdOf('Mo'), role, reason })).status).toBe(
          202,
        )
      const { roles } = (await first.get('/api/staff')).body
      expect(
        roles.flatMap((one: { role: string; needsSecondPerson: boolean }) =>
          one.needsSecondPerson ? [one.role] : [],
        ),
      ).toEqual(['support', 'editor', 'finance', 'owner'])
    })

    test('who saw a link cannot confirm what its person asks, nor the other way round', async () => {
      const third = await inviteByTwo('Third', 'owner')
      const byThird = (await grant(third)).body.approvalId
      const refused = await second.post(`/api/approvals/${byThird}/confirm`, {})
      expect([refused.status, refused.body.code]).toEqual([403, 'own_approval'])
      const bySecond = (await grant(second)).body.approvalId
      expect((await third.post(`/api/approvals/${bySecond}/confirm`, {})).body.code).toBe('own_approval')
      // Two people with links of one person may both be that person.
      const fourth = await inviteByTwo('Fourth', 'owner')
      expect((await fourth.post(`/api/approvals/${byThird}/confirm`, {})).body.code).toBe('own_approval')
      const { approvals } = (await second.get('/api/approvals?state=pending')).body
      expect(approvals.find(({ id }: { id: string }) => id === byThird)?.mayConfirm).toBe(false)
      expect((await first.post(`/api/approvals/${byThird}/confirm`, {})).status).toBe(200)
    })

    test('what a used link says of its inviter outlives each request that began with it', async () => {
      const person = await inviteByTwo('Late', 'owner')
      world.clock.advance(7 * HOUR)
      const asked = (await grant(person)).body.approvalId
      world.clock.advance(23 * HOUR)
      await sweepConsole(world.db)
      const again = await twoPeople.as('owner', 'Second').post(`/api/approvals/${asked}/confirm`, {})
      expect(again.body.code).toBe('own_approval')
    })
  })
})
