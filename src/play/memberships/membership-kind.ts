/** Kinds of memberships, such as a season ticket or a supporter's card. */
import { eq } from 'drizzle-orm'
import type { Reader } from '../../../db/index.ts'
import { preparedRow } from '../../../db/prepared.ts'
import { Active, EntrySlug, Maybe, PictureUrl } from '../../club/catalogue/entry-schema.ts'
import { declarePlainKind } from '../../club/catalogue/plain-kind.ts'
import { presentText, Text } from '../../club/catalogue/texts.ts'
import { Closed } from '../../core/schemas.ts'
import { refuseField } from '../../core/transport-problems.ts'
import { Type } from '../../core/typebox.ts'

const Benefits = Type.Optional(
  Type.Array(Text(200, 'One benefit.'), {
    maxItems: 20,
    default: [],
    description: 'What fans get for it, to read.',
  }),
)

export const membershipKind = declarePlainKind({
  kind: 'membership',
  list: 'memberships',
  about: 'A kind of membership, such as a season ticket. The ticket office says which fans have one.',
  schema: Closed(
    {
      id: EntrySlug('Slug of the kind of membership.'),
      name: Text(100, 'What fans see.'),
      description: Maybe(Text(1_000, 'For fans.')),
      imageUrl: Maybe(PictureUrl('Picture of the card.')),
      benefits: Benefits,
      active: Active,
    },
    { title: 'MembershipKind' },
  ),
  givesValue: false,
  table: ({ memberships }) => memberships,
})

export const isMembershipKind = async (reader: Reader, id: string): Promise<boolean> =>
  (await selectKind(reader, id)) !== undefined

/** For a filter. @throws DomainError `validation_failed` */
export async function requireMembershipKind(
  reader: Reader,
  id: string,
  place: { parameter: string } | { pointer: string },
): Promise<void> {
  if (!(await isMembershipKind(reader, id)))
    refuseField({ ...place, message: 'must be a kind of membership of the catalogue' })
}

const selectKind = preparedRow((reader: Reader, id: string) => {
  const { memberships } = reader.tables
  return reader.select({ id: memberships.id }).from(memberships).where(eq(memberships.id, id))
})

/** Active ones, by id. */
export async function listMembershipKinds(reader: Reader): Promise<{ id: string; name: string }[]> {
  const { memberships } = reader.tables
  const { id } = memberships
  const found = await reader.select({ id }).from(memberships).where(eq(memberships.active, true)).orderBy(id)
  const kinds = await membershipKind.read(
    reader,
    found.map(kind => kind.id),
  )
  const names = new Map(kinds.map(kind => [kind.id, presentText(kind.name)]))
  return found.map(kind => ({ id: kind.id, name: names.get(kind.id) ?? kind.id }))
}
