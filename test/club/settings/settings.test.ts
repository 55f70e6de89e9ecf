/** The settings of the club: one entry of the catalogue, in force in every process. */
import { afterEach, describe, expect, test } from 'bun:test'
import { openDatabase } from '../../../db/index.ts'
import { createSpine } from '../../../src/app/spine.ts'
import { settingsKind } from '../../../src/club/settings/settings-kind.ts'
import { DomainError } from '../../../src/core/problems.ts'
import { realSources } from '../../../src/core/sources.ts'
import { defaultSettings, SETTING_NAMES, type Settings } from '../../../src/platform/config/settings.ts'
import { settingsOf } from '../../../src/platform/settings/settings.ts'
import { parseRecord } from '../../../src/play/catalogue-file/check-record.ts'
import { writeRecord } from '../../../src/play/catalogue-file/kinds.ts'
import { readCatalogue } from '../../../src/play/catalogue-file/read-file.ts'
import { overrideSettings } from '../../support/settings.ts'
import { onEachEngine } from '../../support/world.ts'

onEachEngine('The settings', world => {
  const state = (values: Partial<Settings>) =>
    world.db.write(tx => writeRecord(tx, { kind: 'settings', entry: { id: 'club', ...values } }))
  const inForce = () => settingsOf(world.db.read)
  afterEach(() => state({}))

  test('have their defaults until the club states others', async () => {
    expect(await inForce()).toEqual(defaultSettings)
    expect(await state({ onboardingPoints: 250 })).toMatchObject({
      outcome: 'changed',
      members: { onboardingPoints: [null, 250] },
    })
    expect(await inForce()).toEqual({ ...defaultSettings, onboardingPoints: 250 })
    expect(await state({ onboardingPoints: 250 })).toMatchObject({ outcome: 'unchanged' })
    await state({})
    expect(await inForce()).toEqual(defaultSettings)
  })

  test('are what a verb uses at once after the commit: onboarding grants as many points', async () => {
    await state({ onboardingPoints: 7 })
    const { body } = await (await world.fan()).post('/api/user/onboarding', {})
    expect(body.reward.points).toBe(7)
    await state({ onboardingPoints: 8 })
    const next = await (await world.fan()).post('/api/user/onboarding', {})
    expect(next.body.reward.points).toBe(8)
  })

  test('decide which names fans can have, and which texts they can write', async () => {
    const fan = await world.fan()
    await state({ reservedHandles: ['kop'], textFilter: 'block', textFilterList: ['rivals'] })
    const refused = await fan.post('/api/user/profile', { handle: 'kop1892' })
    expect([refused.status, refused.body.code]).toEqual([409, 'handle_taken'])
    const words = await fan.post('/api/user/profile', { displayName: 'Our rivals' })
    expect([words.status, words.body.code]).toEqual([422, 'text_not_allowed'])
    await state({ termsVersion: '2026-11', termsUrl: 'https://club.example/terms' })
    expect((await fan.get('/api/user/terms')).body).toMatchObject({ required: '2026-11' })
    const unaccepted = await fan.post('/api/user/profile', { displayName: 'Our rivals' })
    expect([unaccepted.body.code, unaccepted.body.required]).toEqual(['terms_not_accepted', '2026-11'])
    await state({})
    expect((await fan.post('/api/user/profile', { handle: 'kop1892' })).status).toBe(201)
  })

  test('are overridden by the environment, which is named', async () => {
    await state({ onboardingPoints: 5, tradeRestHours: 1 })
    const end = overrideSettings(world.db, { onboardingPoints: 9 })
    expect(await inForce()).toMatchObject({ onboardingPoints: 9, tradeRestHours: 1 })
    expect(settingsKind.overriddenIn(world.db.read)).toEqual([
      { member: 'onboardingPoints', by: 'ONBOARDING_POINTS', value: 9 },
    ])
    end()
    expect(await inForce()).toMatchObject({ onboardingPoints: 5 })
  })

  test('stay the same within a unit of work, and one that is rolled back leaves nothing', async () => {
    await world.db.write(async tx => {
      const before = await settingsOf(tx)
      world.db.read.spine.settings.known = undefined
      expect(await settingsOf(tx)).toBe(before)
    })
    const failing = world.db.write(async tx => {
      await writeRecord(tx, { kind: 'settings', entry: { id: 'club', onboardingPoints: 666 } })
      world.db.read.spine.settings.known = undefined
      expect(await settingsOf(tx)).toMatchObject({ onboardingPoints: 666 })
      throw new Error('rolled back')
    })
    await expect(failing).rejects.toThrow('rolled back')
    expect(await inForce()).toEqual(defaultSettings)
  })

  test('that another process changes are in force within half a second, without a statement for each use', async () => {
    if (!world.databaseUrl) return
    const other = openDatabase(world.databaseUrl, { ...realSources, elapsed: world.clock.elapsed } as never, {
      spine: createSpine(),
    })
    let statements = 0
    const spine = other.read.spine.settings
    const { readStated } = spine
    Object.assign(spine, {
      elapsed: world.clock.elapsed,
      readStated: (reader: never) => {
        statements++
        return readStated(reader)
      },
    })
    expect(await settingsOf(other.read)).toEqual(defaultSettings)
    await state({ onboardingPoints: 12 })
    world.clock.advance(499)
    for (let n = 0; n < 50; n++) await settingsOf(other.read)
    expect(statements).toBe(1)
    world.clock.advance(1)
    expect(await settingsOf(other.read)).toMatchObject({ onboardingPoints: 12 })
    expect(statements).toBe(2)
    await other.close()
  })

  test('that two change at once are changed one after the other', async () => {
    const values = Array.from({ length: 8 }, (_, index) => index + 1)
    await Promise.all(values.map(onboardingPoints => state({ onboardingPoints })))
    const { onboardingPoints } = await inForce()
    expect(values).toContain(onboardingPoints)
    const [entry] = await settingsKind.read(world.db.read, ['club'])
    expect(entry?.onboardingPoints).toBe(onboardingPoints)
  })
})

