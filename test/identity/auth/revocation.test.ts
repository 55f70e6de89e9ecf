/** A token that one process revokes is refused immediately by every other process, also after a crash and restart. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { eq } from 'drizzle-orm'
import { eraseUser } from '../../../src/fan/account/erase-user.ts'
import { withRawConnection } from '../../db/probe.ts'
import { createClock } from '../../support/clock.ts'
import { engines, type TemporaryDatabase } from '../../support/engines.ts'
import { type RunningApi, type RunningProvider, startApi, startProvider } from '../../support/processes.ts'
import { waitUntil } from '../../support/wait-until.ts'

interface NativeToken {
  token: string
  refreshToken: string
  sessionId: string
}

for (const engine of engines) {
  describe(`Two processes on one database (${engine.name})`, () => {
    let temporary: TemporaryDatabase
    let provider: RunningProvider
    let apis: RunningApi[]
    let fans = 0
    /** Revoked credentials, which must stay refused after a restart. */
    const dead: string[] = []

    const startBoth = () => {
      const env = { DATABASE_URL: temporary.url ?? '', IDP_ISSUER: provider.issuer }
      return Promise.all([startApi(env), startApi(env)])
    }

    beforeAll(async () => {
      temporary = await engine.open(createClock())
      provider = await startProvider()
      apis = await startBoth()
    })
    afterAll(async () => {
      await Promise.all(apis.map(api => api.stop()))
      await provider.stop()
      await temporary.remove()
    })

    /** Alternates requests between the two processes. */
    async function call(n: number, path: string, { token, body }: { token?: string; body?: unknown } = {}) {
      const response = await fetch(`${apis[n % 2]?.origin}${path}`, {
        headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
        ...(body === undefined
          ? {}
          : {
              method: 'POST',
              body: JSON.stringify(body),
              headers: {
                'content-type': 'application/json',
                ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
              },
            }),
      })
      const text = await response.text()
      return { status: response.status, body: text === '' ? undefined : JSON.parse(text) }
    }

    const nextFan = () => `fan-${String(++fans).padStart(4, '0')}`
    const statusesOf = (token: string) =>
      Promise.all([0, 1].map(async n => (await call(n, '/api/rewards', { token })).status))
    const refresh = (n: number, refreshToken: string) =>
      call(n, '/api/auth/native-token/refresh', { body: { refreshToken } })
    const logOut = async (n: number, token: string, body = {}) =>
      expect((await call(n, '/api/auth/logout', { token, body })).status).toBe(204)

    async function signIn(n: number, token: string): Promise<NativeToken> {
      const { status, body } = await call(n, '/api/auth/native-token', { token, body: {} })
      expect(status).toBe(200)
      return body
    }
    /** A token that both processes have verified and cached. */
    async function warm(...tokens: string[]) {
      for (const token of tokens) expect(await statusesOf(token)).toEqual([200, 200])
    }
    async function expectDead(...tokens: string[]) {
      for (const token of tokens) expect(await statusesOf(token)).toEqual([401, 401])
      dead.push(...tokens)
    }

    /** A test whose revoked credentials are tried again after the restart below. */
    const revocations: (() => Promise<void>)[] = []
    function revocation(title: string, revoke: () => Promise<void>) {
      revocations.push(revoke)
      test(title, revoke)
    }

    revocation(
      'a session token that is logged out in one is refused in the other, although cached',
      async () => {
        const subject = nextFan()
        const [token, other] = [
          await provider.idp.issueToken(subject),
          await provider.idp.issueToken(subject),
        ]
        await warm(token, other)
        await logOut(0, token)
        await expectDead(token)
        await warm(other)
      },
    )

    revocation(
      'a native token that is logged out in one is refused in the other, with its refresh token',
      async () => {
        const session = await provider.idp.issueToken(nextFan())
        const [phone, tablet] = [await signIn(0, session), await signIn(1, session)]
        await warm(phone.token, tablet.token)
        await logOut(1, phone.token)
        await expectDead(phone.token)
        for (const n of [0, 1]) expect((await refresh(n, phone.refreshToken)).status).toBe(401)
        await warm(tablet.token, session)
      },
    )

    revocation('everywhere in one is everywhere in the other, and leaves other fans alone', async () => {
      const subject = nextFan()
      const [session, second] = [
        await provider.idp.issueToken(subject),
        await provider.idp.issueToken(subject),
      ]
      const [phone, tablet] = [await signIn(0, session), await signIn(1, second)]
      const stranger = await provider.idp.issueToken(nextFan())
      await warm(session, second, phone.token, tablet.token, stranger)
      await logOut(0, session, { everywhere: true })
      await expectDead(session, second, phone.token, tablet.token)
      for (const { refreshToken } of [phone, tablet])
        expect((await refresh(1, refreshToken)).status).toBe(401)
      await warm(stranger)
    })

    test('a logout in one is effective immediately in the other while that one writes', async () => {
      const writers = await Promise.all(Array.from({ length: 8 }, () => provider.idp.issueToken(nextFan())))
      const tokens = await Promise.all(Array.from({ length: 60 }, () => provider.idp.issueToken(nextFan())))
      await warm(...tokens)
      let done = false
      const load = writers.map(async (token, n) => {
        for (let bio = 0; !done; bio++) {
          const { status } = await call(1, '/api/user/profile', { token, body: { bio: `${n} ${bio}` } })
          expect([200, 201]).toContain(status)
        }
      })
      const alive: number[] = []
      for (const [n, token] of tokens.entries()) {
        await logOut(0, token)
        // The first responses may be right by chance; a stale cached one shows later.
        for (let attempt = 0; attempt < 5; attempt++) {
          if ((await call(1, '/api/rewards', { token })).status !== 401) alive.push(n)
        }
      }
      done = true
      await Promise.all(load)
      expect(alive).toEqual([])
      await expectDead(...tokens)
    })

    test('one token refreshed in both concurrently advances its session by one generation', async () => {
      const { refreshToken, sessionId } = await signIn(0, await provider.idp.issueToken(nextFan()))
      const answers = await Promise.all(Array.from({ length: 20 }, (_, n) => refresh(n, refreshToken)))
      expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(200))
      expect(new Set(answers.map(({ body }) => body.refreshToken)).size).toBe(20)
      expect(await generationOf(sessionId)).toBe(2)
      await warm(...answers.slice(0, 2).map(({ body }) => body.token))
    })

    revocation(
      'a refresh token reused in both concurrently ends its session in both, with all its tokens',
      async () => {
        const first = await signIn(0, await provider.idp.issueToken(nextFan()))
        const second = (await refresh(1, first.refreshToken)).body as NativeToken
        const third = (await refresh(0, second.refreshToken)).body as NativeToken
        await warm(first.token, second.token, third.token)
        const attempts = Array.from({ length: 20 }, (_, n) => refresh(n, first.refreshToken))
        for (const { status, body } of await Promise.all(attempts)) {
          expect([status, body.code]).toEqual([401, 'invalid_refresh_token'])
        }
        await expectDead(first.token, second.token, third.token)
        for (const n of [0, 1]) expect((await refresh(n, third.refreshToken)).status).toBe(401)
      },
    )

    const exchange = (n: number, token: string) => call(n, '/api/auth/native-token', { token, body: {} })
    const twenty = <T>(make: (n: number) => Promise<T>) =>
      Promise.all(Array.from({ length: 20 }, (_, n) => make(n)))
    async function devicesOf(subject: string) {
      const { read, tables } = temporary.db
      const { id, revokedAt } = tables.nativeSessions
      return read
        .select({ id, revokedAt })
        .from(tables.nativeSessions)
        .where(eq(tables.nativeSessions.subject, subject))
    }
    const liveDevicesOf = async (subject: string) =>
      (await devicesOf(subject)).filter(({ revokedAt }) => revokedAt === null)

    test('exchanges concurrent with a logout everywhere leave no session and no valid refresh token', async () => {
      for (let round = 0; round < 6; round++) {
        const subject = nextFan()
        const [token, other] = [
          await provider.idp.issueToken(subject),
          await provider.idp.issueToken(subject),
        ]
        // In some rounds the fan has a device and a record, in others the exchange is the first write.
        if (round % 2 === 0) {
          await signIn(0, token)
          await createRecord(token)
        }
        await warm(token, other)
        const answers = await twenty(async n => {
          if (n === 7) await logOut(n, other, { everywhere: true })
          return exchange(n, token)
        })
        expect(await liveDevicesOf(subject)).toEqual([])
        for (const [n, { status, body }] of answers.entries()) {
          expect([200, 401]).toContain(status)
          if (status === 200) expect((await refresh(n, body.refreshToken)).status).toBe(401)
        }
        await expectDead(token, other)
      }
    })

    test('twenty concurrent exchanges in both leave the fan at most fifty devices', async () => {
      for (const before of [40, 0]) {
        const subject = nextFan()
        const token = await provider.idp.issueToken(subject)
        for (let device = 0; device < before; device++) await signIn(device, token)
        const rounds = before === 0 ? [0, 1, 2] : [0]
        for (const _ of rounds) {
          const answers = await twenty(n => exchange(n, token))
          expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(200))
        }
        expect(await liveDevicesOf(subject)).toHaveLength(50)
      }
    })

    test('twenty concurrent exchanges and twenty first writes all succeed, and one creates the record', async () => {
      const subject = nextFan()
      const token = await provider.idp.issueToken(subject)
      const [exchanges, writes] = await Promise.all([
        twenty(n => exchange(n, token)),
        twenty(n => call(n, '/api/user/profile', { token, body: { bio: `${n}` } })),
      ])
      expect(exchanges.map(({ status }) => status)).toEqual(Array(20).fill(200))
      expect(writes.map(({ status }) => status).toSorted()).toEqual([...Array(19).fill(200), 201])
    })

    test('exchanges and refreshes concurrent with an erasure leave no session, with or without a record', async () => {
      for (let round = 0; round < 6; round++) {
        const subject = nextFan()
        const token = await provider.idp.issueToken(subject)
        const phones = [await signIn(0, token), await signIn(1, token)]
        if (round % 2 === 0) await createRecord(token)
        const caller = { provider: 'mock-idp', subject }
        const [erasure, answers] = await Promise.all([
          temporary.db.write(tx => eraseUser(tx, caller)),
          twenty(n => (n % 2 ? exchange(n, token) : refresh(n, phones[(n / 2) % 2]?.refreshToken ?? ''))),
        ])
        expect(erasure).not.toBeNull()
        for (const { status } of answers) expect([200, 401]).toContain(status)
        expect(await devicesOf(subject)).toEqual([])
        await expectDead(token, ...phones.map(phone => phone.token))
        for (const { body } of answers)
          if (body.refreshToken) expect((await refresh(0, body.refreshToken)).status).toBe(401)
      }
    })

    const createRecord = async (token: string) =>
      expect((await call(0, '/api/user/profile', { token, body: {} })).status).toBe(201)

    /** Resolves when this number of statements wait for locks. */
    const blocked = (expected: number) =>
      withRawConnection(temporary, async run => {
        const waiting =
          "SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"
        await waitUntil(
          `${expected} statements wait for locks`,
          async () => (await run(waiting)).length >= expected,
        )
      })

    // SQLite has one writer, so nothing can wait for a running erasure.
    if (engine.name !== 'SQLite')
      test('a write that waits for an erasure is refused and leaves nothing', async () => {
        for (const record of [true, false]) {
          const subject = nextFan()
          const token = await provider.idp.issueToken(subject)
          await signIn(0, token)
          if (record) await createRecord(token)
          const erased = Promise.withResolvers<void>()
          const waiting = Promise.withResolvers<void>()
          const erasure = temporary.db.write(async tx => {
            await eraseUser(tx, { provider: 'mock-idp', subject })
            erased.resolve()
            await waiting.promise
          })
          await erased.promise
          const late = [
            call(0, '/api/auth/native-token', { token, body: {} }),
            call(1, '/api/user/profile', { token, body: { bio: 'late' } }),
          ]
          await blocked(late.length)
          waiting.resolve()
          await erasure
          for (const { status } of await Promise.all(late)) expect([401, 404]).toContain(status)
          expect(await devicesOf(subject)).toEqual([])
          const { users } = temporary.db.tables
          expect(await temporary.db.read.select().from(users).where(eq(users.subject, subject))).toEqual([])
        }
      })

    test('revoked credentials stay refused after both processes are killed and restarted, others stay valid', async () => {
      for (const revoke of revocations) await revoke()
      const subject = nextFan()
      const [gone, kept] = [await provider.idp.issueToken(subject), await provider.idp.issueToken(subject)]
      const phone = await signIn(1, kept)
      await warm(gone, kept, phone.token)
      await logOut(1, gone)
      // Killed as soon as the logout is acknowledged.
      await Promise.all(apis.map(api => api.stop('SIGKILL')))
      apis = await startBoth()
      dead.push(gone)
      expect(dead.length).toBeGreaterThan(8)
      for (const token of dead) expect(await statusesOf(token)).toEqual([401, 401])
      await warm(kept, phone.token)
      expect((await refresh(0, phone.refreshToken)).status).toBe(200)
    })

    async function generationOf(sessionId: string) {
      const { read, tables } = temporary.db
      const { nativeSessions } = tables
      const [row] = await read.select().from(nativeSessions).where(eq(nativeSessions.id, sessionId))
      return row?.generation
    }
  })
}
