import { MAX_FOLLOWED } from '../../../db/schema/identity/relations.ts'
import { Closed, IdReference, Instant, Integer, NextCursor, Nullable, OneOf } from '../../core/schemas.ts'
import { type TSchema, Type } from '../../core/typebox.ts'

export const HandleParams = Closed({ handle: IdReference('Handle of the other fan.', 'calebe') })

export const WIDEST_FIRST = ['public', 'followers', 'private'] as const
export const MOST_FIRST = ['name', 'handle', 'anonymous'] as const

const Audience = (description: string) => OneOf(WIDEST_FIRST, { description })

const privacyMembers = {
  profile: Audience('Who sees your name, picture, team, rank and points on your page.'),
  activity: Audience('Who sees your activity.'),
  locker: Audience('Who sees your locker.'),
  leaderboardName: OneOf(MOST_FIRST, {
    description:
      'What leaderboards show of you: name and picture; your handle and picture; or neither. `anonymous` hides rank and points on your page as well.',
  }),
}

export const Privacy = Closed(privacyMembers, { title: 'Privacy', description: 'What you show to others.' })
export type Privacy = typeof Privacy.static

export const PrivacyChange = Closed(
  {
    profile: Type.Optional(privacyMembers.profile),
    activity: Type.Optional(privacyMembers.activity),
    locker: Type.Optional(privacyMembers.locker),
    leaderboardName: Type.Optional(privacyMembers.leaderboardName),
  },
  { title: 'PrivacyChange', description: 'An omitted member keeps its value.' },
)
export type PrivacyChange = typeof PrivacyChange.static

export const DEFAULT_PRIVACY: Privacy = {
  profile: 'public',
  activity: 'followers',
  locker: 'public',
  leaderboardName: 'name',
}

const ListedFan = Closed(
  {
    handle: Nullable(Type.String(), { description: 'Null for a fan who has chosen none.' }),
    displayName: Nullable(Type.String(), { description: 'Null if the fan does not show it to you.' }),
    avatarUrl: Nullable(Type.String(), { description: 'Null if the fan does not show it to you.' }),
    since: Instant('When the fan was followed, muted or blocked.'),
  },
  { title: 'ListedFan' },
)

const list = <const More extends Record<string, TSchema>>(title: string, more: More) =>
  Closed(
    { fans: Type.Array(ListedFan, { description: 'Newest first.' }), ...more, nextCursor: NextCursor },
    { title },
  )

export const Fans = list('Fans', {})
export const Following = list('Following', {
  total: Integer({ minimum: 0, maximum: MAX_FOLLOWED, description: 'How many fans you follow.' }),
})

export const exampleListedFan = {
  handle: 'calebe',
  displayName: 'Calebe',
  avatarUrl: null,
  since: '2026-08-15T18:30:00.000Z',
}