describe('The entry of the settings', () => {
  const faultsOf = (values: object) => {
    try {
      parseRecord('settings', values)
      return []
    } catch (error) {
      if (!(error instanceof DomainError)) throw error
      return (error.explanation.errors ?? []).map(fault => ('pointer' in fault ? fault.pointer : ''))
    }
  }

  test('has a member for each setting, all of them optional', () => {
    expect(faultsOf({})).toEqual([])
    expect(faultsOf(Object.fromEntries(SETTING_NAMES.map(name => [name, null])))).toEqual([])
    expect(faultsOf({ ...defaultSettings })).toEqual([])
  })

  test.each([
    [{ onboardingPoints: -1 }, '/onboardingPoints'],
    [{ onboardingPoints: '5' }, '/onboardingPoints'],
    [{ onbordingPoints: 5 }, '/onbordingPoints'],
    [{ pointsExpireAfterDays: 30 }, '/pointsExpireAfterDays'],
    [{ eventRetentionDays: 30 }, '/eventRetentionDays'],
    [{ openTradesPerFan: 0 }, '/openTradesPerFan'],
    [{ textFilter: 'on' }, '/textFilter'],
    [{ textFilterList: ['rivals', '!'] }, '/textFilterList/1'],
    [{ reservedHandles: ['kop', '--'] }, '/reservedHandles/1'],
    [{ termsVersion: 'of today' }, '/termsVersion'],
    [{ appUrl: 'http://app.club.example' }, '/appUrl'],
    [{ termsUrl: 'http://club.example/terms' }, '/termsUrl'],
    [{ termsUrl: 'https://user:secret@club.example/' }, '/termsUrl'],
  ])('refuses %j with its place', (values, pointer) => {
    expect(faultsOf(values)).toEqual([pointer])
  })

  test('is an object of a file, with the lines of its faults', () => {
    const text = JSON.stringify({ settings: { onboardingPoints: 5, termsVersion: 'of today' } }, null, 1)
    const { faults, records } = readCatalogue(text, false)
    expect(faults).toMatchObject([{ line: 4, pointer: '/settings/termsVersion' }])
    expect(records).toEqual([])
    expect(readCatalogue('{"settings":[]}', false).faults).toMatchObject([{ pointer: '/settings' }])
    const twice = '{"kind":"settings","onboardingPoints":5}\n{"kind":"settings","entry":{}}'
    expect(readCatalogue(twice, true).faults).toMatchObject([
      { line: 2, message: 'is a duplicate of line 1' },
    ])
    const [{ record } = {}] = readCatalogue('{"settings":{"onboardingPoints":5}}', false).records
    expect(record).toEqual({ kind: 'settings', entry: { id: 'club', onboardingPoints: 5 } })
  })
})
