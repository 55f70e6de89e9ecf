import { Closed, Id, Instant, Integer, Nullable, OneOf } from '../../core/schemas.ts'
import { type TSchema, Type } from '../../core/typebox.ts'
import { exampleIdentity, Identity } from '../../identity/users/schema.ts'
import { ruledText } from './rules.ts'

const OnboardingState = OneOf(['not_started', 'completed'], { description: 'Completed once for ever.' })

const optional = <S extends TSchema>(schema: S) => Type.Optional(Nullable(schema))

export const ProfileChange = Closed(
  {
    displayName: optional(
      ruledText('displayName', {
        minLength: 1,
        maxLength: 50,
        description: '1 to 50 characters after trimming, no control or bidirectional control characters.',
        examples: ['Calebe'],
      }),
    ),
    handle: optional(
      ruledText('handle', {
        pattern: '^[a-z0-9_]{3,20}$',
        description: 'Unique among fans.',
        examples: ['calebe'],
      }),
    ),
    avatarUrl: optional(
      ruledText('avatarUrl', {
        format: 'uri',
        pattern: '^https://',
        maxLength: 2048,
        description:
          'https URL without credentials, as the WHATWG URL Standard serialises it: `new URL(x).href === x`.',
        examples: ['https://images.example.com/calebe.png'],
      }),
    ),
    bio: optional(
      ruledText('bio', {
        maxLength: 280,
        description: 'At most 280 characters after trimming, no control characters.',
        examples: ['North stand, row 12.'],
      }),
    ),
    country: optional(
      ruledText('country', {
        pattern: '^[A-Z]{2}$',
        description: 'ISO 3166-1 alpha-2, in capitals.',
        examples: ['GB'],
      }),
    ),
    locale: optional(
      ruledText('locale', {
        minLength: 2,
        maxLength: 85,
        description: 'BCP 47; stored in canonical form.',
        examples: ['en-GB'],
      }),
    ),
    favoriteTeamId: optional(Type.String({ maxLength: 100, description: 'Id of a team.' })),
  },
  { title: 'ProfileChange', description: 'An omitted member stays as it is; null clears it.' },
)

export const Profile = Closed(
  {
    id: Id('The fan; `userId` elsewhere.'),
    displayName: Nullable(Type.String(), { description: 'The fan’s own name, or else the provider’s.' }),
    handle: Nullable(Type.String(), { description: 'Unique among fans.' }),
    avatarUrl: Nullable(Type.String(), { description: 'The fan’s own picture, or else the provider’s.' }),
    bio: Nullable(Type.String(), { description: 'What the fan wrote about themselves.' }),
    country: Nullable(Type.String(), { description: 'ISO 3166-1 alpha-2.' }),
    locale: Nullable(Type.String(), { description: 'BCP 47, in its canonical form.' }),
    favoriteTeamId: Nullable(Type.String(), { description: 'The `id` of a team.' }),
    identity: Identity,
    points: Integer({ description: 'Current balance.', minimum: 0 }),
    onboarding: Closed(
      { state: OnboardingState, completedAt: Nullable(Instant('When it was completed.')) },
      { description: 'How far the fan is; `GET /api/user/onboarding` says more.' },
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
  displayName: 'Calebe',
  handle: 'calebe',
  avatarUrl: 'http://localhost:4000/avatars/fan-0001.svg',
  bio: 'North stand, row 12.',
  country: 'GB',
  locale: 'en-GB',
  favoriteTeamId: 'harbour-city',
  identity: exampleIdentity,
  points: 100,
  onboarding: { state: 'completed', completedAt: '2026-08-15T18:30:00.000Z' },
  createdAt: '2026-08-15T18:29:00.000Z',
  updatedAt: '2026-08-15T18:30:00.000Z',
}

/** Without a handle: the second fan to send the example would find it taken. */
export const exampleProfileChange = {
  displayName: 'Calebe',
  country: 'GB',
  locale: 'en-GB',
  favoriteTeamId: 'harbour-city',
}

export const exampleOnboarding = {
  state: 'completed',
  completedAt: '2026-08-15T18:30:00.000Z',
  reward: { points: 100, grantedAt: '2026-08-15T18:30:00.000Z' },
  leaderboard: { enrolled: true, enrolledAt: '2026-08-15T18:30:00.000Z' },
  identitySync: 'synced',
}
