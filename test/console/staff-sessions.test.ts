/** Sessions of staff, as owners list and end them. */
import { expect, test } from 'bun:test'
import { linkIdOf } from '../../src/core/staff-ids.ts'
import { issueLink, useLink } from '../../src/identity/staff/sessions/links.ts'
import { waitUntil } from '../support/wait-until.ts'
import { onEachEngine } from '../support/world.ts'
import { consoleOf } from './support.ts'

const MINUTE = 60_000

onEachEngine('sessions of staff', world => {
  const { anonymous, as, client, signIn } = consoleOf(world)
  const owner = as('owner')
  const idsOf = async (name: string): Promise<string[]> => {
    const { sessions } = (await owner.get('/api/staff/sessions')).body
    const own = sessions.filter(({ staff }: { staff: { name: string } }) => staff.name === name)
    return own.map(({ id }: { id: string }) => id)
  }

  test('are listed with the person, until they end or expire', async () => {
    const [first, second] = [await signIn('support', 'Ada'), await signIn('support', 'Ada')]
    expect((await idsOf('Ada')).toSorted()).toEqual([first.id, second.id].toSorted())
    await client(first.headers).post('/api/session/end', {})
    expect(await idsOf('Ada')).toEqual([second.id])
  })

  test('show when they were last used, to the minute', async () => {
    const { id, headers } = await signIn('support', 'Used')
    const lastUseOf = async () => {
      const { sessions } = (await owner.get('/api/staff/sessions')).body
      return sessions.find((session: { id: string }) => session.id === id)?.lastUsedAt
    }
    const created = await lastUseOf()
    world.clock.advance(5 * MINUTE)
    await client(headers).get('/api/session')
    await waitUntil('the use is recorded', async () => (await lastUseOf()) !== created)
    expect(await lastUseOf()).toBe(new Date(world.clock.ms - (world.clock.ms % MINUTE)).toISOString())
  })

  test('are ended by an owner, at once, with a reason in the audit log', async () => {
    const { id, headers } = await signIn('finance', 'Grace')
    const { status, body } = await owner.post(`/api/staff/sessions/${id}/end`, { reason: 'A lost laptop' })
    expect([status, body]).toEqual([200, { ended: 1 }])
    expect((await client(headers).get('/api/session')).status).toBe(401)
    const { entries } = (await owner.get(`/api/audit?subjectKind=session&subjectId=${id}`)).body
    expect(entries[0]).toMatchObject({
      operation: 'endStaffSession',
      reason: 'A lost laptop',
      detail: { staffId: 'link:grace' },
    })
    const again = await owner.post(`/api/staff/sessions/${id}/end`, { reason: 'x' })
    expect([again.status, again.body.code]).toEqual([404, 'session_not_found'])
  })

  test('of a person end together, with links that were not used yet', async () => {
    const name = 'Mary'
    const [one, two] = [await signIn('editor', name), await signIn('editor', name)]
    const { secret } = await world.db.write(tx => issueLink(tx, { name, role: 'editor' }))
    const { body } = await owner.post('/api/staff/end-sessions', { staffId: linkIdOf(name), reason: 'Left' })
    expect(body).toEqual({ ended: 2 })
    for (const { headers } of [one, two]) expect((await client(headers).get('/api/session')).status).toBe(401)
    expect((await anonymous.post('/api/session/sign-in', { secret })).status).toBe(401)
  })

  test('of all spellings of a name belong to one person, and end together', async () => {
    const spellings = ['Ada Byron', 'ada byron', 'Áda-Byron']
    const sessions = []
    for (const name of spellings) {
      const { secret } = await world.db.write(tx => issueLink(tx, { name, role: 'editor' }))
      sessions.push(await world.db.write(tx => useLink(tx, secret)))
    }
    expect(new Set(sessions.map(({ staff }) => staff.id))).toEqual(new Set(['link:adabyron']))
    const { body } = await owner.post('/api/staff/end-sessions', { staffId: 'link:adabyron', reason: 'Left' })
    expect(body).toEqual({ ended: 3 })
  })

  test('of an earlier version, which did not store the issuer, are none', async () => {
    const { headers } = await signIn('owner', 'Ida', 'provider:ida')
    expect((await client(headers).get('/api/session')).status).toBe(401)
  })

  test('need a reason', async () => {
    const { id } = await signIn('editor', 'Joan')
    for (const body of [{}, { reason: '' }, { reason: ' ' }, { reason: 'x'.repeat(501) }])
      expect((await owner.post(`/api/staff/sessions/${id}/end`, body)).status).toBe(422)
    expect(await idsOf('Joan')).toEqual([id])
  })
})
