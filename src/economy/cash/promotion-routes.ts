import { Closed, Instant, Integer, Nullable } from '../../core/schemas.ts'
import { Type } from '../../core/typebox.ts'
import { type ServerDeps, servers } from '../../identity/server-keys/group.ts'
import type { FanEmails } from '../../identity/users/emails.ts'
import { operation } from '../../platform/http/contract/operation.ts'
import { CashPromotion, grantCash } from './grant-cash.ts'
import { thrownBy } from './problems.generated.ts'

type PromotionDeps = ServerDeps & {
  config: { identity: { name: string }; cashCurrencies: readonly string[] }
  fanEmails: FanEmails | null
}

const GivenCash = Closed(
  {
    promotion: Closed(
      {
        ref: Type.String({ description: 'As given.' }),
        amount: Integer({ minimum: 1, description: 'Minor units.' }),
        currency: Type.String({ description: 'ISO 4217.' }),
        expiresAt: Nullable(Instant('When it ends.'), { description: 'Null: it does not end.' }),
      },
      { description: 'What was booked.' },
    ),
    available: Integer({ minimum: 0, description: 'What the fan can spend now, in minor units.' }),
    held: Integer({ minimum: 0, description: 'What is held for purchases that are not paid yet.' }),
  },
  { title: 'GivenCash' },
)

const example = {
  promotion: {
    ref: 'welcome-2026-4711',
    amount: 500,
    currency: 'EUR',
    expiresAt: '2027-06-30T22:00:00.000Z',
  },
  available: 500,
  held: 0,
}

export const promotionRoutes = (deps: PromotionDeps) =>
  servers(deps, { prefix: '/api/cash/promotions', tag: 'Server', scope: 'cash:write' }).post(
    '',
    ({ body, source, status, write }) =>
      write(async tx => {
        const { identity, cashCurrencies: currencies } = deps.config
        const giver = { source, provider: identity.name, fanEmails: deps.fanEmails, currencies }
        const { created, ...given } = await grantCash(tx, giver, body)
        return status(created ? 201 : 200, given)
      }),
    operation({
      id: 'grantCash',
      summary: 'Give cash to a fan',
      description:
        'Books a promotion once per `ref`. A repeat for the same fan and the same amount is 200. Promotions are spent before cash that the fan has paid in, starting with the one that expires first. They cannot be paid out.',
      body: CashPromotion,
      responses: { 200: GivenCash, 201: GivenCash },
      problems: thrownBy.grantCash,
      examples: {
        body: {
          fan: { provider: 'mock-idp', subject: 'fan-0001' },
          amount: 500,
          currency: 'EUR',
          ref: 'welcome-2026-4711',
          expiresAt: '2027-06-30T22:00:00.000Z',
        },
        201: example,
        200: example,
      },
    }),
  )
