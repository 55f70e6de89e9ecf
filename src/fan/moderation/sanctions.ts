/** The sanctions of a fan, as the fan sees them. */
import type { Reader } from '../../../db/index.ts'
import type { Viewer } from '../../core/caller.ts'
import { Closed, Id, Instant, Nullable, OneOf } from '../../core/schemas.ts'
import { Type } from '../../core/typebox.ts'
import {
  type Decision,
  listDecisions,
  readStatements,
  type Statement,
  sanctionsInForce,
} from '../../identity/sanctions/decisions.ts'
import { REASONS } from '../../identity/sanctions/reasons.ts'
import { Appeal, exportAppeals } from './appeals.ts'

const Sanction = Closed(
  {
    id: Id('The sanction.'),
    kind: OneOf(['hide', 'mute', 'suspend'], {
      description:
        '`hide`: your name, handle and picture are not shown to others. `mute`: others are not shown what you do. `suspend`: you can read, but not write.',
    }),
    reason: OneOf(REASONS, { description: 'The reason of the club.' }),
    statement: Nullable(
      Closed(
        {
          facts: Nullable(Type.String(), {
            description: 'What the decision is about, as plain text. Null if the club stated nothing.',
          }),
          ground: OneOf(REASONS, { description: 'The rule that was broken: the same as `reason`.' }),
          automated: Type.Boolean({
            description: 'Whether software found it: the text filter. A person made the decision.',
          }),
        },
        { title: 'Statement' },
      ),
      { description: 'Why the club decided it. Null for decisions from before the club kept statements.' },
    ),
    until: Nullable(Type.String({ format: 'date-time' }), { description: 'For a suspension: when it ends.' }),
    createdAt: Instant('When it was decided.'),
    liftedAt: Nullable(Type.String({ format: 'date-time' }), { description: 'When the club ended it.' }),
    inForce: Type.Boolean({ description: 'Whether it is in force now.' }),
    appealable: Type.Boolean({
      description: 'Whether you can appeal: once, while it is in force.',
    }),
    appeal: Nullable(Appeal, { description: 'Your appeal. Null if there is none.' }),
  },
  { title: 'Sanction' },
)

export const Sanctions = Closed(
  { sanctions: Type.Array(Sanction, { description: 'Newest first.' }) },
  { title: 'Sanctions' },
)

/** The sanctions of a fan, as the fan sees them: without who decided, and without notes. */
export async function readSanctions(reader: Reader, { userId }: Viewer): Promise<typeof Sanctions.static> {
  const decisions = await listDecisions(reader, userId)
  const appeals = decisions.length === 0 ? [] : await exportAppeals(reader, userId)
  const statements = decisions.length === 0 ? new Map() : await readStatements(reader, userId)
  const bySanction = new Map(appeals.map(appeal => [appeal.sanctionId, appeal]))
  return { sanctions: presentSanctions(decisions, bySanction, statements, reader.now()) }
}

/** Newest first. A suspension ends also by a later one, which replaces it. */
function presentSanctions(
  decisions: readonly Decision[],
  appeals: Map<string, typeof Appeal.static>,
  statements: Map<string, Statement>,
  now: Date,
): (typeof Sanction.static)[] {
  const active = sanctionsInForce(decisions, now)
  const lifts = new Map(
    decisions.flatMap(({ liftsId, createdAt }) => (liftsId ? [[liftsId, createdAt]] : [])),
  )
  return decisions
    .flatMap(({ id, kind, reason: stored, until, createdAt }) => {
      if (kind !== 'hide' && kind !== 'mute' && kind !== 'suspend') return []
      const liftedAt = lifts.get(id)
      const inForce = active.includes(id)
      const appeal = appeals.get(id) ?? null
      // Guarantee of the cast: only `recordDecision` writes it.
      const reason = stored as (typeof REASONS)[number]
      const statement = statements.get(id)
      return {
        id,
        kind: kind as 'hide' | 'mute' | 'suspend',
        until: until?.toISOString() ?? null,
        createdAt: createdAt.toISOString(),
        reason,
        statement: statement ? { ...statement, ground: reason } : null,
        liftedAt: liftedAt?.toISOString() ?? null,
        inForce,
        appealable: inForce && !appeal,
        appeal,
      }
    })
    .reverse()
}
