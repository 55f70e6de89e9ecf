import { Closed, Id, IdReference, Instant, Integer, NextCursor, Nullable } from '../../core/schemas.ts'
import { Type } from '../../core/typebox.ts'

/** The response of status 204. */
export const Empty = Type.Void({ description: 'Done.' })

export const RequestNativeToken = Closed(
  {
    deviceName: Type.Optional(
      Nullable(
        Type.String({
          minLength: 1,
          maxLength: 100,
          pattern: '^[^\\u0000-\\u001f\\u007f-\\u009f\\u202a-\\u202e\\u2066-\\u2069]*$',
          description: 'Shown to the fan in the list of sessions.',
          errorNoun: 'a string of 1 to 100 characters without control characters',
        }),
      ),
    ),
  },
  { title: 'RequestNativeToken' },
)

export const NativeToken = Closed(
  {
    token: Type.String({ description: 'Access token for `Authorization: Bearer`: a JWT (RFC 9068).' }),
    tokenType: Type.Literal('Bearer', { description: 'RFC 6750.' }),
    expiresIn: Integer({ description: 'Seconds until `token` expires.', minimum: 0 }),
    expiresAt: Instant('When `token` expires.'),
    refreshToken: Type.String({ description: 'Valid for one refresh. Store it in the keychain.' }),
    refreshExpiresAt: Instant('When `refreshToken` expires.'),
    sessionId: Type.String({ description: 'Id of the device’s session.' }),
  },
  { title: 'NativeToken' },
)

export const RefreshNativeToken = Closed(
  {
    refreshToken: Type.String({
      minLength: 1,
      maxLength: 4096,
      description: 'The refresh token of the latest response. The response to this request replaces it.',
    }),
  },
  { title: 'RefreshNativeToken' },
)

export const LogOut = Closed(
  { everywhere: Type.Optional(Type.Boolean({ default: false, description: 'Ends all your sessions.' })) },
  { title: 'LogOut' },
)

export const NativeSessions = Closed(
  {
    sessions: Type.Array(
      Closed(
        {
          id: Id('Id of the session: the `sessionId` of its token.'),
          deviceName: Nullable(Type.String(), { description: 'The name that the app sent at sign-in.' }),
          createdAt: Instant('When the device signed in.'),
          lastUsedAt: Instant('When the session was last refreshed.'),
          expiresAt: Instant('When the session ends, even if it is refreshed.'),
          current: Type.Boolean({ description: 'Whether this request belongs to the session.' }),
        },
        { title: 'NativeSession' },
      ),
      { description: 'Active sessions of the caller, newest first.' },
    ),
    nextCursor: NextCursor,
  },
  { title: 'NativeSessions' },
)

export const SessionParams = Closed({ sessionId: IdReference('The `id` of the session.') })

export const KeySet = Closed(
  {
    keys: Type.Array(
      Type.Object({
        kty: Type.String({ description: 'Key type.', examples: ['EC'] }),
        crv: Type.String({ description: 'Curve.', examples: ['P-256'] }),
        kid: Type.String({ description: 'Key id, as in the header of a token.' }),
        alg: Type.String({ description: 'Signature algorithm.', examples: ['ES256'] }),
        use: Type.String({ description: 'Always `sig`.', examples: ['sig'] }),
        x: Type.String({ description: 'Base64url: the x coordinate, or the public key.' }),
        y: Type.Optional(Type.String({ description: 'Base64url: the y coordinate.' })),
      }),
      {
        description:
          'The current signing key first, then previous keys that verify tokens until they expire.',
      },
    ),
  },
  { title: 'KeySet', description: 'JSON Web Key Set (RFC 7517).' },
)

export const exampleNativeToken = {
  token: 'eyJhbGciOiJFUzI1NiIsInR5cCI6ImF0K2p3dCJ9.eyJzdWIiOiJmYW4tMDAwMSJ9.c2lnbmF0dXJl',
  tokenType: 'Bearer',
  expiresIn: 900,
  expiresAt: '2026-08-15T18:45:00.000Z',
  refreshToken: 'mdrt_4fVh0mWq3bXo1u9sJ2kTzR7cYpLdNaEiGxB5QwHvUtM',
  refreshExpiresAt: '2026-09-14T18:30:00.000Z',
  sessionId: '01981e2c-7c1f-7000-8000-000000000002',
}

export const exampleSessions = {
  sessions: [
    {
      id: '01981e2c-7c1f-7000-8000-000000000002',
      deviceName: 'Calebe’s phone',
      createdAt: '2026-08-15T18:30:00.000Z',
      lastUsedAt: '2026-08-15T19:10:00.000Z',
      expiresAt: '2027-02-11T18:30:00.000Z',
      current: true,
    },
  ],
  nextCursor: null,
}

export const exampleKeySet = {
  keys: [
    {
      kty: 'EC',
      crv: 'P-256',
      x: 'f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU',
      y: 'x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0',
      kid: '2026-01',
      alg: 'ES256',
      use: 'sig',
    },
  ],
}
