import {
  Closed,
  Id,
  Instant,
  InstantParameter,
  Integer,
  NextCursor,
  Nullable,
  OneOf,
  PageQuery,
} from '../../core/schemas.ts'
import { Type } from '../../core/typebox.ts'
import { POINTS_REASONS } from '../ledgers/reasons.ts'

/** Points that a fan cannot spend. */
export const HeldPoints = Integer({
  description:
    'Points of the balance that are held for unpaid orders and packs. They cannot be spent on anything else.',
  minimum: 0,
})

/** What `readShownTiers` returns. */
export const ShownTiers = (description: string) =>
  Type.Array(
    Closed(
      {
        account: Type.String({ description: 'The account.' }),
        id: Type.String({ description: 'The tier.' }),
        name: Type.String({ description: 'For the fan to read.' }),
      },
      { title: 'ShownTier' },
    ),
    { description },
  )

const Reason = OneOf(POINTS_REASONS, {
  description: 'Only entries of this reason.',
  examples: ['onboarding'],
})

export const PointsQuery = Closed({
  ...PageQuery,
  reason: Type.Optional(Reason),
  since: Type.Optional(InstantParameter('Entries from this time on.')),
  until: Type.Optional(InstantParameter('Entries before this time.')),
})
export type PointsQuery = typeof PointsQuery.static

export const PointsEntry = Closed(
  {
    id: Id('Id of the entry.'),
    seq: Integer({ description: 'Position in the fan’s ledger, from 1.', minimum: 1 }),
    delta: Integer({
      description: 'Points earned; negative for points spent.',
      minimum: Number.MIN_SAFE_INTEGER,
    }),
    balanceAfter: Integer({ description: 'Balance after this entry.', minimum: 0 }),
    reason: Type.String({ description: 'Reason of the entry.', examples: ['onboarding'] }),
    ref: Type.String({ description: 'Reference of the cause. A cause is booked once per reason.' }),
    createdAt: Instant('When the entry was booked.'),
    hash: Type.String({
      pattern: '^[0-9a-f]{64}$',
      description: 'SHA-256 over the entry and the hash before it.',
    }),
  },
  { title: 'PointsEntry' },
)

export const GrantResult = Closed(
  {
    entry: PointsEntry,
    balance: Integer({ description: 'Current balance of the fan.', minimum: 0 }),
  },
  { title: 'GrantResult' },
)

export const PointsHistory = Closed(
  {
    balance: Integer({ description: 'Current balance, including held points.', minimum: 0 }),
    held: HeldPoints,
    lifetime: Integer({
      description:
        'The sum of all earned points. Spending does not reduce it; points that are taken back do.',
      minimum: 0,
    }),
    expiring: Type.Optional(
      Nullable(
        Closed({
          amount: Integer({
            description: 'Points that expire then, unless they are spent before.',
            minimum: 1,
          }),
          expiresAt: Instant('When they expire: at midnight UTC.'),
        }),
        {
          description:
            'The points that expire next. Null if there are none. Absent on servers on which points do not expire.',
        },
      ),
    ),
    archivedUntil: Type.Optional(
      Instant(
        'Entries that events of other systems have earned before this time are archived, and not in the list. The balance includes them. Absent if all entries are in the list.',
      ),
    ),
    entries: Type.Array(PointsEntry, { description: 'Newest first.' }),
    nextCursor: NextCursor,
  },
  { title: 'PointsHistory' },
)
