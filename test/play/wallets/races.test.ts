/** Races for a wallet between processes: two instances of the API on one database. */
import { beforeAll, describe, expect, test } from 'bun:test'
import { eq } from 'drizzle-orm'
import { engines } from '../../support/engines.ts'
import { useTwoProcesses } from '../../support/two-processes.ts'
import { type Account, newAccount } from './wallets-world.ts'

const FANS = 4

for (const engine of engines) {
  describe(`Wallets of two processes on one database (${engine.name})`, () => {
    const processes = useTwoProcesses(engine)
    let tokens: string[]

    beforeAll(async () => {
      tokens = await Promise.all(Array.from({ length: FANS }, (_, n) => processes.tokenOf(n + 1)))
    })

    /** The n-th fan asks the one process or the other. */
    const post = (n: number, path: string, body: object, process = n) =>
      processes.call(process, tokens[n] ?? '', 'POST', path, body)

    async function signed(n: number, account: Account) {
      const { status, body } = await post(n, '/api/wallets/challenges', {
        address: account.address,
        chainId: 1,
      })
      expect(status).toBe(201)
      return { nonce: body.nonce, signature: await account.signMessage({ message: String(body.message) }) }
    }

    const ownersOf = ({ address }: Account) => {
      const { wallets } = processes.db.tables
      return processes.db.read.select().from(wallets).where(eq(wallets.address, address))
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
