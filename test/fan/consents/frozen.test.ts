/** What a fan may still write without the consent of a guardian: every operation of fans, by what each declares. */
import { describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createApi } from '../../../src/app/app.ts'
import { documentKind } from '../../../src/club/documents/document-kind.ts'
import { storeAge } from '../../../src/identity/users/age.ts'
import { declaredOf } from '../../../src/platform/http/contract/operation.ts'
import { fetchDocument, operationsOf } from '../../platform/docs/document.ts'
import { userIdOf } from '../../play/quests/quests-world.ts'
import { root } from '../../support/dev.ts'
import { type Fan, onEachEngine } from '../../support/world.ts'
import { operations } from '../account/writing-operations.ts'

/** The provider states these, and not the fan. */
const OF_THE_PROVIDER = ['syncIdentity', 'syncNamedIdentity']

const REFUSED = [403, 'guardian_consent_required']

onEachEngine(
  'Without the consent of a guardian',
  world => {
    /** What a frozen fan may write, at least in part. */
    const allowed = () =>
      createApi(world.deps).routes.flatMap(route => {
        const declared = declaredOf(route)
        if (!declared?.whenSuspended || declared.guardianConsent === 'required') return []
        const { id, whenSuspended, guardianConsent } = declared
        const isPart = guardianConsent === 'partly' || whenSuspended === 'partly'
        return [{ id, isPart, method: route.method, path: route.path }]
      })
    const state = async (fan: Fan, guardianConsent: boolean) => {
      const userId = (await userIdOf(world, fan)) ?? ''
      const age = { ageBand: 'under_13', source: 'school', guardianConsent } as const
      await world.db.write(tx => storeAge(tx, userId, { ...age, assuredAt: tx.now() }))
    }
    async function frozenFan(prepare: (fan: Fan) => Promise<unknown> = async () => {}) {
      const fan = await world.fan()
      await fan.post('/api/user/profile', {})
      await prepare(fan)
      await state(fan, false)
      return fan
    }

    test('every operation of a fan that writes is refused, unless it declares that it only protects or ends', async () => {
      const ofFans = operationsOf(await fetchDocument(world)).filter(
        ({ method, operation }) =>
          method !== 'GET' && JSON.stringify(operation.security ?? []).includes('signIn'),
      )
      const ids = ofFans.map(({ operation }) => operation.operationId)
      const done: string[] = []
      for (const id of ids.filter(id => !OF_THE_PROVIDER.includes(id))) {
        const prepare = operations[id]
        // A ticket is not stored.
        if (!prepare) expect(id).toBe('createStreamTicket')
        if (!prepare) continue
        const fan = await world.fan()
        await fan.post('/api/user/profile', {})
        const { send } = await prepare(world, fan)
        await state(fan, false)
        const { status, body } = await send()
        if (status < 300) done.push(id)
        else expect([id, status, body?.code]).toEqual([id, ...REFUSED])
      }
      const expected = allowed()
        .map(({ id }) => id)
        .filter(id => operations[id] && id !== 'writeConsents')
      expect(done.toSorted()).toEqual(expected.toSorted())
    })

    test('what is allowed, and which part of it, is what the documentation lists', () => {
      const text = readFileSync(join(root, 'docs/fan-data.md'), 'utf8')
      const [, after = ''] = text.split('### Without the consent of a guardian')
      const [section = ''] = after.split('\n#')
      const rows = [...section.matchAll(/^\| `(\w+) (\/[^`]+)` \| (?:(.*) )?\|$/gm)]
      const listed = rows.map(([, method, path, only]) => `${method} ${path}${only ? ' in part' : ''}`)
      const declared = allowed().map(
        ({ method, path, isPart }) =>
          `${method} ${path.replace(/:(\w+)/g, '{$1}')}${isPart ? ' in part' : ''}`,
      )
      expect(listed.toSorted()).toEqual(declared.toSorted())
    })

    describe.each([
      ['profile', 'followers', 'private', 'public'],
      ['activity', 'followers', 'private', 'public'],
      ['locker', 'followers', 'private', 'public'],
      ['leaderboardName', 'handle', 'anonymous', 'name'],
    ])('%s', (member, before, less, more) => {
      const change = (fan: Fan, value: string) => fan.patch('/api/user/privacy', { [member]: value })
      test('is shown to fewer, and not to more', async () => {
        const fan = await frozenFan(one => change(one, before))
        const refused = await change(fan, more)
        expect([refused.status, refused.body.code]).toEqual(REFUSED)
        expect((await change(fan, before)).status).toBe(200)
        expect((await change(fan, less)).body).toMatchObject({ [member]: less })
        expect((await change(fan, before)).body.code).toBe('guardian_consent_required')
        await state(fan, true)
        expect((await change(fan, more)).status).toBe(200)
      })
    })

    test('nothing changes if a part of the request shows more', async () => {
      const fan = await frozenFan(one => one.patch('/api/user/privacy', { profile: 'private' }))
      const change = { activity: 'private', profile: 'public' }
      expect((await fan.patch('/api/user/privacy', change)).status).toBe(403)
      expect((await fan.get('/api/user/privacy')).body).toMatchObject({ activity: 'followers' })
    })

    test('messages are switched off, and not on', async () => {
      const change = (fan: Fan, body: object) => fan.patch('/api/user/notifications', body)
      const fan = await frozenFan(one => change(one, { social: { inbox: false } }))
      const quiet = { from: '20:00', to: '08:00' }
      for (const body of [
        { marketing: { push: true, inbox: true } },
        { social: { inbox: true } },
        { match: { push: false }, marketing: { inbox: true } },
        { timeZone: 'Asia/Tokyo' },
      ]) {
        const { status, body: problem } = await change(fan, body)
        expect([status, problem.code]).toEqual(REFUSED)
      }
      const off = await change(fan, { match: { push: false }, rewards: { push: true }, quiet })
      expect([off.status, off.body]).toMatchObject([200, { match: { push: false }, quiet }])
      for (const value of [null, { from: '21:00', to: '08:00' }])
        expect((await change(fan, { quiet: value })).body.code).toBe('guardian_consent_required')
      expect((await change(fan, { quiet })).status).toBe(200)
    })

    test('limits are stricter, and not looser', async () => {
      const limit = (amount: number) => ({ spending: { amount, currency: 'EUR', per: 'month' } })
      const pause = (days: number) => new Date(world.clock.ms + days * 86_400_000).toISOString()
      const change = (fan: Fan, body: object) => fan.patch('/api/user/limits', body)
      const fan = await frozenFan(one => change(one, { ...limit(500), pauseUntil: pause(7) }))
      for (const body of [limit(501), { spending: null }, { pauseUntil: pause(6) }, { pauseUntil: null }]) {
        const { status, body: problem } = await change(fan, body)
        expect([status, problem.code]).toEqual(REFUSED)
      }
      const stricter = await change(fan, { ...limit(100), pauseUntil: pause(8) })
      expect([stricter.status, stricter.body]).toMatchObject([200, { ...limit(100), next: null }])
    })

    test('consents are withdrawn, and not granted', async () => {
      const purpose = 'frozen-marketing'
      const document = { id: purpose, version: '1', purpose, text: 'I agree.' }
      await world.db.write(tx => documentKind.upsert(tx, document))
      const put = (fan: Fan, granted: boolean) =>
        fan.put('/api/user/consents', { [purpose]: { granted, version: '1' } })
      const fan = await frozenFan(one => put(one, true))
      expect((await put(fan, false)).status).toBe(200)
      expect((await put(fan, true)).body.code).toBe('guardian_consent_required')
    })
  },
  { fans: 200 },
)
