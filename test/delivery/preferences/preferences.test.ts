/** Which messages fans want: defaults, changes, consent, races. */
import { expect, test } from 'bun:test'
import { documentKind } from '../../../src/club/documents/document-kind.ts'
import { CATEGORIES } from '../../../src/club/notifications/categories.ts'
import { exportPreferences, readPreferences } from '../../../src/delivery/preferences/preferences.ts'
import { mergeFans } from '../../../src/operate/admin/merge/merge-fans.ts'
import { userIdOf } from '../../play/packs/packs-world.ts'
import { overrideSettings } from '../../support/settings.ts'
import { type Fan, onEachEngine } from '../../support/world.ts'

const PATH = '/api/user/notifications'

onEachEngine('Preferences of messages', world => {
  const idOf = async (fan: Fan) => (await userIdOf(world, fan)) ?? ''
  const inForce = async (fan: Fan) => {
    const id = await idOf(fan)
    return (await readPreferences(world.db.read, [id])).get(id)
  }
  const change = async (fan: Fan, body: object) => {
    const { status, body: answer } = await fan.patch(PATH, body)
    expect(status).toBe(200)
    return answer
  }
  const known = async () => {
    const fan = await world.fan()
    await fan.post('/api/user/profile', {})
    return fan
  }
  async function consent(fan: Fan, granted: boolean) {
    const entry = { id: 'newsletter', version: '1', purpose: 'marketing', text: 'Yes.' }
    await world.db.write(tx => documentKind.upsert(tx, entry))
    const { status } = await fan.put('/api/user/consents', { marketing: { granted, version: '1' } })
    expect(status).toBe(200)
  }

  test('are on by default except marketing, without quiet hours', async () => {
    const fan = await known()
    const on = { push: true, inbox: true }
    const { status, body } = await fan.get(PATH)
    expect([status, body]).toEqual([
      200,
      {
        ...{ account: on, orders: on, rewards: on, match: on, social: on },
        ...{ marketing: { push: false, inbox: false }, quiet: null, timeZone: null },
      },
    ])
    expect(await exportPreferences(world.db.read, await idOf(fan))).toBeNull()
    expect((await (await world.fan()).get(PATH)).body).toEqual(body)
  })

  test('keep what a change leaves out, and clear what is null', async () => {
    const fan = await known()
    const quiet = { from: '22:00', to: '07:30' }
    await change(fan, { social: { push: false }, quiet, timeZone: 'Europe/London' })
    const after = await change(fan, { social: { inbox: false }, account: { push: false, inbox: true } })
    expect(after).toMatchObject({
      social: { push: false, inbox: false },
      account: { push: false, inbox: true },
      quiet,
      timeZone: 'Europe/London',
    })
    expect(await inForce(fan)).toMatchObject({ quiet: { from: 1_320, to: 450 }, timeZone: 'Europe/London' })
    expect(await change(fan, {})).toEqual(after)
    expect(await change(fan, { quiet: null, timeZone: null })).toMatchObject({ quiet: null, timeZone: null })
    overrideSettings(world.db, { timeZone: 'Asia/Tokyo' })
    expect(await inForce(fan)).toMatchObject({ quiet: null, timeZone: 'Asia/Tokyo' })
    overrideSettings(world.db, { timeZone: null })
    expect((await inForce(fan))?.timeZone).toBe('UTC')
  })

  test('refuse what cannot be chosen, with its place', async () => {
    const fan = await known()
    const refusals = [
      [{ account: { inbox: false } }, '/account/inbox'],
      [{ orders: { inbox: false } }, '/orders/inbox'],
      [{ quiet: { from: '24:00', to: '07:00' } }, '/quiet/from'],
      [{ quiet: { from: '07:00', to: '07:00' } }, '/quiet/to'],
      [{ timeZone: '+02:00' }, '/timeZone'],
      [{ timeZone: 'Mars/Olympus' }, '/timeZone'],
    ] as const
    for (const [body, pointer] of refusals) {
      const answer = await fan.patch(PATH, body)
      expect([answer.status, answer.body.errors[0].pointer]).toEqual([422, pointer])
    }
    expect((await fan.patch(PATH, { news: { push: true } })).status).toBe(422)
    expect((await world.anonymous.get(PATH)).status).toBe(401)
  })

  test('of marketing hold only while the fan consents', async () => {
    const fan = await known()
    await change(fan, { marketing: { push: true, inbox: true } })
    const marketing = async () => {
      const { push, inbox } = (await inForce(fan)) ?? {}
      return [push?.marketing, inbox?.marketing]
    }
    expect(await marketing()).toEqual([false, false])
    await consent(fan, true)
    expect(await marketing()).toEqual([true, true])
    await consent(fan, false)
    expect(await marketing()).toEqual([false, false])
    await consent(fan, true)
    await change(fan, { marketing: { push: false } })
    expect(await marketing()).toEqual([false, true])
    // The consent without the switch.
    const other = await known()
    await consent(other, true)
    expect((await inForce(other))?.inbox.marketing).toBe(false)
  })

  test('are read of many fans together, each once', async () => {
    const [fan, other] = [await known(), await known()]
    await change(other, { match: { push: false } })
    const [id, otherId] = [await idOf(fan), await idOf(other)]
    const read = await readPreferences(world.db.read, [id, otherId, id, 'nobody'])
    expect([...read.keys()]).toEqual([id, otherId, 'nobody'])
    expect([...read.values()].map(({ push }) => push.match)).toEqual([true, false, true])
    expect(await readPreferences(world.db.read, [])).toEqual(new Map())
  })

  test('of concurrent changes all count', async () => {
    const fan = await known()
    const changed = CATEGORIES.map(category => ({ [category]: { push: category === 'marketing' } }))
    await Promise.all(changed.map(body => change(fan, body)))
    const { body } = await fan.get(PATH)
    expect(CATEGORIES.map(category => body[category].push)).toEqual([
      ...[false, false, false, false, false],
      true,
    ])
  })

  test('of a merged fan are kept if the other one has none', async () => {
    const merge = async (fromId: string, intoId: string) => {
      const by = { mergedBy: 'ana', reason: null }
      await world.db.write(tx => mergeFans(tx, { from: fromId, into: intoId, ...by }))
    }
    const [from, into] = [await known(), await known()]
    await change(from, { timeZone: 'Asia/Tokyo' })
    await merge(await idOf(from), await idOf(into))
    expect((await inForce(into))?.timeZone).toBe('Asia/Tokyo')
    const later = await known()
    await change(later, { timeZone: 'Europe/Madrid' })
    await merge(await idOf(later), await idOf(into))
    expect((await inForce(into))?.timeZone).toBe('Asia/Tokyo')
  })
})
