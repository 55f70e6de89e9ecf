/** Sponsors of the club. */
import { Closed } from '../../core/schemas.ts'
import { Active, EntrySlug, HttpsUrl, Maybe, PictureUrl } from '../catalogue/entry-schema.ts'
import { declarePlainKind } from '../catalogue/plain-kind.ts'
import { Text } from '../catalogue/texts.ts'

export const sponsorKind = declarePlainKind({
  kind: 'sponsor',
  list: 'sponsors',
  about: 'A sponsor of the club, which apps show.',
  schema: Closed(
    {
      id: EntrySlug('Slug of the sponsor.'),
      name: Text(100, 'What fans see.'),
      imageUrl: Maybe(PictureUrl('Logo.')),
      url: Maybe(HttpsUrl('Page of the sponsor.')),
      active: Active,
    },
    { title: 'Sponsor' },
  ),
  givesValue: false,
  table: ({ sponsors }) => sponsors,
})
