/** Everything that is kept about a fan, for the fan, and nothing that is secret. */
import { expect, test } from 'bun:test'
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { getTableColumns } from 'drizzle-orm'
import type { UserReference } from '../../../src/core/caller.ts'
import { streamJson } from '../../../src/core/stream-json.ts'
import { appendEntry } from '../../../src/economy/points/ledger.ts'
import { eraseUser } from '../../../src/fan/account/erase-user.ts'
import { enqueueSync } from '../../../src/identity/users/deferred-sync.ts'
import { tombstoneIdentity } from '../../../src/identity/users/mirror.ts'
import { erasedSubject, findUser, findUserById, type User } from '../../../src/identity/users/users.ts'
import { exportUser } from '../../../src/operate/admin/export-user.ts'
import { addPack, buy, expectStatus, open, patientFan, start } from '../../play/packs/packs-world.ts'
import { runScript } from '../../scripts/run-script.ts'
import { engines } from '../../support/engines.ts'
import { onEachEngine, onEngine, type World } from '../../support/world.ts'

/** More than one page of any list. */
const MANY = 1_203

const referenceTo = ({ config }: World, { subject }: { subject: string }) => {
  return { provider: config.identity.name, subject }
}

onEachEngine('Export of a fan', world => {
  async function exported(fan: UserReference) {
    const found = await exportUser(world.db.read, fan)
    if (!found) return undefined
    return JSON.parse((await Array.fromAsync(streamJson(found))).join(''))
  }

  test('contains the data of every part of the application', async () => {
    const fan = await patientFan(world, 500)
    const user = await findUser(world.db.read, referenceTo(world, fan))
    if (!user) throw new Error('the fan has a record')
    await fan.post('/api/user/onboarding', { profile: { handle: 'exported', bio: 'North stand' } })
    const change = { bio: 'North stand' }
    expectStatus(200, await fan.patch('/api/user/profile', change, { 'idempotency-key': 'once' }))
    const { body: native } = await fan.post('/api/auth/native-token', { deviceName: 'My phone' })
    const rewardId = await world.reward({ stockRemaining: 3 })
    expectStatus(200, await fan.post('/api/rewards/claim', { rewardId }))
    expectStatus(200, await fan.post('/api/rewards/redeem', { rewardId }))
    const packId = await addPack(world)
    const opened = await buy(fan, packId)
    const { items } = expectStatus(200, await open(fan, opened.userPack.id, 'mine'))
    const sealed = await buy(fan, packId)
    const pending = expectStatus(201, await start(fan, packId))
    const tokenExpiresAt = new Date(world.clock.ms + 60_000)
    await world.db.write(tx => enqueueSync(tx, user.id, { encryptedToken: 'sealed-secret', tokenExpiresAt }))

    const document = await exported({ id: user.id })
    expect(document).toMatchObject({
      exportedAt: world.clock.now().toISOString(),
      subject: referenceTo(world, fan),
      profile: { id: user.id, handle: 'exported', bio: 'North stand' },
      identity: { subject: fan.subject, email: expect.any(String), deletedAt: null },
      deferredSync: { attempts: 0, tokenExpiresAt: tokenExpiresAt.toISOString() },
      onboarding: { state: 'completed', reward: { points: 100 } },
      leaderboard: {
        enrolled: true,
        scores: [{ board: '2026-08' }, { board: '2026-W33' }, { board: 'all', points: 600 }],
      },
      storedResponses: [{ route: 'PATCH /api/user/profile', key: 'once', response: { bio: 'North stand' } }],
      points: { balance: 400, lifetime: 600 },
      rewards: [{ rewardId, redemptionCode: expect.any(String) }],
      sessions: [{ deviceName: 'My phone', revokedAt: null }],
    })
    expect(document.points.entries.map(({ delta }: { delta: number }) => delta)).toEqual([
      500, 100, -100, -100,
    ])
    expect(document.purchases).toMatchObject([
      { id: opened.id, status: 'completed' },
      { id: sealed.id, status: 'completed' },
      { id: pending.id, status: 'pending' },
    ])
    expect(document.packs).toMatchObject([
      { id: opened.userPack.id, state: 'opened', clientSeed: 'mine', items },
      { id: sealed.userPack.id, state: 'sealed', items: [] },
    ])
    expect(await exported(referenceTo(world, fan))).toEqual(document)

    const text = JSON.stringify(document)
    const { packPurchases, refreshTokens, nativeSessions } = world.db.tables
    const secrets = [
      ...(await world.db.read.select({ secret: packPurchases.serverSeed }).from(packPurchases)),
      ...(await world.db.read.select({ secret: refreshTokens.hash }).from(refreshTokens)),
      ...(await world.db.read.select({ secret: nativeSessions.encryptedToken }).from(nativeSessions)),
    ].flatMap(({ secret }) => (secret === null ? [] : [secret]))
    expect(secrets.length).toBeGreaterThan(4)
    for (const secret of [...secrets, 'sealed-secret', native.token, native.refreshToken, fan.token]) {
      expect(text).not.toContain(String(secret))
    }
  })

  test('contains no data of the provider for an erased fan: no subject, no sync, no deletion', async () => {
    const fan = await patientFan(world, 20)
    expectStatus(200, await fan.post('/api/user/onboarding', { profile: { bio: 'Row 7' } }))
    const who = referenceTo(world, fan)
    const id = (await findUser(world.db.read, who))?.id ?? ''
    await world.db.write(tx => eraseUser(tx, { id }))
    const erasedAt = world.clock.now().toISOString()
    const document = await exported({ id })
    expect(document).toMatchObject({
      subject: { provider: who.provider, subject: null },
      profile: { id, bio: null, erasedAt },
      identity: { subject: null, email: null, syncedAt: null, deletedAt: null, erasedAt },
      points: { balance: 120 },
    })
    expect(JSON.stringify(document)).not.toContain('erased:')
    expect(JSON.stringify(document)).not.toContain(fan.subject)

    const left = await patientFan(world, 20)
    const leftUser = (await findUser(world.db.read, referenceTo(world, left))) as User
    await world.db.write(tx => tombstoneIdentity(tx, leftUser))
    const deletedAt = world.clock.now().toISOString()
    world.clock.advance(1_000)
    await world.db.write(tx => eraseUser(tx, { id: leftUser.id }))
    expect((await exported({ id: leftUser.id })).identity).toMatchObject({ syncedAt: null, deletedAt })
  })

  test('an erasure keeps only the listed columns of a record', async () => {
    const { users, teams } = world.db.tables
    const at = new Date(world.clock.ms - 60_000)
    const columns = getTableColumns(users)
    const team = {
      id: 'erased-fans-team',
      name: 'Team',
      shortName: 'T',
      active: true,
      createdAt: at,
      updatedAt: at,
    }
    const emptied: object = Object.fromEntries(Object.keys(columns).map(name => [name, null]))
    // Every column there is, so that a new one is filled too.
    const full = Object.fromEntries(
      Object.entries(columns).map(([name, { dataType }]) => [
        name,
        dataType === 'boolean' ? true : dataType === 'date' ? at : `full-${name}`,
      ]),
    )
    // Guarantee: a value for each column, of the column's kind.
    const row = {
      ...full,
      id: 'full-id',
      favoriteTeamId: team.id,
      erasedAt: null,
      mergedIntoId: null,
    } as User
    await world.db.write(async tx => {
      await tx.insert(teams).values(team)
      await tx.insert(users).values(row)
    })
    await world.db.write(tx => eraseUser(tx, { id: row.id }))
    const erased = await findUserById(world.db.read, row.id)
    expect<object | undefined>(erased).toEqual({
      ...emptied,
      id: row.id,
      provider: row.provider,
      createdAt: at,
      // The fold of moderators' decisions, which stay.
      hiddenAt: at,
      silencedAt: at,
      suspendedUntil: at,
      // Written again.
      subject: erasedSubject(row),
      sessionsEndedAt: world.clock.now(),
      erasedAt: world.clock.now(),
      updatedAt: world.clock.now(),
    })
  })

  test('contains long lists completely, and no entry that was booked after the balance was read', async () => {
    const fan = await patientFan(world, 1)
    const user = await findUser(world.db.read, referenceTo(world, fan))
    const userId = user?.id ?? ''
    await world.db.write(async tx => {
      for (let n = 2; n <= MANY; n++) {
        await appendEntry(tx, { userId, delta: 1, reason: 'activity', ref: `visit-${n}` })
      }
    })
    const found = await exportUser(world.db.read, { id: userId })
    await world.grant(fan, 7)
    const { points } = JSON.parse((await Array.fromAsync(streamJson(found))).join(''))
    expect(points.balance).toBe(MANY)
    expect(points.entries.map(({ seq }: { seq: number }) => seq)).toEqual(
      Array.from({ length: MANY }, (_, n) => n + 1),
    )
  })

  test('contains the data of a fan who only signed in, and no other data', async () => {
    const fan = await patientFan(world)
    const reference = referenceTo(world, fan)
    expect(await exported(reference)).toBeUndefined()
    expect(await exported({ id: fan.subject })).toBeUndefined()
    await fan.post('/api/auth/native-token', { deviceName: 'My tablet' })
    expect(await exported(reference)).toMatchObject({
      profile: null,
      sessions: [{ deviceName: 'My tablet' }],
    })
  })
})

