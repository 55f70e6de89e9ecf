/** Notifications: what the club tells fans when an event happens, at a moment, or as a campaign. */
import { parseInstant } from '../../core/instant.ts'
import { Closed, Integer, OneOf } from '../../core/schemas.ts'
import { type Static, Type } from '../../core/typebox.ts'
import { Conditions, conditionFaults, EventType } from '../catalogue/conditions.ts'
import type { EntryFault } from '../catalogue/entry.ts'
import { Active, EntrySlug, Maybe, PictureUrl } from '../catalogue/entry-schema.ts'
import { declarePlainKind } from '../catalogue/plain-kind.ts'
import { Text } from '../catalogue/texts.ts'
import { bumpVersion } from '../catalogue/versions.ts'
import { fanFaults } from '../segments/segment-kind.ts'
import { findUnknownSponsor, SponsorId } from '../sponsors/sponsorship.ts'
import { CATEGORIES, MARKETING } from './categories.ts'
import { faultIn, hasPlaces } from './template.ts'

/** A local time of each fan. */
const LOCAL = /^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])T([01]\d|2[0-3]):[0-5]\d$/

export const NotificationEntry = Closed(
  {
    id: EntrySlug('Slug of the notification. One with the slug of a built-in notification replaces it.'),
    eventType: Maybe(EventType('Type of the events, or a moment such as `match.not_tipped`.')),
    at: Maybe(
      Type.String({
        maxLength: 35,
        description:
          'In place of `eventType`, for a campaign: an instant, or a local time of each fan such as 2026-08-15T18:30.',
        examples: ['2026-08-15T18:30'],
      }),
    ),
    segment: Maybe(EntrySlug('Only fans who are in this segment then. Null: all fans.')),
    when: Maybe(Conditions),
    category: Type.Optional(
      OneOf(CATEGORIES, {
        default: MARKETING,
        description: 'What fans switch on and off. Only fans who have consented get marketing.',
      }),
    ),
    title: Text(120, 'First line, with `{{/pointer}}` for members of the data of the event.'),
    body: Type.Optional({
      ...Text(500, 'The message, with `{{/pointer}}` as in the title. Empty: the title alone.', 0),
      default: '',
    }),
    url: Maybe(
      Type.String({
        maxLength: 500,
        pattern: '^(https://[^\\s]+|/([^/\\s\\\\][^\\s\\\\]*)?)$',
        description: 'What a tap opens, with `{{/pointer}}`: an https URL, or a path of the app.',
        errorNoun: 'an https URL, or a path such as /orders',
      }),
    ),
    imageUrl: Maybe(PictureUrl('Picture of the message.')),
    push: Type.Optional(Type.Boolean({ default: false, description: 'Whether devices get it too.' })),
    digest: Maybe(
      Integer({
        minimum: 5,
        maximum: 10_080,
        description: 'Minutes of a window in which a fan gets one message of it at most: the first.',
      }),
    ),
    sponsorId: SponsorId,
    active: Active,
  },
  { title: 'Notification' },
)
export type NotificationEntry = Static<typeof NotificationEntry>

const textsOf = (text: NotificationEntry['title']) =>
  typeof text === 'string' ? [text] : Object.values(text)

function notificationFaults({
  eventType,
  at,
  when,
  title,
  body = '',
  url,
  digest,
}: NotificationEntry): EntryFault[] {
  const faults: EntryFault[] = []
  if ((eventType == null) === (at == null))
    faults.push({ pointer: '/eventType', message: 'must be stated, or `at`, and not both' })
  if (eventType === 'match.updated')
    faults.push({ pointer: '/eventType', message: 'must not be match.updated, which is of no fan' })
  if (at != null && !LOCAL.test(at) && !parseInstant(at))
    faults.push({ pointer: '/at', message: 'must be an instant, or a local time like 2026-08-15T18:30' })
  if (at != null && (when?.length ?? 0) > 0)
    faults.push({ pointer: '/when', message: 'must be empty: a campaign has no event' })
  if (at != null && digest != null)
    faults.push({ pointer: '/digest', message: 'must be null: a campaign is sent once' })
  const templates = { '/title': textsOf(title), '/body': textsOf(body), '/url': url == null ? [] : [url] }
  for (const [pointer, texts] of Object.entries(templates))
    for (const text of texts) {
      const fault = faultIn(text)
      if (fault !== null) faults.push({ pointer, message: fault })
      else if (at != null && hasPlaces(text))
        faults.push({ pointer, message: 'must have no {{/pointer}}: a campaign has no event' })
    }
  return [...faults, ...conditionFaults(when ?? [], '/when')]
}

export const notificationKind = declarePlainKind({
  kind: 'notification',
  list: 'notifications',
  about: 'A message to fans when an event happens, at a moment, or as a campaign.',
  schema: NotificationEntry,
  givesValue: false,
  table: ({ notifications }) => notifications,
  titleOf: ({ id }) => id,
  faults: notificationFaults,
  async references(reader, entry, options) {
    const segment = await fanFaults(reader, entry.segment, options.isStated)
    return [
      ...segment.map(fault => ({ ...fault, pointer: '/segment' })),
      ...(await findUnknownSponsor(reader, entry, options.isStated)),
    ]
  },
  // Processes keep notifications in memory, as rules.
  lock: bumpVersion,
})
