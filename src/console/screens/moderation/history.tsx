/** Earlier decisions about a fan, with sanctions in force. */
import { useState } from 'preact/hooks'
import { Badge } from '../../parts/badge.tsx'
import { Button } from '../../parts/button.tsx'
import { Empty } from '../../parts/states.tsx'
import { Timeline, type TimelineEntry } from '../../parts/timeline.tsx'
import { Time } from '../../parts/values.tsx'
import { may } from '../../session.ts'
import { LiftDialog } from './decide-dialog.tsx'
import { type FanRecord, KINDS, titleOf } from './words.ts'

export function History({ of, onChange }: { of: FanRecord; onChange: () => unknown }) {
  const [lifting, setLifting] = useState<string | null>(null)
  if (of.decisions.length === 0) return <Empty title="No earlier decisions" />
  const entries = of.decisions.map((decision): TimelineEntry => {
    const { id, kind, reason, until, decidedBy, facts, note, inForce, createdAt } = decision
    const words = KINDS[kind]
    const appeal = of.appeals.find(({ sanctionId }) => sanctionId === id)
    return {
      id,
      at: createdAt,
      icon: words.icon,
      tone: words.tone,
      title: (
        <>
          {words.done}: {titleOf(reason)}
        </>
      ),
      detail: (
        <>
          by <bdi>{decidedBy}</bdi>
          {until && (
            <>
              , until <Time at={until} />
            </>
          )}
          {facts && (
            <p>
              Facts: <bdi class="written">{facts}</bdi>
            </p>
          )}
          {note && (
            <p>
              <bdi class="written">{note}</bdi>
            </p>
          )}
          {appeal && (
            <p>
              Appeal, {appeal.granted === null ? 'open' : appeal.granted ? 'granted' : 'rejected'}:{' '}
              <bdi class="written">{appeal.text}</bdi>
            </p>
          )}
        </>
      ),
      end: inForce && (
        <>
          <Badge tone="bad">In force</Badge>
          {may('moderation.write') && (
            <Button small onClick={() => setLifting(id)}>
              Lift
            </Button>
          )}
        </>
      ),
    }
  })
  return (
    <>
      <Timeline entries={entries} />
      {lifting !== null && (
        <LiftDialog
          fanId={of.fan.id}
          sanctionId={lifting}
          onClose={() => setLifting(null)}
          onDone={onChange}
        />
      )}
    </>
  )
}
