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
import { POINTS_REASONS } from './reasons.ts'

const Reason = OneOf(POINTS_REASONS, {
  description: 'Only entries of this reason.',
  examples: ['onboarding'],
})

export const PointsQuery = Closed({
  ...PageQuery,
  reason: Type.Optional(Reason),
  since: Type.Optional(InstantParameter('Entries from then on.')),
  until: Type.Optional(InstantParameter('Entries before then.')),
})
export type PointsQuery = typeof PointsQuery.static

export const PointsEntry = Closed(
  {
    id: Id('Names the entry.'),
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
    balance: Integer({ description: 'Current balance.', minimum: 0 }),
    lifetime: Integer({
      description: 'All points ever earned. Spending does not reduce it; points that are taken back do.',
      minimum: 0,
    }),
    expiring: Type.Optional(
      Nullable(
        Closed({
          amount: Integer({ description: 'Points that end then, unless they are spent before.', minimum: 1 }),
          expiresAt: Instant('When they end: a midnight, UTC.'),
        }),
        { description: 'The points that end next; null: none. Only on servers on which points end.' },
      ),
    ),
    entries: Type.Array(PointsEntry, { description: 'Newest first.' }),
    nextCursor: NextCursor,
  },
  { title: 'PointsHistory' },
)
