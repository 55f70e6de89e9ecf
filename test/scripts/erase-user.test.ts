/** `bun run erase-user`: erases all personal data permanently, and keeps ledger and proofs verifiable. */
import { Database as Connection } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import { mkdtempSync, readFileSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { verifyLedger } from '../../src/audit/runs/verify-ledger.ts'
import { grantPoints } from '../../src/economy/points/grants.ts'
import { upsertProfile } from '../../src/fan/profile/profile.ts'
import { startSession } from '../../src/identity/auth/native-sessions.ts'
import { enqueueSync } from '../../src/identity/users/deferred-sync.ts'
import { syncIdentity } from '../../src/identity/users/mirror.ts'
import { findTokenValidity } from '../../src/identity/users/user-token-validity.ts'
import { parseTokenClaims } from '../../src/platform/identity-provider/claims.ts'
import { findFlaw } from '../../src/play/packs/proof.ts'
import { withRawConnection } from '../db/probe.ts'
import { deleted, deliver, updated } from '../identity/users/deliveries.ts'
import { addPack, buy, expectStatus, open } from '../play/packs/packs-world.ts'
import { engines } from '../support/engines.ts'
import { type Fan, onEngine, type World } from '../support/world.ts'
import { writerOf } from '../support/writer.ts'
import { runScript } from './run-script.ts'

async function erase(world: World, parameters: string[]) {
  const env = { DATABASE_URL: world.databaseUrl ?? '' }
  const { code, out, err } = await runScript('erase-user', [...parameters, '--json'], { env })
  return { code, json: out === '' ? null : JSON.parse(out), err }
}

let busyFans = 0

/** A fan with data in every table. */
async function busyFan(world: World) {
  const fan = await world.fan()
  const nth = ++busyFans
  const handle = `busy_${nth}_`
  const [displayName, bio, deviceName] = [`Wilhelmina ${nth}.`, `Row ${nth}.`, `Phone ${nth}.`]
  const profile = { handle, displayName, bio, country: 'GB', locale: 'en-GB' }
  expectStatus(200, await fan.post('/api/user/onboarding', { profile }))
  await world.grant(fan, 900)
  const rewardId = await world.reward()
  expectStatus(200, await fan.post('/api/rewards/claim', { rewardId }))
  const { reward } = expectStatus(200, await fan.post('/api/rewards/redeem', { rewardId }))
  const { userPack } = await buy(fan, await addPack(world))
  expectStatus(200, await open(fan, userPack.id))
  const key = `key-${nth}.`
  expectStatus(200, await fan.patch('/api/user/profile', { bio }, { 'Idempotency-Key': key }))
  const native = expectStatus(200, await fan.post('/api/auth/native-token', { deviceName }))
  const { id, identity } = expectStatus(200, await fan.get('/api/user/profile'))
  const encryptedToken = `a sealed token ${nth}.`
  const note = `Apology to the fan of row ${nth}.`
  const grant = { fan: { userId: id }, delta: 5, ref: `apology-${nth}`, note }
  await world.db.write(tx => grantPoints(tx, { source: 'desk', provider: '' }, grant))
  await world.db.write(tx =>
    enqueueSync(tx, id, { encryptedToken, tokenExpiresAt: new Date(world.clock.ms + 9e6) }),
  )
  const written = [handle, displayName, bio, deviceName, encryptedToken, reward.redemptionCode, key, note]
  const personal = [...written, fan.subject, identity.email, identity.name]
  return { fan, id, native, handle, userPackId: userPack.id, personal }
}

/** The files as one text, read by another process: closing a file here would drop SQLite's POSIX locks. */
function readElsewhere(paths: string[]): string {
  const { stdout, exitCode } = Bun.spawnSync(['cat', ...paths])
  expect(exitCode).toBe(0)
  return stdout.toString('latin1')
}

/** Every row of every table, as text. */
const everything = ({ db, databaseUrl: url }: World) =>
  withRawConnection({ db, url }, async run => {
    const catalogue =
      db.engine === 'sqlite'
        ? "SELECT name FROM sqlite_master WHERE type = 'table'"
        : 'SELECT tablename AS name FROM pg_tables WHERE schemaname = current_schema()'
    const rows = await Promise.all((await run(catalogue)).map(({ name }) => run(`SELECT * FROM "${name}"`)))
    return JSON.stringify(rows)
  })

for (const engine of engines) {
  onEngine(engine, 'bun run erase-user', world => {
    /** A test of SQLite's files. */
    const testOnSqlite = (title: string, run: () => Promise<void>) => {
      if (engine.name === 'SQLite') test(title, run)
    }
    const expectGone = async (fan: Pick<Fan, 'get'>) => {
      const { status, body } = await fan.get('/api/user/profile')
      expect([status, body.code]).toEqual([401, 'invalid_token'])
    }
    const who = ({ subject }: Fan) => ({ provider: world.config.identity.name, subject })

    test('shows what would be erased without its values, and changes nothing without --yes', async () => {
      const { fan, id, personal } = await busyFan(world)
      const before = await everything(world)
      for (const parameters of [[id], [id, '--dry-run'], ['--subject', fan.subject]]) {
        const { code, json } = await erase(world, parameters)
        expect(code).toBe(0)
        expect(json).toMatchObject({
          userId: id,
          erasedAt: null,
          profile: ['displayName', 'handle', 'bio', 'country', 'locale'],
          identity: ['subject', 'email', 'emailVerified', 'name', 'picture'],
          devices: 1,
          redemptionCodes: 1,
          grantNotes: 1,
          eventData: 9,
          deferredSyncs: 1,
          done: false,
        })
        for (const text of personal) expect(JSON.stringify(json)).not.toContain(text)
      }
      expect(await everything(world)).toBe(before)
    })

    test('leaves no personal data in any table, and repeating it has no effect', async () => {
      const { fan, id, personal, handle } = await busyFan(world)
      const before = await everything(world)
      for (const text of personal) expect(before).toContain(text)
      expect(await erase(world, ['--subject', fan.subject, '--yes'])).toMatchObject({
        code: 0,
        json: { userId: id, done: true, devices: 1, changed: 1 },
      })
      const after = await everything(world)
      for (const text of personal) expect(after).not.toContain(text)
      const rows = await world.db.read.select().from(world.db.tables.users)
      expect(rows.find(row => row.id === id)).toMatchObject({ displayName: null, bio: null, handle: null })

      expect(await erase(world, [id, '--yes'])).toMatchObject({
        code: 0,
        json: { profile: [], identity: [], changed: 0 },
      })
      expect(await everything(world)).toBe(after)
      const other = await world.fan()
      expectStatus(201, await other.post('/api/user/profile', { handle }))
    })

    test('signs the fan out at once, and no token, webhook or sync restores the fan', async () => {
      const { fan, id, native } = await busyFan(world)
      await erase(world, [id, '--yes'])
      const row = async () => {
        const rows = await world.db.read.select().from(world.db.tables.users)
        return rows.filter(user => user.id === id || user.subject === fan.subject)
      }
      const tombstone = await row()
      expect(tombstone).toHaveLength(1)

      await expectGone(fan)
      await expectGone(world.withToken(native.token))
      world.clock.advance(60_000)
      await expectGone(world.withToken(await world.idp.issueToken(fan.subject)))
      expect((await fan.post('/api/auth/native-token', {})).status).toBe(401)
      const { refreshToken } = native
      expect((await world.anonymous.post('/api/auth/native-token/refresh', { refreshToken })).status).toBe(
        401,
      )
      for (const event of [
        updated(world, fan.subject, { name: 'Back Again' }),
        deleted(world, fan.subject),
      ]) {
        expect((await deliver(world, event)).status).toBe(204)
      }
      // Requests that were authenticated before the erasure.
      const { claims } = parseTokenClaims(fan.subject, { name: 'Back Again' }, { now: world.clock.now() })
      const { db } = world
      for (const late of [
        () => db.write(async tx => syncIdentity(tx, await writerOf(tx, who(fan)), claims)),
        () => db.write(async tx => upsertProfile(tx, await writerOf(tx, who(fan)), { bio: 'Back again' })),
      ]) {
        expect(await late().catch((error: unknown) => error)).toMatchObject({ code: 'invalid_token' })
      }
      expect(await row()).toEqual(tombstone)
      expect(await everything(world)).not.toContain('Back')
    })

    test('erases a device of a concurrent request when it is run again by subject', async () => {
      const { fan, id } = await busyFan(world)
      await erase(world, [id, '--yes'])
      const at = new Date(world.clock.ms)
      const origin = { issuedAt: at, encryptedToken: 'sealed', tokenExpiresAt: at, clientId: null }
      await world.db.write(tx => startSession(tx, who(fan), 'Late phone', origin, 86_400_000))
      expect(await everything(world)).toContain('Late phone')
      expect((await erase(world, ['--subject', fan.subject, '--yes'])).json).toMatchObject({
        userId: id,
        devices: 1,
        done: true,
      })
      const after = await everything(world)
      for (const text of ['Late phone', fan.subject]) expect(after).not.toContain(text)
    })

    testOnSqlite('leaves no byte of the fan in the files while a server has them open', async () => {
      // Enough rows to split pages.
      const fans = []
      for (let nth = 0; nth < 12; nth++) fans.push(await busyFan(world))
      const { fan, id, personal } = fans[5] ?? (await busyFan(world))
      const path = (world.databaseUrl ?? '').slice('sqlite:'.length)
      const bytes = () => readElsewhere(['', '-wal', '-shm'].map(suffix => path + suffix))
      const searched = personal.map(text => Buffer.from(text).toString('latin1'))
      for (const text of searched) expect(bytes()).toContain(text)
      expect(await erase(world, [id, '--yes'])).toMatchObject({ code: 0, json: { logTruncated: true } })
      for (const text of searched) expect(bytes()).not.toContain(text)
      expect(statSync(`${path}-wal`).size).toBe(0)
      await expectGone(fan)
      const list = readFileSync(`${path}.erasures`, 'latin1')
      for (const text of [...searched, id]) expect(list).not.toContain(text)
      // The server keeps writing.
      const other = await world.fan()
      expectStatus(201, await other.post('/api/user/profile', { bio: 'after' }))
    })

    testOnSqlite('says so when another connection keeps the log from being emptied', async () => {
      const { id } = await busyFan(world)
      const path = (world.databaseUrl ?? '').slice('sqlite:'.length)
      const reader = new Connection(path)
      reader.run('BEGIN')
      reader.query('SELECT count(*) FROM users').get()
      const outcome = await runScript('erase-user', [id, '--yes'], {
        env: { DATABASE_URL: world.databaseUrl ?? '' },
      })
      expect(outcome.code).toBe(1)
      expect(outcome.out).toContain('The WAL still has the old rows')
      reader.run('COMMIT')
      reader.close()
      expect(await erase(world, [id, '--yes'])).toMatchObject({ code: 0, json: { logTruncated: true } })
    })

    test('an exported list is applied to a database with the fan restored', async () => {
      const { fan, id } = await busyFan(world)
      const kept = await world.fan()
      expectStatus(201, await kept.post('/api/user/profile', { bio: 'kept' }))
      const gone = await world.fan()
      expectStatus(201, await gone.post('/api/user/profile', { bio: 'gone' }))
      const own = `${mkdtempSync(join(tmpdir(), 'matchday-erasures-'))}/own`
      const { json } = await erase(world, [id, '--yes', '--erasures', own])
      expect(json).toMatchObject({ done: true, list: own })
      expect((await erase(world, ['--subject', gone.subject, '--yes'])).code).toBe(0)
      const list = `${own}.exported`
      const exported = await erase(world, ['--export', list])
      expect(exported.json.exported).toBeGreaterThanOrEqual(2)
      expect(statSync(list).mode & 0o777).toBe(0o600)
      expect((await erase(world, ['--export', list])).json.exported).toBe(0)

      // As after restoring a backup from before the erasures, with one of the fans missing.
      const restored = await engine.open(world.clock)
      const { db, url } = restored
      await db.write(async tx =>
        upsertProfile(tx, await writerOf(tx, who(fan)), { bio: 'Back', handle: 'back_again' }),
      )
      await db.write(async tx => upsertProfile(tx, await writerOf(tx, who(kept)), { bio: 'kept' }))
      const there = { ...world, db, databaseUrl: url }
      expect((await erase(there, ['--reapply', list])).json).toMatchObject({ done: false })
      expect(await everything(there)).toContain('Back')
      const reapplied = await erase(there, ['--reapply', list, '--yes'])
      expect(reapplied).toMatchObject({ code: 0, json: { erased: 1, done: true } })
      const text = await everything(there)
      expect(text).toContain('kept')
      for (const word of ['Back', 'back_again', `"${fan.subject}"`]) expect(text).not.toContain(word)
      for (const each of [fan, gone]) {
        expect(await findTokenValidity(db.read, who(each))).toMatchObject({ erased: true })
      }
      expect((await erase(there, ['--reapply', list, '--yes'])).json).toMatchObject({
        erased: 0,
        tombstones: 0,
      })
      await restored.remove()
      expect((await erase(world, ['--reapply', `${list}.none`])).code).toBe(1)
      expect((await erase(world, [id, '--reapply', list])).code).toBe(2)
    })

    test('keeps ledger and proof verifiable, and the leaderboard entry anonymous', async () => {
      const { id, userPackId } = await busyFan(world)
      const viewer = await world.fan()
      const before = expectStatus(200, await viewer.get('/api/leaderboard'))
      await erase(world, [id, '--yes'])
      world.clock.advance(1_000)
      const after = expectStatus(200, await viewer.get('/api/leaderboard'))
      const rankOf = (board: { entries: { userId: string; rank: number }[] }) =>
        board.entries.find(({ userId }) => userId === id)
      expect(rankOf(after)).toEqual({
        ...rankOf(before),
        handle: null,
        displayName: null,
        avatarUrl: null,
      } as never)
      expect((await verifyLedger(world.db)).findings).toBe(0)
      const proof = expectStatus(200, await world.anonymous.get(`/api/packs/proofs/${userPackId}`))
      expect(findFlaw(proof)).toBeNull()
    })

    test('finds a fan who only signed in on a device, and rejects ambiguous references', async () => {
      const fan = await world.fan()
      expectStatus(200, await fan.post('/api/auth/native-token', { deviceName: 'Only this' }))
      expect((await erase(world, ['--subject', fan.subject, '--yes'])).json).toMatchObject({
        devices: 1,
        done: true,
      })
      await expectGone(fan)
      expect(await everything(world)).not.toContain(fan.subject)

      expect((await erase(world, ['--subject', 'nobody', '--yes'])).code).toBe(1)
      for (const parameters of [[], ['x', '--subject', 'y'], ['x', '--yes', '--dry-run']]) {
        expect((await erase(world, parameters)).code).toBe(2)
      }
    })
  })
}
