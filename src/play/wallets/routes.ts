import { Type } from '../../core/typebox.ts'
import { readOfferedBalances } from '../../economy/cash/balances.ts'
import { type FanDeps, fans } from '../../identity/auth/groups.ts'
import type { Config } from '../../platform/config/config.ts'
import { Nothing, operation } from '../../platform/http/contract/operation.ts'
import type { Chains } from './chains.ts'
import { issueChallenge, prepareChallenge } from './challenge.ts'
import { thrownBy } from './problems.generated.ts'
import * as schema from './schema.ts'
import { verifyProof } from './verify.ts'
import { linkWallet, listLinked, unlinkWallet } from './wallets.ts'

type WalletDeps = FanDeps & { config: Config; chains: Chains }

export const walletsRoutes = (deps: WalletDeps) =>
  fans(deps, { prefix: '/api/wallets', tag: 'Wallets' })
    .get(
      '',
      async ({ caller }) => ({
        cash: await readOfferedBalances(deps.db.read, caller, deps.config.cashCurrencies),
        linked: await listLinked(deps.db.read, caller.userId),
      }),
      operation({
        id: 'readWallets',
        summary: 'Read your wallets',
        description:
          'Balances of cash in each currency that the club keeps, and the wallets on blockchains that you have linked.',
        responses: { 200: schema.Wallets },
        examples: {
          200: { cash: [{ currency: 'EUR', available: 1501, held: 499 }], linked: [schema.exampleWallet] },
        },
      }),
    )
    .post(
      '/challenges',
      ({ body, status, write }) =>
        write(async (tx, fan, signable) => status(201, await issueChallenge(tx, fan, signable)), {
          prepare: () => prepareChallenge(deps.config.wallets, body),
          toCount: true,
        }),
      operation({
        id: 'issueWalletChallenge',
        limit: 'wallets',
        summary: 'Request a challenge for a wallet',
        description:
          'The user signs `message` unchanged with the wallet, within five minutes. The message contains the site, the chain, the address and the fan. A challenge can be used once.',
        body: schema.NewChallenge,
        responses: { 201: schema.WalletChallenge },
        problems: thrownBy.issueWalletChallenge,
        examples: {
          body: { address: schema.exampleWallet.address, chainId: 1 },
          201: schema.exampleChallenge,
        },
      }),
    )
    .post(
      '',
      ({ body, caller, status, write }) =>
        write(
          async (tx, fan, proof) => {
            const { created, wallet } = await linkWallet(tx, fan, body, proof)
            return status(created ? 201 : 200, wallet)
          },
          { prepare: () => verifyProof(deps, caller, body), toCount: true },
        ),
      operation({
        id: 'linkWallet',
        limit: 'wallets',
        summary: 'Link a wallet',
        description:
          'Proves with the signature of a challenge that the wallet is yours. 200 if you have linked it before. A linked wallet cannot be used to sign in.',
        body: schema.WalletProof,
        responses: { 200: schema.LinkedWallet, 201: schema.LinkedWallet },
        problems: thrownBy.linkWallet,
        examples: {
          body: {
            nonce: schema.exampleChallenge.nonce,
            signature: `0x${'8f'.repeat(32)}${'4c'.repeat(32)}1b`,
          },
          200: schema.exampleWallet,
          201: schema.exampleWallet,
        },
      }),
    )
    .delete(
      '/:address',
      ({ params, status, write }) =>
        write(async (tx, fan) => {
          await unlinkWallet(tx, fan, params.address)
          return status(204, undefined)
        }),
      operation({
        id: 'unlinkWallet',
        limit: 'wallets',
        idempotencyKey: 'none',
        whenSuspended: 'allowed',
        summary: 'Unlink a wallet',
        description: 'Also succeeds if you have not linked it.',
        params: schema.WalletParams,
        body: Nothing,
        responses: { 204: Type.Void({ description: 'The wallet is not linked to you.' }) },
      }),
    )
