/** The keys by which the staff find fans: written with each name and address, and filled in where an older version wrote the row. */
import { expect, test } from 'bun:test'
import { eq, inArray } from 'drizzle-orm'
import { emailKeyOf, indexSearchKeys, nameKeyOf } from '../../../src/identity/users/search-keys.ts'
import { countStatements } from '../../support/queries.ts'
import { onEachEngine } from '../../support/world.ts'
import { deliver, updated } from './deliveries.ts'

test.each([
  ['João  Álvares', 'joao alvares'],
  ['ＡＤＡ', 'ada'],
  ['İstanbul', 'istanbul'],
  ['a\u200bd\u200ba', 'ada'],
  ['محمد', 'محمد'],
  ['\u200b', ''],
  ['x'.repeat(100), 'x'.repeat(64)],
  ['ﷺ'.repeat(10), 'صلى الله عليه وسلم'.repeat(10).slice(0, 64)],
])('the key of %j is %j', (name, key) => {
  expect(nameKeyOf(name)).toBe(key)
})

test('an address is found without its case', () => {
  expect(emailKeyOf(' Ada@Example.COM ')).toBe('ada@example.com')
})

onEachEngine('Search keys', world => {
  const read = async (subject: string) => {
    const { users, identities } = world.db.tables
    const [row] = await world.db.read
      .select({ id: users.id, own: users.nameKey, name: identities.nameKey, email: identities.emailKey })
      .from(users)
      .leftJoin(identities, eq(identities.userId, users.id))
      .where(eq(users.subject, subject))
    return row
  }

  test('follow each change of the profile and of the mirror', async () => {
    const fan = await world.fan()
    await fan.post('/api/user/onboarding', { profile: { displayName: 'Zoé' } })
    world.clock.advance(1_000)
    const claims = {
      updated_at: Math.floor(world.clock.ms / 1_000),
      name: 'Zoë Ünal',
      email: 'Zoe@Example.com',
    }
    expect((await deliver(world, updated(world, fan.subject, claims))).status).toBe(204)
    expect(await read(fan.subject)).toMatchObject({ own: 'zoe', name: 'zoe unal', email: 'zoe@example.com' })
    await fan.patch('/api/user/profile', { displayName: 'Zo' })
    expect((await read(fan.subject))?.own).toBe('zo')
    await fan.patch('/api/user/profile', { bio: 'Still here.' })
    expect((await read(fan.subject))?.own).toBe('zo')
    await fan.patch('/api/user/profile', { displayName: null })
    expect((await read(fan.subject))?.own).toBeNull()
  })

  /** As a version without the columns writes them. */
  const forget = (ids: string[]) =>
    world.db.write(async tx => {
      const { users, identities } = tx.tables
      await tx.update(users).set({ nameKey: null }).where(inArray(users.id, ids))
      await tx
        .update(identities)
        .set({ nameKey: null, emailKey: null })
        .where(inArray(identities.userId, ids))
    })

  async function fanCalled(displayName: string) {
    const fan = await world.fan()
    await fan.post('/api/user/onboarding', { profile: { displayName } })
    const row = await read(fan.subject)
    return { subject: fan.subject, id: row?.id ?? '', row }
  }

  test('of rows without them are filled in, once', async () => {
    const fan = await fanCalled('Bo')
    await forget([fan.id])
    expect(await indexSearchKeys(world, () => true)).toBe(0)
    expect(await indexSearchKeys(world)).toBe(2)
    expect(await read(fan.subject)).toEqual(fan.row)
    expect(await indexSearchKeys(world)).toBe(0)
  })

  test('are filled in by a number of statements that does not depend on that of the fans', async () => {
    const fans = [await fanCalled('Cy'), await fanCalled('Di'), await fanCalled('Eli')]
    const fill = () => countStatements(world.db, () => indexSearchKeys(world))
    await forget([fans[0]?.id ?? ''])
    const ofOne = await fill()
    await forget(fans.map(({ id }) => id))
    expect(await fill()).toBe(ofOne)
    for (const { subject, row } of fans) expect(await read(subject)).toEqual(row)
  })
})
