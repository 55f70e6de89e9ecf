import type { FieldError } from '../../core/problems.ts'
import { Closed, Id, Instant, Nullable } from '../../core/schemas.ts'
import { Type } from '../../core/typebox.ts'

export const FanQuery = Closed({
  email: Type.Optional(
    Type.String({
      minLength: 3,
      maxLength: 254,
      description: 'An address that the identity provider has verified. Only with `FANS_BY_EMAIL=on`.',
      examples: ['ada@example.com'],
    }),
  ),
  provider: Type.Optional(
    Type.String({ minLength: 1, maxLength: 100, description: 'With `subject`.', examples: ['mock-idp'] }),
  ),
  subject: Type.Optional(
    Type.String({ minLength: 1, maxLength: 255, description: 'With `provider`.', examples: ['fan-0001'] }),
  ),
})
export type FanQuery = typeof FanQuery.static

/** Either of the two ways to name a fan. */
export function findQueryFaults({ query }: { query: Partial<Record<string, string>> }): FieldError[] {
  const { email, provider, subject } = query
  if (email !== undefined) {
    const message = 'must not be combined with email'
    return [
      ...(provider === undefined ? [] : [{ parameter: 'provider', message }]),
      ...(subject === undefined ? [] : [{ parameter: 'subject', message }]),
    ]
  }
  if (provider === undefined && subject === undefined)
    return [{ parameter: 'email', message: 'is required, or provider and subject' }]
  if (subject === undefined) return [{ parameter: 'subject', message: 'is required with provider' }]
  return provider === undefined ? [{ parameter: 'provider', message: 'is required with subject' }] : []
}

const FoundFan = Closed(
  {
    id: Id('`userId` elsewhere.'),
    provider: Type.String({ description: 'The identity provider.' }),
    subject: Type.String({ description: 'The fan’s `sub` at the provider.' }),
    handle: Nullable(Type.String(), { description: 'Unique among fans.' }),
    displayName: Nullable(Type.String(), { description: 'The fan’s own name, or else the provider’s.' }),
    avatarUrl: Nullable(Type.String(), { description: 'The fan’s own picture, or else the provider’s.' }),
    createdAt: Instant('When the record of the user was created.'),
  },
  { title: 'FoundFan' },
)
export type FoundFan = typeof FoundFan.static

export const FoundFans = Closed({
  fans: Type.Array(FoundFan, { description: 'Empty if there is no such fan.' }),
})

export const exampleFoundFans = {
  fans: [
    {
      id: '01981e2c-7c1f-7000-8000-000000000000',
      provider: 'mock-idp',
      subject: 'fan-0001',
      handle: 'calebe',
      displayName: 'Calebe',
      avatarUrl: null,
      createdAt: '2026-08-15T18:29:00.000Z',
    },
  ],
}
