/** `bun run backfill-profiles`: repairs stored data by the ledger and the rules, and reports every change. */
import { expect, test } from 'bun:test'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { eq } from 'drizzle-orm'
import { verifyLedger } from '../../src/audit/runs/verify-ledger.ts'
import { withoutRules } from '../db/probe.ts'
import { expectStatus } from '../play/packs/packs-world.ts'
import { engines } from '../support/engines.ts'
import { holdAt } from '../support/hold-at.ts'
import { startProvider } from '../support/processes.ts'
import { waitUntil } from '../support/wait-until.ts'
import { onEngine, type World } from '../support/world.ts'
import { runScript, startScript } from './run-script.ts'

async function backfill(world: World, parameters: string[] = [], more: Record<string, string> = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'matchday-test-'))
  const file = join(folder, 'changes.ndjson')
  const { config, databaseUrl } = world
  const env = {
    DATABASE_URL: databaseUrl ?? '',
    NATIVE_TOKEN_KEY: JSON.stringify(config.nativeTokens.key),
    ...more,
  }
  const { code, out, err } = await runScript(
    'backfill-profiles',
    [...parameters, '--json', '--report', file],
    { env },
  )
  const lines = readFileSync(file, 'utf8')
    .split('\n')
    .filter(Boolean)
    .map(line => JSON.parse(line))
  rmSync(folder, { recursive: true })
  return { code, err, lines, json: JSON.parse(out) }
}

