/** `DELETE /api/user`: a fan erases their own account. */
import { expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, rmdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { verifyLedger } from '../../../src/audit/runs/verify-ledger.ts'
import { readErasures } from '../../../src/fan/account/erasure-list.ts'
import { upsertProfile } from '../../../src/fan/profile/profile.ts'
import { reapplyErasures } from '../../../src/operate/admin/reapply-erasures.ts'
import { follow, namedFan } from '../../identity/relations/relations-world.ts'
import { refusal } from '../../play/packs/packs-world.ts'
import { type Fan, onEachEngine } from '../../support/world.ts'
import { writerOf } from '../../support/writer.ts'

const MINUTE = 60_000
const folder = mkdtempSync(join(tmpdir(), 'matchday-test-'))
process.on('exit', () => rmSync(folder, { recursive: true, force: true }))
const LIST = join(folder, 'erasures.ndjson')

const deleteAccount = (fan: Pick<Fan, 'send'>) => fan.send('/api/user', { method: 'DELETE' })

onEachEngine(
  'DELETE /api/user',
  world => {
    async function onboarded() {
      const fan = await world.fan()
      const answer = await fan.post('/api/user/onboarding', { profile: { displayName: 'Ada', bio: 'Row 7' } })
      expect(answer.status).toBe(200)
      const { id } = (await fan.get('/api/user/profile')).body
      return { ...fan, id }
    }
    const signIn = async (subject: string, claims: Record<string, unknown>) =>
      world.withToken(await world.idp.issueToken(subject, { claims }))
    const seconds = (ago: number) => Math.floor((world.clock.ms - ago) / 1000)

    test('erases the fan, ends all of their tokens at once, and keeps the ledger sound', async () => {
      const fan = await onboarded()
      const device = (await fan.post('/api/auth/native-token')).body
      const { status, body } = await deleteAccount(fan)
      expect([status, body]).toEqual([204, undefined])
      const fresh = await world.idp.issueToken(fan.subject)
      for (const token of [fan.token, device.token, fresh])
        expect(refusal(await world.withToken(token).get('/api/user/profile'))).toEqual([401, 'invalid_token'])
      const renewed = await world.anonymous.post('/api/auth/native-token/refresh', {
        refreshToken: device.refreshToken,
      })
      expect(refusal(renewed)).toEqual([401, 'invalid_refresh_token'])
      const board = (await world.anonymous.get('/api/leaderboard')).body.entries
      const place = board.find(({ userId }: { userId: string }) => userId === fan.id)
      expect(place).toMatchObject({ displayName: null, avatarUrl: null, points: 100 })
      expect((await verifyLedger(world.db, { onFinding: () => {} })).findings).toBe(0)
      const logged = world.logged
        .map(line => JSON.parse(line))
        .find(({ securityEvent }) => securityEvent === 'account_deleted')
      expect(logged).toMatchObject({ userId: fan.id })
    })

    test('lists the erasure, so that a restored backup does not bring the fan back', async () => {
      const fan = await onboarded()
      await deleteAccount(fan)
      const { users } = world.db.tables
      const [tombstone] = (await world.db.read.select().from(users)).filter(({ id }) => id === fan.id)
      const { tombstones } = readErasures(LIST)
      expect(tombstones.map(({ subject }) => subject)).toContain(tombstone?.subject ?? '')
      // As a backup from before holds the fan.
      const caller = { provider: world.config.identity.name, subject: fan.subject }
      await world.db.write(tx => tx.update(users).set({ subject: `${fan.subject}-erased`, provider: 'gone' }))
      await world.db.write(async tx => upsertProfile(tx, await writerOf(tx, caller), { bio: 'Back' }))
      expect((await reapplyErasures(world.db, tombstones)).erased).toBe(1)
      expect(refusal(await fan.get('/api/user/profile'))).toEqual([401, 'invalid_token'])
    })

    test('erases nothing while the list of erasures cannot be written', async () => {
      const fan = await onboarded()
      rmSync(LIST, { force: true })
      mkdirSync(LIST)
      expect((await deleteAccount(fan)).status).toBe(500)
      rmdirSync(LIST)
      expect((await fan.get('/api/user/profile')).body).toMatchObject({ id: fan.id, bio: 'Row 7' })
      expect((await deleteAccount(fan)).status).toBe(204)
      expect(readErasures(LIST).tombstones).toHaveLength(1)
    })

    test('of a fan who follows or is followed leaves the counts of others exact', async () => {
      const [fan, other] = [await namedFan(world), await namedFan(world)]
      const idle = await namedFan(world)
      await follow(other, fan.handle)
      await follow(other, idle.handle)
      await follow(fan, other.handle)
      expect((await deleteAccount(fan)).status).toBe(204)
      expect((await other.get('/api/user/following')).body).toMatchObject({
        total: 1,
        fans: [{ handle: idle.handle }],
      })
      expect((await idle.get('/api/user/following')).body.total).toBe(0)
      expect((await other.get('/api/user/followers')).body.fans).toEqual([])
    })

    test.each([
      { title: 'accepts a sign-in of exactly 5 minutes ago', authTime: 5 * MINUTE, iat: 0, status: 204 },
      {
        title: 'refuses a sign-in of longer ago, with a new token',
        authTime: 5 * MINUTE + 1_000,
        iat: 0,
        status: 403,
      },
      { title: 'goes by iat without auth_time, and accepts 5 minutes', iat: 5 * MINUTE, status: 204 },
      { title: 'goes by iat without auth_time, and refuses more', iat: 5 * MINUTE + 1_000, status: 403 },
      { title: 'takes no auth_time after iat', authTime: 0, iat: 6 * MINUTE, status: 403 },
      { title: 'takes no auth_time that is not a number', authTime: 'now', iat: 0, status: 403 },
    ])('$title', async ({ authTime, iat, status }) => {
      const { subject, id } = await onboarded()
      const auth_time = typeof authTime === 'number' ? seconds(authTime) : authTime
      const claims = { iat: seconds(iat), ...(auth_time === undefined ? {} : { auth_time }) }
      const client = await signIn(subject, claims)
      const answer = await deleteAccount(client)
      expect(answer.status).toBe(status)
      if (status === 204) return
      expect(answer.body.code).toBe('reauthentication_required')
      expect((await client.get('/api/user/profile')).body.id).toBe(id)
    })

    test('403 reauthentication_required for a native token, however new', async () => {
      const fan = await onboarded()
      const { token } = (await fan.post('/api/auth/native-token')).body
      const native = world.withToken(token)
      expect(refusal(await deleteAccount(native))).toEqual([403, 'reauthentication_required'])
      expect((await native.get('/api/user/profile')).status).toBe(200)
    })

    test('a fan without stored data has nothing to delete', async () => {
      const fan = await world.fan()
      expect((await deleteAccount(fan)).status).toBe(204)
      expect(await world.db.read.select().from(world.db.tables.users)).toEqual([])
    })

    test('a fan who only signed in on a device is deleted as well', async () => {
      const fan = await world.fan()
      const { token } = (await fan.post('/api/auth/native-token')).body
      expect((await deleteAccount(fan)).status).toBe(204)
      for (const client of [world.withToken(token), fan])
        expect(refusal(await client.get('/api/user/points'))).toEqual([401, 'invalid_token'])
    })

    test('at the same time as writes of the fan: nothing personal is left', async () => {
      const fan = await onboarded()
      const rewardId = await world.reward({ pointsRequired: 0 })
      const answers = await Promise.all([
        fan.patch('/api/user/profile', { bio: 'late' }),
        deleteAccount(fan),
        fan.post('/api/rewards/claim', { rewardId }),
        deleteAccount(fan),
        fan.patch('/api/user/profile', { bio: 'later' }),
        fan.post('/api/auth/native-token'),
      ])
      // 404: the record was gone when the write came to it.
      for (const { status } of answers) expect([200, 204, 401, 404]).toContain(status)
      // Either of the two may come first.
      expect([answers[1]?.status, answers[3]?.status]).toContain(204)
      const rows = await world.db.read.select().from(world.db.tables.users)
      expect(rows.map(({ bio, displayName, erasedAt }) => [bio, displayName, erasedAt !== null])).toEqual([
        [null, null, true],
      ])
      expect(await world.db.read.select().from(world.db.tables.nativeSessions)).toEqual([])
    })

    test('asks an anonymous caller to sign in', async () => {
      expect(refusal(await deleteAccount(world.anonymous))).toEqual([401, 'unauthenticated'])
    })
  },
  { worldPer: 'test', env: { ERASURE_LIST: LIST } },
)
