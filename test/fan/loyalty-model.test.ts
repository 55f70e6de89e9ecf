/**
 * Random lives of fans who redeem codes, invite each other, get and lose memberships, consent and withdraw, are assured to be of an
 * age, are merged and erased. What they have equals a plain model, and no audit finds a fault.
 */
import { expect, test } from 'bun:test'
import { eq } from 'drizzle-orm'
import fc from 'fast-check'
import { verifyLedger } from '../../src/audit/runs/verify-ledger.ts'
import { documentKind } from '../../src/club/documents/document-kind.ts'
import { settingsKind } from '../../src/club/settings/settings-kind.ts'
import { eraseUser } from '../../src/fan/account/erase-user.ts'
import { mergeFans } from '../../src/operate/admin/merge/merge-fans.ts'
import { settleMemberships } from '../../src/play/memberships/sweep.ts'
import { addCampaign, addShared, generate, outcomeOf } from '../play/codes/codes-world.ts'
import {
  addMembershipKind,
  endMembership,
  putMembership,
  ticketOffice,
} from '../play/memberships/memberships-world.ts'
import { patientFan, userIdOf } from '../play/packs/packs-world.ts'
import { onEachEngine } from '../support/world.ts'

const FANS = 4
const DAY = 86_400_000
const SHARED = { points: 50, total: 3 }
const UNIQUE = { points: 7, perFan: 2, codes: 6 }

const fan = fc.nat(FANS - 1)
const of = <Kind extends string, More>(
  kind: Kind,
  more: { [Name in keyof More]: fc.Arbitrary<More[Name]> },
) => fc.record<More>(more).map(rest => ({ kind, ...rest }))
const change = fc.oneof(
  { weight: 3, arbitrary: of('shared', { fan }) },
  { weight: 4, arbitrary: of('unique', { fan, nth: fc.nat(UNIQUE.codes - 1) }) },
  { weight: 3, arbitrary: of('onboard', { fan, by: fan }) },
  {
    weight: 3,
    arbitrary: of('member', { fan, starts: fc.constantFrom(-10, 0, 20), days: fc.constantFrom(1, 30) }),
  },
  { weight: 2, arbitrary: of('end', { nth: fc.nat(9) }) },
  { weight: 4, arbitrary: of('consent', { fan, granted: fc.boolean() }) },
  {
    weight: 3,
    arbitrary: of('age', {
      fan,
      ageBand: fc.constantFrom('13_15', 'adult'),
      guardianConsent: fc.constantFrom(true, false),
    }),
  },
  { weight: 2, arbitrary: of('merge', { from: fan, into: fan }) },
  { weight: 1, arbitrary: of('erase', { fan }) },
  { weight: 2, arbitrary: of('wait', { days: fc.constantFrom(1, 15, 40) }) },
)
type Change = typeof change extends fc.Arbitrary<infer Value> ? Value : never

/** What a fan has by the model. */
interface Life {
  points: number
  shared: number
  unique: number
  refs: Set<string>
  /** Of the own record: a merge leaves them where they are. */
  consents: boolean[]
  /** What was assured last, and whether a guardian refuses. */
  age: { isAdult: boolean; at: number }
  isRefused: boolean
  isOnboarded: boolean
}

