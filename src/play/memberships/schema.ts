/** Schemas of memberships. */
import { Closed, IdReference, Instant, InstantInput, Nullable, OneOf, Slug } from '../../core/schemas.ts'
import { type Static, Type } from '../../core/typebox.ts'
import { FanReference } from '../../identity/users/fan-reference.ts'

const Line = (maxLength: number, description: string, example: string) =>
  Type.String({ minLength: 1, maxLength, description, examples: [example] })

/** Also the limits of an import. */
export const membershipMembers = {
  ref: IdReference('Id of the membership in the ticket office.', 'ST-2026-004711'),
  kindId: Slug('A kind of membership of the catalogue.'),
  number: Line(64, 'What is printed on the card. Leading zeros are kept.', '004711'),
  holder: Line(100, 'The name on the card.', 'Ada Okafor'),
}

export const MembershipParams = Closed({ ref: membershipMembers.ref })

export const MembershipUpdate = Closed({
  fan: FanReference,
  kindId: membershipMembers.kindId,
  number: Type.Optional(membershipMembers.number),
  holder: Type.Optional(membershipMembers.holder),
  startsAt: InstantInput('When it starts.'),
  endsAt: InstantInput('When it ends, exclusive.'),
})
export type MembershipUpdate = Static<typeof MembershipUpdate>

export const Membership = Closed(
  {
    ref: Type.String({ description: 'Id of the membership in the ticket office.' }),
    kindId: Type.String({ description: 'Kind of the membership.' }),
    name: Type.String({ description: 'Name of the kind.' }),
    benefits: Type.Array(Type.String(), { description: 'What the fan gets for it.' }),
    imageUrl: Nullable(Type.String(), { description: 'Picture of the card.' }),
    number: Nullable(Type.String(), { description: 'What is printed on the card.' }),
    holder: Nullable(Type.String(), { description: 'The name on the card.' }),
    startsAt: Instant('When it starts.'),
    endsAt: Instant('When it ends, exclusive.'),
    since: Instant('Start of the memberships of this kind that follow each other without a gap.'),
    state: OneOf(['upcoming', 'active', 'ended'], { description: 'At the time of the response.' }),
  },
  { title: 'Membership' },
)
export type Membership = Static<typeof Membership>

export const Memberships = Closed(
  { memberships: Type.Array(Membership, { description: 'Newest first.' }) },
  { title: 'Memberships' },
)

export const exampleMembership: Membership = {
  ref: 'ST-2026-004711',
  kindId: 'season-ticket',
  name: 'Season ticket',
  benefits: ['Priority for away games'],
  imageUrl: '/pictures/season-ticket.svg',
  number: '004711',
  holder: 'Ada Okafor',
  startsAt: '2026-07-01T00:00:00.000Z',
  endsAt: '2027-07-01T00:00:00.000Z',
  since: '2024-07-01T00:00:00.000Z',
  state: 'active',
}
