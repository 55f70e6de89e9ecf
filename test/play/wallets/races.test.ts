/** Races for a wallet between processes: two instances of the API on one database. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { eq } from 'drizzle-orm'
import { createClock } from '../../support/clock.ts'
import { engines, type TemporaryDatabase } from '../../support/engines.ts'
import { type RunningApi, type RunningProvider, startApi, startProvider } from '../../support/processes.ts'
import { type Account, newAccount } from './wallets-world.ts'

const FANS = 4

for (const engine of engines) {
  describe(`Wallets of two processes on one database (${engine.name})`, () => {
    let temporary: TemporaryDatabase
    let provider: RunningProvider
    let apis: RunningApi[]
    let tokens: string[]

    beforeAll(async () => {
      temporary = await engine.open(createClock())
      provider = await startProvider({ fans: FANS + 1 })
      const env = { DATABASE_URL: temporary.url ?? '', IDP_ISSUER: provider.issuer }
      apis = await Promise.all([startApi(env), startApi(env)])
      const subjects = Array.from({ length: FANS }, (_, n) => `fan-${String(n + 1).padStart(4, '0')}`)
      tokens = await Promise.all(subjects.map(subject => provider.idp.issueToken(subject)))
    })

    afterAll(async () => {
      await Promise.all(apis.map(api => api.stop()))
      await provider.stop()
      await temporary.remove()
    })

    /** The n-th fan asks the one process or the other. */
    async function post(n: number, path: string, body: object, process = n) {
      const response = await fetch(`${apis[process % 2]?.origin}${path}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${tokens[n]}`, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      })
      return { status: response.status, body: (await response.json()) as Record<string, string> }
    }

    async function signed(n: number, account: Account) {
      const { status, body } = await post(n, '/api/wallets/challenges', {
        address: account.address,
        chainId: 1,
      })
      expect(status).toBe(201)
      return { nonce: body.nonce, signature: await account.signMessage({ message: body.message ?? '' }) }
    }

    const ownersOf = ({ address }: Account) => {
      const { wallets } = temporary.db.tables
      return temporary.db.read.select().from(wallets).where(eq(wallets.address, address))
    }

    test('a wallet that four fans link at once is linked to one of them', async () => {
      for (let round = 0; round < 5; round++) {
        const account = newAccount()
        const proofs = []
        for (let n = 0; n < FANS; n++) proofs.push(await signed(n, account))
        const answers = await Promise.all(proofs.map((proof, n) => post(n, '/api/wallets', proof)))
        expect(answers.map(({ status, body }) => body.code ?? status).toSorted()).toEqual([
          201,
          ...Array(FANS - 1).fill('wallet_linked_elsewhere'),
        ])
        expect(await ownersOf(account)).toHaveLength(1)
      }
    })

    test('a signature that is sent to both processes is used once', async () => {
      for (let round = 0; round < 3; round++) {
        const proof = await signed(round, newAccount())
        const answers = await Promise.all(
          [0, 1, 2, 3].map(process => post(round, '/api/wallets', proof, process)),
        )
        expect(answers.map(({ status, body }) => body.code ?? status).toSorted()).toEqual([
          201,
          ...Array(3).fill('challenge_expired'),
        ])
      }
    })
  })
}
