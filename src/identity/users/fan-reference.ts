/** How other systems name a fan: by our id, or by the provider's subject, also before the fan has signed in here. */

import type { Transaction } from '../../../db/index.ts'
import { Closed, IdReference } from '../../core/schemas.ts'
import { type Static, Type } from '../../core/typebox.ts'
import { ensureRecord, lockFans, lockSubjects } from './users.ts'

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
 * Finds and locks the fan, and creates the record of a subject that is new here. `unknown`: no fan has this id, or fans of this API do
 * not sign in with this provider.
 */
export async function resolveFan(
  tx: Transaction,
  fan: FanReference,
  { provider }: { provider: string },
): Promise<ResolvedFan> {
  const [resolved] = await resolveFans(tx, [fan], { provider })
  return resolved ?? { missing: 'unknown' }
}

/** As `resolveFan` for each: two statements for any number of fans who have records. */
export async function resolveFans(
  tx: Transaction,
  fans: FanReference[],
  { provider }: { provider: string },
): Promise<ResolvedFan[]> {
  const byId = await lockFans(
    tx,
    fans.flatMap(fan => ('userId' in fan ? [fan.userId] : [])),
  )
  const bySubject = await lockSubjects(
    tx,
    provider,
    fans.flatMap(fan => ('subject' in fan && fan.provider === provider ? [fan.subject] : [])),
  )
  const resolved: ResolvedFan[] = []
  for (const fan of fans) {
    if ('userId' in fan) {
      const found = byId.get(fan.userId)
      resolved.push(found === 'active' ? { userId: fan.userId } : { missing: found ?? 'unknown' })
    } else if (fan.provider !== provider) resolved.push({ missing: 'unknown' })
    else {
      const known = bySubject.get(fan.subject) ?? (await ensureRecord(tx, fan))?.user.id
      if (known !== undefined) bySubject.set(fan.subject, known)
      resolved.push(known === undefined ? { missing: 'erased' } : { userId: known })
    }
  }
  return resolved
}
