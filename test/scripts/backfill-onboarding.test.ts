/** `bun run backfill-onboarding`: each rule corrects exactly its fans, once. */
import { expect, test } from 'bun:test'
import { inArray } from 'drizzle-orm'
import { verifyLedger } from '../../src/audit/runs/verify-ledger.ts'
import { GENESIS_HASH } from '../../src/economy/ledgers/chain.ts'
import { appendEntry } from '../../src/economy/points/ledger.ts'
import { completeOnboarding } from '../../src/fan/onboarding/onboarding.ts'
import { upsertProfile } from '../../src/fan/profile/profile.ts'
import { ensureUser } from '../../src/identity/users/callers.ts'
import { tombstoneIdentity } from '../../src/identity/users/mirror.ts'
import { expectStatus } from '../play/packs/packs-world.ts'
import { engines } from '../support/engines.ts'
import { onEngine, type World } from '../support/world.ts'
import { writerOf } from '../support/writer.ts'
import { runScript } from './run-script.ts'

async function backfill(world: World, ...parameters: string[]) {
  const env = { DATABASE_URL: world.databaseUrl ?? '' }
  const { code, out, err } = await runScript('backfill-onboarding', [...parameters, '--json'], { env })
  if (code !== 0) throw new Error(`left with ${code}: ${err}`)
  return JSON.parse(out)
}
const concerned = ({ rules }: { rules: Record<string, { concerned: number }> }) =>
  Object.fromEntries(Object.entries(rules).map(([rule, report]) => [rule, report.concerned]))

