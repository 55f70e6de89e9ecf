/** How other systems name a fan: by our id, or by the provider's subject, also before the fan has signed in here. */
import { type Static, Type } from '@sinclair/typebox'
import type { Transaction } from '../../db/index.ts'
import { Closed, IdReference } from '../core/schemas.ts'
import { ensureRecord, findUserById } from './users.ts'

export const FanReference = Type.Union(
  [
    Closed({ userId: IdReference('`profile.id` of the fan.') }),
    Closed({
      provider: Type.String({
        minLength: 1,
        maxLength: 100,
        description: 'The identity provider: the `IDP_NAME` of this API.',
        examples: ['mock-idp'],
      }),
      subject: Type.String({
        minLength: 1,
        maxLength: 255,
        description: 'The fan’s `sub` at the provider. A subject that is new here gets a record.',
        examples: ['fan-0001'],
      }),
    }),
  ],
  {
    title: 'FanReference',
    description: 'A fan, by id or by the provider’s subject.',
    errorNoun: 'an object with userId, or with provider and subject',
  },
)
export type FanReference = Static<typeof FanReference>

export type ResolvedFan = { userId: string } | { missing: 'unknown' | 'erased' }

/**
 * Finds the fan, and creates the record of a subject that is new here. `unknown`: no fan has this id, or fans of this API do
 * not sign in with this provider.
 */
export async function resolveFan(
  tx: Transaction,
  fan: FanReference,
  { provider }: { provider: string },
): Promise<ResolvedFan> {
  if ('userId' in fan) {
    const user = await findUserById(tx, fan.userId)
    if (!user) return { missing: 'unknown' }
    return user.erasedAt ? { missing: 'erased' } : { userId: user.id }
  }
  if (fan.provider !== provider) return { missing: 'unknown' }
  const record = await ensureRecord(tx, fan)
  return record ? { userId: record.user.id } : { missing: 'erased' }
}