onEachEngine('Random lives of fans', world => {
  async function play(changes: Change[]) {
    const { db, clock } = world
    const office = await ticketOffice(world)
    const ages = world.withToken(await world.serverKey(['age:write']))
    const { code, id: sharedId } = await addShared(world, {
      gives: { points: SHARED.points },
      total: SHARED.total,
    })
    const uniqueId = await addCampaign(world, { gives: { points: UNIQUE.points }, perFan: UNIQUE.perFan })
    const codes = await generate(world, uniqueId, UNIQUE.codes)
    const used = new Set<number>()
    let shared = 0
    const fans = await Promise.all(
      Array.from({ length: FANS }, async () => {
        const client = await patientFan(world)
        await client.post('/api/user/profile', { displayName: 'Ada' })
        const userId = (await userIdOf(world, client)) ?? ''
        const life: Life = {
          points: 0,
          shared: 0,
          unique: 0,
          refs: new Set(),
          consents: [],
          age: { isAdult: false, at: -1 },
          isRefused: false,
          isOnboarded: false,
        }
        return { client, userId, life, isErased: false, into: null as number | null }
      }),
    )
    const rootOf = (n: number): number => {
      const into = fans[n]?.into ?? null
      return into === null ? n : rootOf(into)
    }
    // Guarantee of the cast: only numbers of fans are generated.
    const at = (n: number) => fans[n] as (typeof fans)[number]
    const refs: string[] = []

    for (const one of changes) {
      clock.advance(1_000)
      if (one.kind === 'wait') {
        clock.advance(one.days * DAY)
        await settleMemberships(world)
        continue
      }
      if (one.kind === 'end') {
        const ref = refs[one.nth % Math.max(refs.length, 1)]
        if (ref) expect([204, 404]).toContain((await endMembership(office, ref)).status)
        continue
      }
      if (one.kind === 'merge') {
        const [from, into] = [at(rootOf(one.from)), at(rootOf(one.into))]
        if (from === into || from.isErased || into.isErased) continue
        await db.write(tx =>
          mergeFans(tx, { from: from.userId, into: into.userId, mergedBy: 'Ana', reason: null }),
        )
        into.life.points += from.life.points
        into.life.shared += from.life.shared
        into.life.isOnboarded ||= from.life.isOnboarded
        into.life.isRefused ||= from.life.isRefused
        if (from.life.age.at > into.life.age.at) into.life.age = from.life.age
        into.life.unique += from.life.unique
        for (const ref of from.life.refs) into.life.refs.add(ref)
        from.into = fans.indexOf(into)
        continue
      }
      const root = at(rootOf(one.fan))
      if (root.isErased) continue
      const { client, life } = root
      if (one.kind === 'erase') {
        await db.write(tx => eraseUser(tx, { id: root.userId }))
        root.isErased = true
      } else if (one.kind === 'member') {
        const ref = `LIFE-${clock.ms}`
        const terms = {
          startsAt: new Date(clock.ms + one.starts * DAY).toISOString(),
          endsAt: new Date(clock.ms + (one.starts + one.days) * DAY).toISOString(),
        }
        expect((await putMembership(office, world, client, { ref, ...terms })).status).toBe(201)
        refs.push(ref)
        life.refs.add(ref)
      } else if (one.kind === 'age') {
        const { ageBand, guardianConsent } = one
        const provider = world.config.identity.name
        const stated = { ageBand, source: 'club', assuredAt: clock.now().toISOString(), guardianConsent }
        const answer = await ages.put('/api/age-bands', {
          fan: { provider, subject: client.subject },
          ...stated,
        })
        expect(answer.status).toBe(200)
        life.age = { isAdult: ageBand === 'adult', at: clock.ms }
        life.isRefused = !guardianConsent
      } else if (life.isRefused && !life.age.isAdult) {
        const refused = await outcomeOf(client, code)
        expect(refused).toBe('guardian_consent_required')
      } else if (one.kind === 'shared') {
        const isOver = shared >= SHARED.total
        const expected = isOver ? 'campaign_over' : life.shared > 0 ? 'already_redeemed' : 200
        expect(await outcomeOf(client, code)).toBe(expected)
        if (expected !== 200) continue
        shared++
        life.shared++
        life.points += SHARED.points
      } else if (one.kind === 'unique') {
        const outcome = await outcomeOf(client, codes[one.nth] ?? '')
        if (used.has(one.nth)) expect(['code_used', 'already_redeemed']).toContain(String(outcome))
        else expect(outcome).toBe(life.unique >= UNIQUE.perFan ? 'limit_reached' : 200)
        if (outcome !== 200) continue
        used.add(one.nth)
        life.unique++
        life.points += UNIQUE.points
      } else if (one.kind === 'onboard') {
        const inviter = at(rootOf(one.by))
        const { body } = await inviter.client.get('/api/user/referral')
        const answer = await client.post('/api/user/onboarding', {
          joinLeaderboard: false,
          ...(typeof body.code === 'string' ? { referralCode: body.code } : {}),
        })
        expect(answer.status).toBeLessThan(500)
        // Nobody invites oneself. A repetition answers with the first one.
        if (answer.status === 200 && inviter === root && !life.isOnboarded)
          expect(answer.body.referral).toBeNull()
        life.isOnboarded = true
      } else {
        const { granted } = one
        const answer = await client.put('/api/user/consents', { letters: { granted, version: '1' } })
        expect(answer.status).toBe(200)
        if ((life.consents.at(-1) ?? false) !== granted) life.consents.push(granted)
      }
    }

    const { consents, fanMemberships, campaigns } = db.tables
    for (const { userId, life, isErased, into } of fans) {
      const rows = await db.read
        .select()
        .from(consents)
        .where(eq(consents.userId, userId))
        .orderBy(consents.seq)
      expect(rows.map(({ granted }) => granted)).toEqual(life.consents)
      const held = await db.read.select().from(fanMemberships).where(eq(fanMemberships.userId, userId))
      const expected = isErased || into !== null ? [] : [...life.refs].toSorted()
      expect(held.map(({ ref }) => ref).toSorted()).toEqual(expected)
    }
    for (const { client, life, isErased, into } of fans)
      if (!isErased && into === null)
        expect((await client.get('/api/user/points')).body.balance).toBe(life.points)
    const counted = await db.read.select().from(campaigns)
    const redeemed = new Map(counted.map(row => [row.id, row.redeemed]))
    expect([redeemed.get(sharedId), redeemed.get(uniqueId)]).toEqual([shared, used.size])
    const findings: unknown[] = []
    await verifyLedger(db, { onFinding: finding => void findings.push(finding) })
    expect(findings).toEqual([])
  }

  test('what fans have is that of the model, and the audit finds nothing', async () => {
    await addMembershipKind(world)
    await world.db.write(tx => settingsKind.upsert(tx, { id: 'club', onboardingPoints: 0 }))
    const letters = { id: 'letters', version: '1', purpose: 'letters', text: 'I agree.' }
    await world.db.write(tx => documentKind.upsert(tx, letters))
    await fc.assert(fc.asyncProperty(fc.noShrink(fc.array(change, { minLength: 8, maxLength: 30 })), play), {
      numRuns: 10,
    })
  }, 300_000)
})
