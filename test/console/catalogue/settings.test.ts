/** The settings in the console: one entry, with history, in which variables of the environment are shown. */
import { expect, test } from 'bun:test'
import { settingsOf } from '../../../src/platform/settings/settings.ts'
import { overrideSettings } from '../../support/settings.ts'
import { onEachEngine } from '../../support/world.ts'
import { consoleOf } from '../support.ts'

const PATH = '/api/catalogue/settings/entries/club'
const reason = 'As decided by the board.'

onEachEngine(
  'The settings in the console',
  world => {
    const { as } = consoleOf(world)
    const editor = as('editor')
    const strict = consoleOf(world, () => {
      const { config } = world
      if (!config.console) throw new Error('the world has a console')
      return { config: { ...config, console: { ...config.console, twoPerson: ['money'] } } }
    })
    const read = async () => (await editor.get(PATH)).body
    const save = (entry: object, revision: number) => editor.put(PATH, { entry, revision, reason })

    test('are there before anybody has stated one, and are the only entry of their kind', async () => {
      const { kinds } = (await editor.get('/api/catalogue')).body
      expect(kinds.find(({ kind }: { kind: string }) => kind === 'settings')).toMatchObject({
        ...{ only: 'club', entries: 1, active: 1 },
      })
      const { entries } = (await editor.get('/api/catalogue/settings')).body
      expect(entries).toMatchObject([{ id: 'club', title: 'Settings', state: 'live' }])
      expect(await read()).toMatchObject({ revision: 0, entry: { onboardingPoints: null }, overridden: [] })
    })

    test('are saved with a reason, refused with the place, and restored to how they were', async () => {
      expect((await save({ openTradesPerFan: 3 }, 0)).body).toEqual({ outcome: 'changed', revision: 1 })
      expect((await save({ openTradesPerFan: 4 }, 0)).body.code).toBe('revision_conflict')
      const refused = await save({ openTradesPerFan: 0, termsUrl: 'ftp://club.example' }, 1)
      expect([refused.status, refused.body.errors[0].pointer]).toEqual([422, '/entry/openTradesPerFan'])
      expect((await save({ openTradesPerFan: 4 }, 1)).body).toEqual({ outcome: 'changed', revision: 2 })
      expect(await settingsOf(world.db.read)).toMatchObject({ openTradesPerFan: 4 })
      const { revisions } = (await editor.get(`${PATH}/history`)).body
      expect(revisions).toMatchObject([
        { revision: 2, reason },
        { revision: 1, reason },
        { revision: 0, source: 'before' },
      ])
      for (const [restore, revision, openTradesPerFan] of [
        [1, 2, 3],
        [0, 3, 20],
      ]) {
        const { status } = await editor.post(`${PATH}/restore`, { restore, revision, reason })
        expect(status).toBe(200)
        expect(await settingsOf(world.db.read)).toMatchObject({ openTradesPerFan })
      }
    })

    test('of which a variable is set are read-only in the form, which names the variable', async () => {
      const end = overrideSettings(world.db, { onboardingPoints: 150 })
      const { overridden, schema } = await read()
      end()
      expect(overridden).toEqual([{ member: 'onboardingPoints', by: 'ONBOARDING_POINTS', value: 150 }])
      expect(schema.properties.onboardingPoints).toMatchObject({
        readOnly: true,
        description: 'Set by ONBOARDING_POINTS, which wins: 150.',
      })
      expect(schema.properties.packHoldsPerFan.readOnly).toBeUndefined()
    })

    test('cannot be switched off, and have no other entry', async () => {
      const { revision } = await read()
      const { status, body } = await editor.post(`${PATH}/activation`, { active: false, revision, reason })
      expect([status, body.errors[0].pointer]).toEqual([422, '/active'])
      const other = await editor.put('/api/catalogue/settings/entries/other', {
        ...{ entry: { id: 'other' }, revision: null, reason },
      })
      expect([other.status, other.body.errors[0].pointer]).toEqual([422, '/entry/id'])
    })

    test.each([
      ['onboardingPoints', 10_000_000_000],
      ['pointsExpireAfterDays', 5],
      ['referralCompletes', 'no dots'],
      ['pointValue', -1],
      ['referralLimit', -1],
    ])('that give points are refused before a second person is asked: %s %p', async (member, value) => {
      const two = strict.as('editor', 'Three')
      const { revision } = await read()
      const { status, body } = await two.put(PATH, { entry: { [member]: value }, revision, reason })
      expect([status, body.errors?.[0].pointer]).toEqual([422, `/entry/${member}`])
      expect((await strict.as('owner').get('/api/approvals')).body.approvals).toEqual([])
    })

    test('that give points are refused with an old revision, whichever way they are changed', async () => {
      const two = strict.as('editor', 'Four')
      const { revision } = await read()
      expect((await save({ onboardingPoints: 10 }, revision)).status).toBe(200)
      expect((await save({ onboardingPoints: 20 }, revision + 1)).status).toBe(200)
      const entry = { onboardingPoints: 30 }
      const saved = await two.put(PATH, { entry, revision: revision + 1, reason })
      const old = { restore: revision + 1, revision: revision + 1, reason }
      const restored = await two.post(`${PATH}/restore`, old)
      for (const { status, body } of [saved, restored])
        expect([status, body.code]).toEqual([409, 'revision_conflict'])
      expect((await strict.as('owner').get('/api/approvals')).body.approvals).toEqual([])
    })

    test('that give points need a second person, others do not, whichever way they are changed', async () => {
      const two = strict.as('editor', 'Two')
      const { revision } = await read()
      const put = (entry: object, seen: number) => two.put(PATH, { entry, revision: seen, reason })
      expect((await put({ tradeRestHours: 12 }, revision)).status).toBe(200)
      for (const entry of [
        { tradeRestHours: 12, onboardingPoints: 1_000 },
        { tradeRestHours: 12, predictionPointsExact: 1_000 },
        { tradeRestHours: 12, pointsExpireAfterDays: 60 },
      ])
        expect((await put(entry, revision + 1)).body.code).toBe('approval_required')
      expect((await save({ tradeRestHours: 12, onboardingPoints: 1_000 }, revision + 1)).status).toBe(200)
      const restored = await two.post(`${PATH}/restore`, {
        restore: revision,
        revision: revision + 2,
        reason,
      })
      expect(restored.body.code).toBe('approval_required')
      expect(await settingsOf(world.db.read)).toMatchObject({ onboardingPoints: 1_000 })
    })
  },
  { worldPer: 'test' },
)
