/** Leagues in the console: found by name and code, read with members and reports, and renamed with a reason. */
import { expect, test } from 'bun:test'
import { namedFan } from '../identity/relations/relations-world.ts'
import { create, join, read } from '../play/leagues/leagues-world.ts'
import { onEachEngine } from '../support/world.ts'
import { consoleOf } from './support.ts'

onEachEngine('leagues in the console', world => {
  const { as } = consoleOf(world)
  const [ana, editor] = [as('moderator', 'Ana'), as('editor', 'Eva')]

  async function madeLeague(name: string) {
    const [owner, member] = [await namedFan(world), await namedFan(world)]
    const league = await create(owner, { name })
    await join(member, league.code)
    return { owner, member, id: String(league.id), code: String(league.code) }
  }
  const find = async (text: string) =>
    (await ana.get(`/api/leagues?text=${encodeURIComponent(text)}`)).body.leagues as { id: string }[]

  test('are found by part of the name, by the code in any spelling, and not by wildcards', async () => {
    const { id, code, owner } = await madeLeague('50%_off Rovers')
    expect(await find('off rov')).toEqual([
      expect.objectContaining({
        ...{ id, name: '50%_off Rovers', code, members: 2, openReports: 0, locked: false },
        owner: { id: owner.id, handle: owner.handle, displayName: `Name of ${owner.handle}` },
      }),
    ])
    expect(await find(code.toLowerCase().replace('-', ' '))).toHaveLength(1)
    expect(await find('50%_off')).toHaveLength(1)
    expect(await find('50x_off')).toEqual([])
    const { body } = await ana.get('/api/leagues?text=&limit=1')
    expect(body.leagues).toHaveLength(1)
    expect((await editor.get('/api/leagues')).status).toBe(403)
  })

  test('are read with their members in pages, and with reports that lead to the case', async () => {
    const { id, owner, member } = await madeLeague('Rude name')
    const subject = { kind: 'league', id }
    const report = { subject, reason: 'harassment', note: 'Insults us.' }
    const { body: filed } = await member.post('/api/reports', report)
    const { body } = await ana.get(`/api/leagues/${id}`)
    expect(body).toMatchObject({
      ...{ caseId: filed.id, openReports: 1, owner: { id: owner.id } },
      reports: [{ id: filed.id, reason: 'harassment', note: 'Insults us.', isOpen: true }],
    })
    const first = (await ana.get(`/api/leagues/${id}/members?limit=1`)).body
    const rest = (await ana.get(`/api/leagues/${id}/members?limit=1&cursor=${first.nextCursor}`)).body
    const ids = [first, rest].flatMap(({ members }) => members.map((one: { id: string }) => one.id))
    expect(ids.toSorted()).toEqual([owner.id, member.id].toSorted())
    expect(rest.nextCursor).toBeNull()
    expect((await ana.get('/api/leagues/none')).body.code).toBe('league_not_found')
  })

  test('get another name from a moderator, with a reason that the audit log keeps', async () => {
    const { id, member, owner } = await madeLeague('Another rude name')
    const name = { name: ' League of friends ', reason: 'An insult to another club.' }
    expect((await editor.post(`/api/leagues/${id}/name`, name)).status).toBe(403)
    expect((await ana.post(`/api/leagues/${id}/name`, { name: 'No reason' })).status).toBe(422)
    expect((await ana.post(`/api/leagues/${id}/name`, name)).status).toBe(204)
    expect((await read(member, id)).name).toBe('League of friends')
    expect((await ana.post('/api/leagues/none/name', name)).body.code).toBe('league_not_found')
    const rows = await world.db.read.select().from(world.db.tables.consoleAudit)
    expect(
      rows.find(({ operation, subjectId }) => operation === 'renameLeague' && subjectId === id),
    ).toMatchObject({
      ...{ subjectKind: 'league', reason: 'An insult to another club.' },
      detail: JSON.stringify({ fanId: owner.id, changed: ['name'] }),
    })
  })

  test('keep the name of a moderator until one releases it, also with another owner', async () => {
    const { id, member, owner } = await madeLeague('A third rude name')
    const rename = (fan: typeof owner, name: string) => fan.patch(`/api/leagues/${id}`, { name })
    expect((await rename(owner, 'A fourth rude name')).status).toBe(200)
    const reason = 'An insult to another club.'
    await ana.post(`/api/leagues/${id}/name`, { name: 'League of friends', reason })
    const refused = await rename(owner, 'A third rude name')
    expect([refused.status, refused.body.code]).toEqual([409, 'name_held'])
    // With other changes nothing is changed.
    const both = await owner.patch(`/api/leagues/${id}`, { name: 'Rude', locked: true })
    expect([both.status, both.body.code]).toEqual([409, 'name_held'])
    expect(await read(owner, id)).toMatchObject({ name: 'League of friends', locked: false })
    expect((await owner.patch(`/api/leagues/${id}`, { owner: member.handle })).status).toBe(200)
    expect((await rename(member, 'A third rude name')).body.code).toBe('name_held')
    expect((await ana.get(`/api/leagues/${id}`)).body.nameHeldAt).toBe(world.clock.now().toISOString())
    const back = { name: 'League of friends', held: false, reason: 'They have apologised.' }
    expect((await ana.post(`/api/leagues/${id}/name`, back)).status).toBe(204)
    expect((await ana.get(`/api/leagues/${id}`)).body.nameHeldAt).toBeNull()
    expect((await rename(member, 'Friends')).status).toBe(200)
  })
})
