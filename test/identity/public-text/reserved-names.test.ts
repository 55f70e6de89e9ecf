/** Names that look like those of the club, as fans write them into their profiles. */
import { expect, test } from 'bun:test'
import { eq } from 'drizzle-orm'
import { renameFan } from '../../../src/operate/admin/fans/corrections.ts'
import { expectStatus } from '../../play/packs/packs-world.ts'
import { onEachEngine } from '../../support/world.ts'

onEachEngine(
  'Reserved names',
  world => {
    test.each([
      'admin',
      'support',
      'adm1n',
      'supp0rt',
      'ad_min',
      '_admin_',
      'admin_24',
      'rnoderator',
      'harbour_city',
      'harbourcity1',
      'ultras1900',
      'admins',
      'support_team',
      'clubsupport',
    ])('the handle %s is taken', async handle => {
      const fan = await world.fan()
      for (const write of [
        () => fan.post('/api/user/profile', { handle }),
        () => fan.post('/api/user/onboarding', { profile: { handle } }),
      ]) {
        const { status, body } = await write()
        expect([status, body.code]).toEqual([409, 'handle_taken'])
      }
      expectStatus(201, await fan.post('/api/user/profile', { country: 'PT' }))
      expect((await fan.patch('/api/user/profile', { handle })).body.code).toBe('handle_taken')
      expect((await fan.get('/api/user/profile')).body.handle).toBeNull()
    })

    test.each([
      'Admin',
      'A d m i n',
      'SUPPORT!',
      'Ѕսрро\u0433т',
      'ꓮꓓꓟꓲꓠ',
      'Harbour City',
      'Harbour City Support ✓',
      'Moderators',
      'Нагбоυг Сіту',
    ])('a fan cannot choose the name %j', async displayName => {
      const fan = await world.fan()
      const { status, body } = await fan.post('/api/user/onboarding', { profile: { displayName } })
      expect(['text_not_allowed', 'validation_failed']).toContain(body.code)
      expect([status, body.errors[0].pointer]).toEqual([422, '/profile/displayName'])
    })

    test.each([
      { handle: `admiral_${1}`, displayName: 'Admiral' },
      { handle: 'supporter7', displayName: 'Joe Root' },
      { handle: 'ultras1901', displayName: 'Админ' },
      { handle: '4_the_win', displayName: '🏟️' },
    ])('a fan can choose %j', async names => {
      const fan = await world.fan()
      expectStatus(201, await fan.post('/api/user/profile', names))
    })

    test('staff can assign them, and fans who have one keep it', async () => {
      const fan = await world.fan()
      const { id } = expectStatus(201, await fan.post('/api/user/profile', { displayName: 'Ana' }))
      await world.db.write(tx => renameFan(tx, id, { handle: 'support', displayName: 'Support' }))
      const again = { handle: 'support', displayName: ' Support ', bio: 'Ask us.' }
      expect(expectStatus(200, await fan.post('/api/user/profile', again))).toMatchObject({
        ...{ handle: 'support', displayName: 'Support', bio: 'Ask us.' },
      })
      expectStatus(200, await fan.patch('/api/user/profile', { handle: 'ana_of_support' }))
      expect((await fan.patch('/api/user/profile', { handle: 'support' })).body.code).toBe('handle_taken')
      const { users } = world.db.tables
      expect(
        await world.db.read.select({ handle: users.handle }).from(users).where(eq(users.id, id)),
      ).toEqual([{ handle: 'ana_of_support' }])
    })
  },
  { env: { RESERVED_HANDLES: 'Harbour City, ultras1900' } },
)
