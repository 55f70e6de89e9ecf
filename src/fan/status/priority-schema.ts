/** Schemas of the list of fans for ticket offices. */
import {
  Closed,
  Id,
  Instant,
  InstantParameter,
  Integer,
  NextCursor,
  Nullable,
  PageQuery,
  Slug,
} from '../../core/schemas.ts'
import { Type } from '../../core/typebox.ts'

export const PriorityQuery = Closed({
  ...PageQuery,
  account: Slug('The account.', { examples: ['status'] }),
  from: Type.Optional(
    Type.String({
      pattern: '^[1-9][0-9]{0,14}$',
      description: 'The lowest total. Default: 1.',
      errorNoun: 'a whole number of 1 or more',
      documentedAs: { type: 'integer', minimum: 1, default: 1, examples: [500] },
    }),
  ),
  membership: Type.Optional(
    Slug('Only fans with an active membership of this kind.', { examples: ['season-ticket'] }),
  ),
  asOf: Type.Optional(InstantParameter('The time of the list. Default: now.')),
})

export const Changes = Closed({
  added: Integer({
    minimum: 0,
    description: 'Entries booked since for an earlier time. They do not count.',
  }),
  takenBack: Integer({ minimum: 0, description: 'Entries taken back since. They count.' }),
  merged: Integer({
    minimum: 0,
    description: 'Fans merged into others since. Only their memberships are of the other fan.',
  }),
  erased: Integer({ minimum: 0, description: 'Fans erased since. They are left out.' }),
  memberships: Integer({
    minimum: 0,
    description: 'Memberships written or changed since that started before.',
  }),
  catalogue: Type.Boolean({ description: 'Whether the account or a season was changed since.' }),
})

export const Priority = Closed(
  {
    asOf: Instant('The time of the list.'),
    entries: Type.Array(
      Closed({
        userId: Id('The fan.'),
        total: Integer({ minimum: 1, description: 'The sum of the entries of the seasons that count.' }),
        reachedAt: Instant('When the fan earned last of what remains of it.'),
        memberships: Type.Array(
          Closed({
            kindId: Type.String({ description: 'Kind of the membership.' }),
            number: Nullable(Type.String(), { description: 'What is printed on the card.' }),
          }),
          { description: 'Active at that time.' },
        ),
      }),
      { description: 'The highest total first.' },
    ),
    changes: Nullable(Changes, {
      description:
        'With `asOf`, on the first page: what has happened since that time, which tells why lists differ. Otherwise null.',
    }),
    nextCursor: NextCursor,
  },
  { title: 'Priority' },
)

export const examplePriority = {
  asOf: '2026-11-20T10:00:00.000Z',
  entries: [
    {
      userId: '01981e2c-7c1f-7000-8000-000000000003',
      total: 1_240,
      reachedAt: '2026-11-08T18:30:00.000Z',
      memberships: [{ kindId: 'season-ticket', number: '004711' }],
    },
  ],
  changes: { added: 2, takenBack: 1, merged: 0, erased: 0, memberships: 4, catalogue: false },
  nextCursor: null,
}
