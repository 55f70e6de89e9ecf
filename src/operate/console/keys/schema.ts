/** Schemas of server keys. */
import { Closed, Id, IdReference, Instant, InstantInput, Nullable, OneOf } from '../../../core/schemas.ts'
import { Type } from '../../../core/typebox.ts'
import { SERVER_SCOPES, type ServerScope } from '../../../identity/server-keys/scopes.ts'
import { Reason } from '../../../identity/staff/reason.ts'

// Guarantee of the cast: an object without symbols has its own names alone.
const scopes = Object.keys(SERVER_SCOPES) as ServerScope[]
const Scope = Type.Unsafe<ServerScope>(OneOf(scopes))

const key = {
  id: Id('Of the key; not the key itself.'),
  source: Type.String({ description: 'The system that calls the API with it.' }),
  state: OneOf(['active', 'replaced', 'expired', 'revoked'], {
    description: '`replaced`: rotated, and valid until it expires.',
  }),
  scopes: Type.Array(Scope),
  createdAt: Instant('When it was made.'),
  expiresAt: Nullable(Instant('When it ends; null: never.')),
  revokedAt: Nullable(Instant('Since when it is refused.')),
  lastUsedAt: Nullable(Instant('To the hour; null: never.')),
}

export const ServerKeys = Closed(
  {
    keys: Type.Array(Closed(key), { description: 'By source, the newest key first.' }),
    scopes: Type.Array(Closed({ scope: Scope, meaning: Type.String() })),
  },
  { title: 'ServerKeys' },
)
export const IssuedServerKey = Closed(
  { ...key, key: Type.String({ description: 'Shown this once.' }) },
  { title: 'IssuedServerKey' },
)

const ExpiresAt = Type.Optional(Nullable(InstantInput('When it ends; null: never.')))
export const NewServerKey = Closed({
  source: Type.String({ minLength: 1, maxLength: 64, examples: ['turnstiles'] }),
  scopes: Type.Array(Scope, { minItems: 1, maxItems: scopes.length, examples: [['events:write']] }),
  expiresAt: ExpiresAt,
  reason: Reason,
})
export const SourceParams = Closed({ source: IdReference('The source.', 'turnstiles') })
export const Rotation = Closed({
  expiresAt: Type.Optional(
    InstantInput('When the new key expires. Default: after the same lifetime as the previous key.'),
  ),
  reason: Reason,
})
export const Revocation = Closed({
  keyId: Type.Optional(IdReference('This key alone; by default all of the source.')),
  reason: Reason,
})
export const Revoked = Closed({ revoked: Type.Array(Type.String(), { description: 'Ids of the keys.' }) })