for (const engine of engines) {
  onEngine(engine, 'bun run export-user', world => {
    test('writes a file that only its owner can read, completely or not at all, and never replaces one', async () => {
      const fan = await patientFan(world, 30)
      const folder = mkdtempSync(join(tmpdir(), 'matchday-export-'))
      const path = join(folder, 'fan.json')
      const env = { DATABASE_URL: world.databaseUrl ?? '' }
      const umask = process.umask(0)
      const written = await runScript('export-user', ['--subject', fan.subject, '--output', path], { env })
      process.umask(umask)
      expect(written).toMatchObject({ code: 0, out: '' })
      expect(statSync(path).mode & 0o777).toBe(0o600)
      expect(JSON.parse(readFileSync(path, 'utf8'))).toMatchObject({ points: { balance: 30 } })

      const other = await patientFan(world, 40)
      const refused = await runScript('export-user', ['--subject', other.subject, '--output', path], { env })
      expect(refused.code).toBe(1)
      expect(refused.err).toBe(`${path} already exists.\n`)
      const missing = join(folder, 'missing')
      const nowhere = ['--subject', other.subject, '--output', join(missing, 'fan.json')]
      expect((await runScript('export-user', nowhere, { env })).err).toBe(
        `The folder ${missing} does not exist: create it first, or name a file in another one.\n`,
      )
      expect(JSON.parse(readFileSync(path, 'utf8'))).toMatchObject({ points: { balance: 30 } })
      expect(readdirSync(folder)).toEqual(['fan.json'])
      rmSync(folder, { recursive: true })
    })

    test('exits with 0, with 1 for an unknown fan, and with 2 for invalid arguments', async () => {
      const run = (...parameters: string[]) =>
        runScript('export-user', parameters, { env: { DATABASE_URL: world.databaseUrl ?? '' } })
      const fan = await patientFan(world, 30)
      const user = await findUser(world.db.read, referenceTo(world, fan))
      const [byId, bySubject] = [await run(user?.id ?? ''), await run('--subject', fan.subject, '--json')]
      for (const { code, out, err } of [byId, bySubject]) {
        expect({ code, err }).toEqual({ code: 0, err: '' })
        expect(JSON.parse(out)).toMatchObject({ profile: { id: user?.id }, points: { balance: 30 } })
      }
      expect(await run('--subject', fan.subject, '--provider', 'another')).toMatchObject({ code: 1, out: '' })
      expect((await run()).code).toBe(2)
      expect((await run('one', '--subject', 'two')).code).toBe(2)
    })
  })
}
