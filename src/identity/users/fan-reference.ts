/** How other systems name a fan: by our id, or by the provider's subject, also before the fan has signed in here. */

import type { Transaction } from '../../../db/index.ts'
import { Closed, IdReference } from '../../core/schemas.ts'
import { type Static, Type } from '../../core/typebox.ts'
import { type FanEmails, findByEmails } from './emails.ts'
import { lockFans, lockSubjects } from './locks.ts'
import { ensureRecords } from './many-users.ts'

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
    Closed({
      email: Type.String({
        minLength: 3,
        maxLength: 254,
        description:
          'An address that the provider has verified, and that exactly one fan has. Only with `FANS_BY_EMAIL=on`. Otherwise, no fan is found.',
        examples: ['ada@example.com'],
      }),
    }),
  ],
  {
    title: 'FanReference',
    description: 'A fan, by id, by the provider’s subject, or by e-mail.',
    errorNoun: 'an object with userId, with provider and subject, or with email',
  },
)
export type FanReference = Static<typeof FanReference>

/** How this API reads a reference. */
export interface FanNaming {
  /** The identity provider of its fans. */
  provider: string
  /** Null or absent: fans are not found by e-mail. */
  fanEmails?: FanEmails | null
}

/** `ambiguous`: more than one fan has verified the address. */
export type ResolvedFan = { userId: string } | { missing: 'unknown' | 'ambiguous' | 'erased' }

/**
 * Finds and locks the fan, and creates the record of a subject that is new here. `unknown`: no fan has this id, or fans of this API do
 * not sign in with this provider.
 */
export async function resolveFan(
  tx: Transaction,
  fan: FanReference,
  naming: FanNaming,
): Promise<ResolvedFan> {
  const [resolved] = await resolveFans(tx, [fan], naming)
  return resolved ?? { missing: 'unknown' }
}

/** As `resolveFan` for each. The number of statements does not depend on that of the fans. */
export async function resolveFans(
  tx: Transaction,
  fans: FanReference[],
  naming: FanNaming,
): Promise<ResolvedFan[]> {
  const { provider, fanEmails } = naming
  const hashOf = (email: string) => fanEmails?.hashOf(email) ?? ''
  const hashes = fanEmails ? fans.flatMap(fan => ('email' in fan ? [hashOf(fan.email)] : [])) : []
  const byEmail = fanEmails ? await findByEmails(tx, fanEmails, hashes) : new Map<string, string[]>()
  const named = fans.flatMap(fan => ('userId' in fan ? [fan.userId] : []))
  const byId = await lockFans(tx, [...named, ...[...byEmail.values()].flat()])
  const subjects = [
    ...new Set(fans.flatMap(fan => ('subject' in fan && fan.provider === provider ? [fan.subject] : []))),
  ]
  const known = await lockSubjects(tx, provider, subjects)
  const added = await ensureRecords(
    tx,
    provider,
    subjects.filter(subject => !known.has(subject)),
  )
  const resolveId = (userId: string): ResolvedFan => {
    const found = byId.get(userId)
    return found?.state === 'active' ? { userId: found.id } : { missing: found?.state ?? 'unknown' }
  }
  const resolved: ResolvedFan[] = []
  for (const fan of fans) {
    if ('userId' in fan) resolved.push(resolveId(fan.userId))
    else if ('email' in fan) {
      const [userId, ...others] = byEmail.get(hashOf(fan.email)) ?? []
      if (others.length > 0) resolved.push({ missing: 'ambiguous' })
      else resolved.push(userId === undefined ? { missing: 'unknown' } : resolveId(userId))
    } else if (fan.provider !== provider) resolved.push({ missing: 'unknown' })
    else {
      const userId = known.get(fan.subject) ?? added.get(fan.subject)
      resolved.push(userId === undefined ? { missing: 'erased' } : { userId })
    }
  }
  return resolved
}