for (const engine of engines) {
  onEngine(engine, 'bun run backfill-profiles', world => {
    async function enrolledFan(points: number) {
      const fan = await world.fan()
      expectStatus(200, await fan.post('/api/user/onboarding', {}))
      await world.grant(fan, points)
      const { id } = expectStatus(200, await fan.get('/api/user/profile'))
      return { ...fan, id: String(id) }
    }
    const behindTheirBack = (...statements: string[]) =>
      withoutRules({ db: world.db, url: world.databaseUrl }, async run => {
        for (const statement of statements) await run(statement)
      })

    test('repairs accounts, scores and counts by the ledger; a broken hash chain is only reported', async () => {
      const [wrong, lost, broken] = [await enrolledFan(50), await enrolledFan(60), await enrolledFan(70)]
      await behindTheirBack(
        `UPDATE points_accounts SET balance = 9999, lifetime = 1, head_hash = 'x' WHERE user_id = '${wrong.id}'`,
        `UPDATE leaderboard_scores SET minus_points = -5 WHERE user_id = '${wrong.id}' AND board = 'all'`,
        `DELETE FROM leaderboard_scores WHERE user_id = '${lost.id}'`,
        `INSERT INTO leaderboard_scores (board, user_id, minus_points, reached_at) VALUES ('2020-01', '${lost.id}', -3, 5)`,
        "UPDATE leaderboard_counts SET fans = fans + 5 WHERE board = 'all' AND level = 3",
        `UPDATE points_entries SET delta = delta + 1, balance_after = balance_after + 1 WHERE user_id = '${broken.id}' AND seq = 2`,
      )
      const before = (await verifyLedger(world.db)).findings

      const dry = await backfill(world, ['--dry-run'])
      expect(dry.code).toBe(1)
      expect(dry.json.ledger).toMatchObject({ left: 1, points: { added: 0, removed: 9849 } })
      expect(dry.lines).toContainEqual({
        kind: 'ledger',
        userId: wrong.id,
        what: 'points_accounts.balance',
        before: 9999,
        after: 150,
        planned: true,
      })
      expect((await verifyLedger(world.db)).findings).toBe(before)

      const { code, json, lines } = await backfill(world)
      expect(code).toBe(1)
      expect(json.ledger).toMatchObject({
        left: 1,
        points: { added: 0, removed: 9849 },
        examples: [`fan ${broken.id}: points_entries.hash of entry 2`],
      })
      const place = { kind: 'ledger', userId: lost.id, what: 'leaderboard_scores.row' }
      expect(lines).toContainEqual({ ...place, board: 'all', before: null, after: 160 })
      expect(lines).toContainEqual({ ...place, board: '2020-01', before: 3, after: null })
      expect(lines).toContainEqual(expect.objectContaining({ kind: 'broken', userId: broken.id, seq: 2 }))

      // Everything except the broken entry is consistent; that entry is unchanged.
      expect((await verifyLedger(world.db)).findings).toBe(1)
      expect((await wrong.get('/api/user/points')).body).toMatchObject({ balance: 150, lifetime: 150 })
      expect((await backfill(world)).json).toMatchObject({ changed: 0, ledger: { left: 1 } })
      await behindTheirBack(
        `UPDATE points_entries SET delta = delta - 1, balance_after = balance_after - 1 WHERE user_id = '${broken.id}' AND seq = 2`,
      )
      expect(await backfill(world)).toMatchObject({ code: 0, lines: [], json: { changed: 0 } })
    })

    test('normalizes profiles by the current rules, and reports what it cannot repair', async () => {
      const { users } = world.db.tables
      const [shouting, taken, holder] = [await enrolledFan(1), await enrolledFan(1), await enrolledFan(1)]
      const set = (id: string, fields: Partial<typeof users.$inferInsert>) =>
        world.db.write(tx => tx.update(users).set(fields).where(eq(users.id, id)))
      const old = {
        displayName: '  Ada\u0007 \u202eL\u200f ',
        handle: 'Ada_L',
        avatarUrl: 'https://Example.com',
        bio: 'North stand\r\nRow\u0007 12\rSeat\u0334\u0335\u0336 3',
        country: 'gb',
        locale: 'en_gb.UTF-8',
      }
      await set(shouting.id, old)
      await set(holder.id, { handle: 'bo_99' })
      await set(taken.id, { handle: 'BO_99', country: 'Narnia' })

      const { code, lines, json } = await backfill(world)
      expect([code, json.profiles.changed, json.profiles.left]).toEqual([1, 6, 2])
      const after = {
        displayName: 'Ada L',
        handle: 'ada_l',
        avatarUrl: 'https://example.com/',
        bio: 'North stand\nRow 12\nSeat\u0334\u0335 3',
        country: 'GB',
        locale: 'en-GB',
      }
      expect((await shouting.get('/api/user/profile')).body).toMatchObject(after)
      for (const field of ['displayName', 'handle', 'avatarUrl', 'bio', 'country', 'locale'] as const) {
        expect(lines).toContainEqual({
          kind: 'profile',
          userId: shouting.id,
          field,
          before: old[field],
          after: after[field],
        })
      }
      const problem = expect.any(String)
      const kept = { kind: 'profile', userId: taken.id, after: null, problem }
      expect(lines).toContainEqual({ ...kept, field: 'handle', before: 'BO_99' })
      expect(lines).toContainEqual({ ...kept, field: 'country', before: 'Narnia' })
      await set(taken.id, { handle: null, country: null })
      expect((await backfill(world)).json.profiles).toEqual({ changed: 0, left: 0, examples: [] })
    })

    test('after a kill, every change has a line in the report, and the next run completes the repair', async () => {
      const { users } = world.db.tables
      const at = world.clock.now()
      const fans = Array.from({ length: 500 }, (_, index) => {
        const id = `old-${index}`
        return { id, provider: 'p', subject: id, country: 'gb', createdAt: at, updatedAt: at }
      })
      await world.db.write(tx => tx.insert(users).values(fans))
      const folder = mkdtempSync(join(tmpdir(), 'matchday-test-'))
      const file = join(folder, 'changes.ndjson')
      const reported = () =>
        existsSync(file)
          ? readFileSync(file, 'utf8')
              .split('\n')
              .slice(0, -1)
              .map(line => JSON.parse(line))
          : []
      const changed = async () =>
        (await world.db.read.select().from(users)).filter(
          ({ id, country }) => id.startsWith('old-') && country === 'GB',
        )
      const env = { DATABASE_URL: world.databaseUrl ?? '' }
      const held = { db: world.db, url: world.databaseUrl }
      // The last of them.
      const release = await holdAt(held, { table: 'users', row: "NEW.id = 'old-99'" })
      const child = startScript('backfill-profiles', ['--report', file], { env })
      await waitUntil('the first change is reported', () => reported().length > 0)
      child.kill('SIGKILL')
      await child.exited
      await release()
      const lines = new Set(reported().map(({ userId }) => userId))
      const done = await changed()
      expect(done.length).toBeLessThan(fans.length)
      for (const { id } of done) expect(lines.has(id)).toBe(true)

      expect((await runScript('backfill-profiles', ['--report', file], { env })).code).toBe(0)
      expect(await changed()).toHaveLength(fans.length)
      expect(new Set(reported().map(({ userId }) => userId)).size).toBe(fans.length)
      await world.db.write(tx => tx.delete(users).where(eq(users.provider, 'p')))
      rmSync(folder, { recursive: true })
    })

    test('reports rows without a user, and does not change them', async () => {
      const at = world.db.engine === 'sqlite' ? '0' : "'2026-01-01'"
      await behindTheirBack(
        `INSERT INTO onboardings (user_id, completed_at) VALUES ('nobody', ${at})`,
        `INSERT INTO points_accounts (user_id, balance, lifetime, seq, head_hash, updated_at) VALUES ('no one', 0, 0, 0, 'x', ${at})`,
      )
      const { code, lines, json } = await backfill(world)
      expect([code, json.orphans.left]).toEqual([1, 1])
      expect(lines).toContainEqual({ kind: 'orphan', table: 'onboardings', rows: 1, userIds: ['nobody'] })
      expect(lines).toContainEqual(
        expect.objectContaining({ kind: 'broken', userId: 'no one', what: 'users.row' }),
      )
      await behindTheirBack(
        "DELETE FROM onboardings WHERE user_id = 'nobody'",
        "DELETE FROM points_accounts WHERE user_id = 'no one'",
      )
    })

    test('updates the mirrors of fans with a stored token, and counts the others', async () => {
      // The script uses the real clock and a socket.
      const provider = await startProvider()
      const now = Date.now()
      const { deferredSyncs, identities, users } = world.db.tables
      const subjects = ['fan-0090', 'fan-0091', 'fan-0092']
      const tokenExpiresAt = new Date(now + 3_600_000)
      await world.db.write(async tx => {
        await tx.update(identities).set({ syncedAt: new Date(now) })
        for (const [index, subject] of subjects.entries()) {
          const at = tx.now()
          const owner = { provider: world.config.identity.name, subject }
          await tx.insert(users).values({ id: subject, ...owner, createdAt: at, updatedAt: at })
          const token = await provider.idp.issueToken(subject)
          const encryptedToken = world.deps.tokenEncryption.encrypt(token, subject, tx.randomBytes(12))
          const due = new Date(now)
          if (index === 0) {
            await tx
              .insert(deferredSyncs)
              .values({ userId: subject, encryptedToken, tokenExpiresAt, attempts: 3, nextAttemptAt: due })
          }
          if (index === 1) {
            await tx.insert(tx.tables.nativeSessions).values({
              id: 'device',
              ...owner,
              originIssuedAt: due,
              encryptedToken,
              tokenExpiresAt,
              generation: 1,
              rotatedAt: due,
              createdAt: due,
              expiresAt: tokenExpiresAt,
            })
          }
        }
      })
      const env = { IDP_ISSUER: provider.issuer }
      const dry = await backfill(world, ['--sync', '--dry-run'], env)
      expect(dry.json.mirrors).toEqual({ missing: 3, stale: 0, pullable: 2, pulled: 0 })
      expect(
        (await backfill(world, ['--sync', '--after', 'fan-0090', '--dry-run'], env)).json.mirrors,
      ).toMatchObject({
        pullable: 1,
      })
      const { code, json } = await backfill(world, ['--sync', '--rate', '100'], env)
      expect([code, json.mirrors]).toEqual([0, { missing: 3, stale: 0, pullable: 2, pulled: 2 }])
      const mirrored = await world.db.read.select().from(identities)
      expect(
        mirrored.filter(({ userId }) => subjects.includes(userId)).map(({ name }) => typeof name),
      ).toEqual(['string', 'string'])
      expect((await backfill(world, ['--sync'], env)).json.mirrors).toMatchObject({
        missing: 1,
        pullable: 0,
      })
      await provider.stop()
    })
  })
}
