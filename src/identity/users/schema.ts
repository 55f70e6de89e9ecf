import { MAX_URL_LENGTH } from '../../core/https-url.ts'
import { Closed, Instant, Nullable, OneOf } from '../../core/schemas.ts'
import { Type } from '../../core/typebox.ts'

export const Identity = Closed(
  {
    provider: Type.String({ description: 'Name of the identity provider.' }),
    subject: Type.String({ description: 'The provider’s id of the user.' }),
    email: Nullable(Type.String(), { description: 'As the provider has it.' }),
    emailVerified: Nullable(Type.Boolean(), { description: 'Whether the provider verified `email`.' }),
    name: Nullable(Type.String(), { description: 'Full name.' }),
    picture: Nullable(Type.String(), { description: 'URL of a picture.' }),
    updatedAt: Nullable(Instant('When the user last changed at the provider.')),
    syncedAt: Nullable(Instant('When the provider’s data was last synced; null before the first sync.')),
  },
  {
    title: 'Identity',
    description: 'Mirror of the identity provider’s data. Does not contain what the fan wrote in this API.',
  },
)

export const exampleIdentity = {
  provider: 'mock-idp',
  subject: 'fan-0001',
  email: 'calebes@example.net',
  emailVerified: true,
  name: 'Calebe Santos',
  picture: 'http://localhost:4000/avatars/fan-0001.png',
  updatedAt: '2026-07-01T09:00:00.000Z',
  syncedAt: '2026-08-15T18:30:00.000Z',
}

export const Sync = Closed(
  {
    identity: Identity,
    changed: Type.Array(OneOf(['email', 'emailVerified', 'name', 'picture']), {
      description: 'The fields that this request changed.',
    }),
    syncedAt: Instant('When this request read the provider’s data.'),
  },
  { title: 'Sync' },
)

/** An event of the provider. Open to other members: the schema names only those that are read. */
export const UserEvent = Type.Object(
  {
    type: Type.String({ maxLength: 100, description: 'What happened.', examples: ['user.updated'] }),
    timestamp: Type.String({ maxLength: 40, description: 'RFC 3339.' }),
    data: Type.Object(
      {
        // Optional, because events of other types may have no subject.
        sub: Type.Optional(
          Type.String({ minLength: 1, maxLength: 255, description: 'The user; required for `user.*`.' }),
        ),
        iss: Type.Optional(
          Type.String({
            maxLength: MAX_URL_LENGTH,
            description: 'The provider; `IDP_ISSUER` when it is sent.',
          }),
        ),
      },
      { description: 'The user’s standard claims (OpenID Connect Core §5.1).', additionalProperties: true },
    ),
  },
  { title: 'UserEvent', additionalProperties: true },
)

export const exampleUserEvent = {
  type: 'user.updated',
  timestamp: '2026-08-15T18:30:00.000Z',
  data: { sub: 'fan-0001', name: 'Calebe Santos', updated_at: 1_786_818_600 },
}