for (const engine of engines) {
  onEngine(
    engine,
    'bun run backfill-onboarding',
    world => {
      const stateOf = async (subject: string) => {
        const fan = world.withToken(await world.idp.issueToken(subject))
        const { state, reward, leaderboard } = expectStatus(200, await fan.get('/api/user/onboarding'))
        return [state, reward?.points ?? 0, leaderboard.enrolled]
      }
      const who = (subject: string) => ({ provider: world.config.identity.name, subject })
      const profile = (subject: string, handle: string, displayName: string | null) =>
        world.db.write(async tx =>
          upsertProfile(tx, await writerOf(tx, who(subject)), { handle, displayName }),
        )

      test('corrects the fans of every rule once, as shown by a dry run, and no others', async () => {
        const { db, clock } = world
        const nothing = { points: 0, claims: null, queuedSync: null }
        await profile('fan-0101', 'complete', 'Ada')
        await profile('fan-0102', 'no_name', null)
        await profile('fan-0103', 'deleted', 'Gone')
        await db.write(async tx => tombstoneIdentity(tx, (await ensureUser(tx, who('fan-0103'))).user))
        await db.write(async tx => completeOnboarding(tx, await writerOf(tx, who('fan-0104')), {}, nothing))
        await db.write(async tx =>
          completeOnboarding(tx, await writerOf(tx, who('fan-0105')), { joinLeaderboard: false }, nothing),
        )
        // Enrolled before leaderboards existed.
        await db.write(async tx => {
          const { user } = await ensureUser(tx, who('fan-0106'))
          await appendEntry(tx, { userId: user.id, delta: 70, reason: 'activity', ref: 'early' })
          await tx.insert(tx.tables.leaderboardEntries).values({ userId: user.id, enrolledAt: tx.now() })
        })

        expect((await backfill(world, '--dry-run', '--before', '2020-01-01')).changed).toBe(0)
        const since = new Date(clock.ms).toISOString()
        const planned = await backfill(world, '--dry-run', '--since', since)
        expect(concerned(planned)).toEqual({ complete: 1, grant: 2, enrol: 1, place: 1 })
        expect(planned).toMatchObject({ dryRun: true, changed: 4, points: 300 })
        expect(planned.rules).toMatchObject({
          complete: { points: 100 },
          grant: { points: 200 },
          place: { points: 0 },
        })
        expect(await stateOf('fan-0101')).toEqual(['not_started', 0, false])

        const done = await backfill(world)
        expect(done).toMatchObject({ dryRun: false, changed: 4, rules: { complete: { corrected: 1 } } })
        expect(done).toMatchObject({
          points: 300,
          rules: { complete: { points: 100 }, grant: { points: 200 } },
        })
        expect(await stateOf('fan-0101')).toEqual(['completed', 100, true])
        expect(await stateOf('fan-0102')).toEqual(['not_started', 0, false])
        expect(await stateOf('fan-0104')).toEqual(['completed', 100, true])
        expect(await stateOf('fan-0105')).toEqual(['completed', 100, false])
        expect((await verifyLedger(db)).findings).toBe(0)

        expect(await backfill(world)).toMatchObject({ changed: 0, points: 0 })
        expect(await backfill(world, '--enrol')).toMatchObject({ changed: 1 })
        expect(await stateOf('fan-0105')).toEqual(['completed', 100, true])
        expect(await backfill(world, '--enrol')).toMatchObject({ changed: 0 })
        expect((await verifyLedger(db)).findings).toBe(0)
      })

      test('--no-grant, --no-enrol and --complete-when change the rules', async () => {
        await profile('fan-0111', 'plain', 'Plain')
        await world.db.write(async tx =>
          upsertProfile(tx, await writerOf(tx, who('fan-0112')), { country: 'GB' }),
        )
        const parameters = ['--no-grant', '--no-enrol', '--complete-when', 'country']
        expect(concerned(await backfill(world, ...parameters))).toEqual({ complete: 1, place: 0 })
        expect(await stateOf('fan-0111')).toEqual(['not_started', 0, false])
        expect(await stateOf('fan-0112')).toEqual(['completed', 0, false])
      })

      test('two concurrent runs correct each fan once', async () => {
        for (let nth = 0; nth < 20; nth++) await profile(`fan-01${20 + nth}`, `twice_${nth}`, 'Twice')
        const runs = await Promise.all([backfill(world), backfill(world)])
        const corrected = runs.map(({ rules }) => rules.complete.corrected)
        expect(corrected[0] + corrected[1]).toBe(20)
        expect(await stateOf('fan-0120')).toEqual(['completed', 100, true])
        expect((await verifyLedger(world.db)).findings).toBe(0)
      })

      test('rejects and lists fans whose account has no entries, and corrects the others', async () => {
        const { db } = world
        const nothing = { points: 0, claims: null, queuedSync: null }
        const bySql = new Map<string, string>()
        for (const subject of ['fan-0150', 'fan-0151']) {
          const userId = await db.write(async tx => {
            const { user } = await ensureUser(tx, who(subject))
            const account = { userId: user.id, balance: 500, lifetime: 500, seq: 0, updatedAt: tx.now() }
            await tx.insert(tx.tables.pointsAccounts).values({ ...account, headHash: GENESIS_HASH })
            return user.id
          })
          bySql.set(subject, userId)
        }
        await profile('fan-0150', 'by_sql', 'By SQL')
        await db.write(async tx =>
          completeOnboarding(tx, await writerOf(tx, who('fan-0151')), { joinLeaderboard: false }, nothing),
        )
        await profile('fan-0152', 'sound', 'Sound')
        const env = { DATABASE_URL: world.databaseUrl ?? '' }
        const { code, out } = await runScript('backfill-onboarding', ['--json'], { env })
        expect(code).toBe(1)
        const { rules } = JSON.parse(out)
        expect(rules.complete).toMatchObject({
          ...{ corrected: 1, refused: 1, points: 100 },
          refusedExamples: [bySql.get('fan-0150')],
        })
        expect(rules.grant).toMatchObject({ refused: 1, refusedExamples: [bySql.get('fan-0151')], points: 0 })
        expect(await stateOf('fan-0150')).toEqual(['not_started', 0, false])
        expect(await stateOf('fan-0151')).toEqual(['completed', 0, false])
        expect(await stateOf('fan-0152')).toEqual(['completed', 100, true])
        const { out: text } = await runScript('backfill-onboarding', [], { env })
        expect(text).toContain('1 refused, the points account is full, or does not match the ledger entries')
        expect(text).toContain('bun run verify-ledger')
        await db.write(async tx => {
          const { pointsAccounts } = tx.tables
          await tx.delete(pointsAccounts).where(inArray(pointsAccounts.userId, [...bySql.values()]))
        })
        expect((await verifyLedger(db)).findings).toBe(0)
      })

      test('rejects invalid instants and fields', async () => {
        const env = { DATABASE_URL: world.databaseUrl ?? '' }
        for (const parameters of [
          ['--since', 'yesterday'],
          ['--before', '2026-13-01'],
          ['--complete-when', 'points'],
        ]) {
          expect((await runScript('backfill-onboarding', parameters, { env })).code).toBe(2)
        }
      })
    },
    { worldPer: 'test' },
  )
}
