/** Consents of guardians, while processes write for the fan. */
import { describe, expect, test } from 'bun:test'
import { eq } from 'drizzle-orm'
import { storeAge } from '../../../src/identity/users/age.ts'
import { engines } from '../../support/engines.ts'
import { useTwoProcesses } from '../../support/two-processes.ts'
import { waitUntil } from '../../support/wait-until.ts'

for (const engine of engines) {
  describe(`Consents of guardians with several processes (${engine.name})`, () => {
    const processes = useTwoProcesses(engine)
    const { call, fan } = processes

    async function bioOf(id: string) {
      const { users } = processes.db.tables
      const found = processes.db.read.select({ bio: users.bio }).from(users).where(eq(users.id, id))
      const [row] = await found
      return row?.bio
    }

    const state = (id: string, guardianConsent: boolean) =>
      processes.db.write(tx =>
        storeAge(tx, id, { ageBand: 'under_13', source: 'school', assuredAt: new Date(), guardianConsent }),
      )

    test('no write of a fan commits in any process after the consent is revoked', async () => {
      const { token, id } = await fan(1)
      await state(id, true)
      const write = (n: number, bio: string) => call(n, token, 'PATCH', '/api/user/profile', { bio })
      let written = 0
      const codes: unknown[] = []
      const writers = [0, 1, 2, 3].map(async n => {
        for (;;) {
          const { status, body } = await write(n, `${++written}`)
          if (status !== 200) return codes.push(body.code)
        }
      })
      await waitUntil('writes run', () => written >= 8)
      await state(id, false)
      const atRevocation = await bioOf(id)
      const late = await Promise.all([0, 1].map(n => write(n, 'late')))
      expect(late.map(({ status, body }) => [status, body.code])).toEqual(
        Array(2).fill([403, 'guardian_consent_required']),
      )
      await Promise.all(writers)
      expect(codes).toEqual(Array(4).fill('guardian_consent_required'))
      expect(await bioOf(id)).toBe(atRevocation)
    })

    test('each process accepts writes again as soon as a guardian agrees', async () => {
      const { token, id } = await fan(2)
      for (const agrees of [false, true, false, true]) {
        await state(id, agrees)
        const answers = await Promise.all(
          [0, 1].map(n => call(n, token, 'PATCH', '/api/user/profile', { bio: `${n}` })),
        )
        expect(answers.map(({ status }) => status)).toEqual(Array(2).fill(agrees ? 200 : 403))
      }
    })
  })
}
