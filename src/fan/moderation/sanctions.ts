/** The sanctions of a fan, as the fan sees them. */
import type { Reader } from '../../../db/index.ts'
import type { CallerId } from '../../core/caller.ts'
import { Closed, Id, Instant, Nullable, OneOf } from '../../core/schemas.ts'
import { Type } from '../../core/typebox.ts'
import { type Decision, listDecisions, REASONS } from '../../identity/sanctions/decisions.ts'

const Sanction = Closed(
  {
    id: Id('The sanction.'),
    kind: OneOf(['hide', 'suspend'], {
      description:
        '`hide`: your name, handle and picture are not shown to others. `suspend`: you can read, and not write.',
    }),
    reason: OneOf(REASONS, { description: 'Why the club decided it.' }),
    until: Nullable(Type.String({ format: 'date-time' }), { description: 'Of a suspension: when it ends.' }),
    createdAt: Instant('When it was decided.'),
    liftedAt: Nullable(Type.String({ format: 'date-time' }), { description: 'When the club ended it.' }),
    inForce: Type.Boolean({ description: 'Whether it is in force now.' }),
  },
  { title: 'Sanction' },
)

export const Sanctions = Closed(
  { sanctions: Type.Array(Sanction, { description: 'The latest first.' }) },
  { title: 'Sanctions' },
)

/** The sanctions of a fan, as the fan sees them: without who decided, and without notes. */
export async function readSanctions(reader: Reader, { userId }: CallerId): Promise<typeof Sanctions.static> {
  const decisions = userId === undefined ? [] : await listDecisions(reader, userId)
  return { sanctions: presentSanctions(decisions, reader.now()) }
}

/** The latest first. A suspension ends also by a later one, which replaces it. */
function presentSanctions(decisions: readonly Decision[], now: Date): (typeof Sanction.static)[] {
  const lifts = new Map(
    decisions.flatMap(({ liftsId, createdAt }) => (liftsId ? [[liftsId, createdAt]] : [])),
  )
  const last = decisions.findLast(({ kind }) => kind === 'suspend')
  return decisions
    .flatMap(({ id, kind, reason, until, createdAt }) => {
      if (kind !== 'hide' && kind !== 'suspend') return []
      const liftedAt = lifts.get(id)
      const isReplaced = kind === 'suspend' && id !== last?.id
      return {
        ...{
          id,
          kind: kind as 'hide' | 'suspend',
          until: until?.toISOString() ?? null,
          createdAt: createdAt.toISOString(),
        },
        // Guarantee of the cast: only `recordDecision` writes it.
        reason: reason as (typeof REASONS)[number],
        liftedAt: liftedAt?.toISOString() ?? null,
        inForce: !liftedAt && !isReplaced && (until === null || until > now),
      }
    })
    .reverse()
}
