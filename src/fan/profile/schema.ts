import { Closed, Id, Instant, Integer, Nullable, OneOf } from '../../core/schemas.ts'
import { type TNull, type TOptional, type TSchema, type TUnion, Type } from '../../core/typebox.ts'
import { HeldPoints, ShownTiers } from '../../economy/points/schema.ts'
import { PROFILE_FIELDS, type ProfileFieldName, profileFields } from '../../identity/users/profile-fields.ts'
import { exampleIdentity, Identity } from '../../identity/users/schema.ts'

const OnboardingState = OneOf(['not_started', 'completed'], { description: 'Completed at most once.' })

type Fields = typeof profileFields
type Optional<Schema extends TSchema> = TOptional<TUnion<[Schema, TNull]>>

const membersOf = <Member>(make: (name: ProfileFieldName) => Member) =>
  Object.fromEntries(PROFILE_FIELDS.map(name => [name, make(name)]))

// Guarantee of the casts: one member for each field, of its type.
export const optionalFields = membersOf(name => Type.Optional(Nullable(profileFields[name].plain))) as {
  [Name in ProfileFieldName]: Optional<Fields[Name]['plain']>
}
const changes = membersOf(name =>
  Type.Optional(Nullable(profileFields[name].input(name))),
) as typeof optionalFields
const shown = membersOf(name => Nullable(profileFields[name].plain)) as {
  [Name in ProfileFieldName]: TUnion<[Fields[Name]['plain'], TNull]>
}
const examples = membersOf(name => profileFields[name].example)

export const ProfileChange = Closed(changes, {
  title: 'ProfileChange',
  description: 'An omitted member keeps its value; null clears it.',
})

export const Profile = Closed(
  {
    id: Id('The fan; `userId` elsewhere.'),
    ...shown,
    identity: Identity,
    points: Integer({ description: 'Current balance, including held points.', minimum: 0 }),
    held: HeldPoints,
    tier: ShownTiers('One for each account with a tier.'),
    onboarding: Closed(
      { state: OnboardingState, completedAt: Nullable(Instant('When it was completed.')) },
      { description: 'Progress of the fan; `GET /api/user/onboarding` has the details.' },
    ),
    createdAt: Instant('When the user record was created.'),
    updatedAt: Instant('When the fan last changed the profile.'),
  },
  { title: 'Profile' },
)

export const CompleteOnboarding = Closed(
  {
    profile: Type.Optional(ProfileChange),
    joinLeaderboard: Type.Optional(
      Type.Boolean({ default: true, description: 'Whether to enrol in the global leaderboard.' }),
    ),
    referralCode: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 100,
        description:
          'The code of a fan who invited this one. A code that is unknown stops nothing: `referral` is null.',
        examples: ['7Q2M-X9KD'],
      }),
    ),
  },
  { title: 'CompleteOnboarding' },
)

export const Onboarding = Closed(
  {
    state: OnboardingState,
    completedAt: Nullable(Instant('When it was completed.')),
    reward: Nullable(
      Closed({
        points: Integer({ description: 'How many were granted.', minimum: 1 }),
        grantedAt: Instant('When the points were granted.'),
      }),
      { description: 'Null when no points were granted.' },
    ),
    leaderboard: Closed(
      {
        enrolled: Type.Boolean({ description: 'Whether the fan is on the leaderboard.' }),
        enrolledAt: Nullable(Instant('When the fan was enrolled.')),
      },
      { description: 'The global leaderboard.' },
    ),
    identitySync: OneOf(['synced', 'deferred'], {
      description: '`deferred`: the provider’s data has not been synced yet.',
    }),
    referral: Nullable(
      Closed({
        invitedBy: Nullable(Type.String(), {
          description:
            'Handle of the fan who invited this one. Null for a fan without a handle, or who is hidden.',
        }),
      }),
      { description: 'Null for a fan who was not invited.' },
    ),
    alreadyCompleted: Type.Optional(
      Type.Literal(true, {
        description: 'The onboarding was completed before. This request changed nothing.',
      }),
    ),
  },
  { title: 'Onboarding' },
)

export const exampleProfile = {
  id: '01981e2c-7c1f-7000-8000-000000000000',
  ...examples,
  avatarUrl: exampleIdentity.picture,
  identity: exampleIdentity,
  points: 100,
  held: 0,
  tier: [],
  onboarding: { state: 'completed', completedAt: '2026-08-15T18:30:00.000Z' },
  createdAt: '2026-08-15T18:29:00.000Z',
  updatedAt: '2026-08-15T18:30:00.000Z',
}

/** Of writes: what the fan has not set is null. */
export const exampleWritten = {
  ...exampleProfile,
  avatarUrl: null,
  bio: null,
  country: null,
  favoriteTeamId: null,
  identity: { ...exampleIdentity, email: null, emailVerified: null, name: null, picture: null },
}

/** Without a handle: the second fan to send the example would find it taken. */
const { handle: _, ...exampleWithoutHandle } = examples
export const exampleProfileChange = exampleWithoutHandle

export const exampleOnboarding = {
  state: 'completed',
  completedAt: '2026-08-15T18:30:00.000Z',
  reward: { points: 100, grantedAt: '2026-08-15T18:30:00.000Z' },
  leaderboard: { enrolled: true, enrolledAt: '2026-08-15T18:30:00.000Z' },
  identitySync: 'synced',
  referral: null,
}
