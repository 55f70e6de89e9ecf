/** Schemas of accounts and tiers as fans see them. */
import { Closed, Id, Instant, Integer, NextCursor, Nullable, Slug } from '../../core/schemas.ts'
import { Type } from '../../core/typebox.ts'

export const AccountParams = Closed({ id: Slug('The account.', { examples: ['status'] }) })

const Total = (description: string) => Type.Integer({ description, minimum: Number.MIN_SAFE_INTEGER })

const FanAccount = Closed(
  {
    id: Type.String({ description: 'The account.' }),
    name: Type.String({ description: 'For the fan to read.' }),
    unit: Type.String({ description: 'What is counted.' }),
    total: Total('The sum of the entries of the seasons that count.'),
    seasons: Type.Array(
      Closed({
        seasonId: Nullable(Type.String(), { description: 'Null after the last season of the catalogue.' }),
        total: Total('The sum of its entries.'),
      }),
      { description: 'Newest first.' },
    ),
    tier: Nullable(
      Closed({
        id: Type.String({ description: 'The tier.' }),
        name: Type.String({ description: 'For the fan to read.' }),
        benefits: Type.Array(Type.String(), { description: 'What the fan gets for it.' }),
        since: Nullable(Instant('When it was reached.')),
        until: Nullable(Instant('When it ends.'), {
          description: 'When it ends. Null while the total is high enough.',
        }),
      }),
      { description: 'The tier of the fan.' },
    ),
    next: Nullable(
      Closed({
        tier: Closed(
          {
            id: Type.String({ description: 'The tier.' }),
            name: Type.String({ description: 'For the fan to read.' }),
          },
          { description: 'The lowest tier above the total.' },
        ),
        missing: Integer({ minimum: 1, description: 'What is missing to it.' }),
      }),
      { description: 'Null if there is none.' },
    ),
  },
  { title: 'FanAccount' },
)

export const FanAccounts = Closed(
  { accounts: Type.Array(FanAccount, { description: 'The active accounts, by id.' }) },
  { title: 'FanAccounts' },
)

const AccountEntry = Closed(
  {
    id: Id('Id of the entry.'),
    seq: Integer({ minimum: 1, description: 'From 1.' }),
    delta: Total('Negative for what was taken back.'),
    balanceAfter: Integer({ minimum: 0, description: 'The sum of all entries after this one.' }),
    reason: Type.String({ description: 'As in `GET /api/user/points`.' }),
    ref: Type.String({ description: 'Reference of the cause.' }),
    seasonId: Nullable(Type.String(), {
      description: 'Null after the last season of the catalogue.',
    }),
    countedAt: Instant('When it was earned, which decides the season.'),
    createdAt: Instant('When it was booked.'),
    hash: Type.String({ description: 'SHA-256, with the hash before it.' }),
    explanation: Closed(
      {
        kind: Type.String({ description: '`rule`, `quest`, or the reason.' }),
        id: Nullable(Type.String(), { description: 'The rule or quest.' }),
        name: Nullable(Type.String(), { description: 'Its name, for the fan to read.' }),
        takesBack: Type.Boolean({ description: 'Whether it takes back an earlier one.' }),
      },
      { description: 'The cause.' },
    ),
  },
  { title: 'AccountEntry' },
)

export const AccountEntries = Closed(
  { entries: Type.Array(AccountEntry, { description: 'Newest first.' }), nextCursor: NextCursor },
  { title: 'AccountEntries' },
)

export const Bands = Closed(
  {
    asOf: Instant('At most a minute ago.'),
    fans: Integer({ minimum: 0, description: 'Fans with a total above zero. 0 if there are fewer than 5.' }),
    bands: Type.Array(
      Closed({
        from: Integer({ minimum: 1, description: 'The lowest total.' }),
        to: Integer({ minimum: 1, description: 'The highest total.' }),
        fans: Integer({ minimum: 5, description: 'Fans with such a total.' }),
      }),
      { maxItems: 50, description: 'The lowest first.' },
    ),
  },
  { title: 'Bands' },
)

export const exampleAccounts = {
  accounts: [
    {
      id: 'status',
      name: 'Status points',
      unit: 'points',
      total: 1_240,
      seasons: [{ seasonId: '2026-27', total: 1_240 }],
      tier: null,
      next: { tier: { id: 'gold', name: 'Gold' }, missing: 760 },
    },
  ],
}

/** An entry is as one of `GET /api/user/points`. */
export const exampleEntries = { entries: [], nextCursor: null }

export const exampleBands = {
  asOf: '2026-08-15T18:30:00.000Z',
  fans: 1_200,
  bands: [
    { from: 1, to: 500, fans: 900 },
    { from: 501, to: 1_000, fans: 300 },
  ],
}
