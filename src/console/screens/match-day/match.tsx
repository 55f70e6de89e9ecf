/** One match: entry of its score, its predictions, and its gate. */
import { useEffect, useState } from 'preact/hooks'
import { api, asWritten } from '../../api.ts'
import { Badge } from '../../parts/badge.tsx'
import { Button } from '../../parts/button.tsx'
import { ReasonDialog } from '../../parts/dialog.tsx'
import { NumberField } from '../../parts/form.tsx'
import { formatCount } from '../../parts/format.ts'
import { Columns, Facts, Page, Section } from '../../parts/page.tsx'
import { type Resource, useResource } from '../../parts/resource.ts'
import { Loaded, Note } from '../../parts/states.tsx'
import { toast } from '../../parts/toast.tsx'
import { None, Points, Time } from '../../parts/values.tsx'
import { addressOf } from '../../router.tsx'
import { may } from '../../session.ts'
import { Cockpit } from './cockpit.tsx'
import { ScoreEntry } from './score-entry.tsx'
import { type MatchDetail, nameOf, statusOf } from './words.ts'

const POLL_MS = 5_000
/** Interval of reads while predictions are settled. */
const RUNNING_MS = 3_000

export function MatchScreen({ matchId }: { matchId: string }) {
  const [isRunning, setRunning] = useState(false)
  const match = useResource(`match ${matchId}`, signal => api.readConsoleMatch({ matchId }, { signal }), {
    pollMs: isRunning ? RUNNING_MS : POLL_MS,
  })
  const { data } = match
  const state = data?.progress.state
  useEffect(() => setRunning(state === 'running'), [state])
  const status = data && statusOf(data.status)
  return (
    <Page
      title={data ? nameOf(data) : 'Match'}
      head={
        data &&
        status && (
          <>
            <bdi>{nameOf(data)}</bdi>
            <Badge tone={status.tone}>{status.title}</Badge>
          </>
        )
      }
      about={data && [data.competition, data.round, data.season].filter(Boolean).join(' · ')}
      back={{ to: addressOf('match-day'), title: 'Match day' }}
    >
      <Loaded of={match}>{shown => <Shown of={shown} match={match} />}</Loaded>
    </Page>
  )
}

function Shown({ of, match }: { of: MatchDetail; match: Resource<MatchDetail> }) {
  return (
    <Columns aside>
      <div class="stack">
        {!of.active && (
          <Note tone="warn">This match is switched off in the catalogue: it cannot be changed.</Note>
        )}
        <Cockpit of={of} match={match} />
        <Settlement of={of} />
        {may('matches.write') && <ScoreEntry of={of} match={match} />}
      </div>
      <div class="stack">
        <Section title="Match">
          <Facts
            of={[
              ['Kick-off', <Time key="kickoff" at={of.kickoffAt} />],
              ['Venue', of.venue === null ? <None key="venue" /> : <bdi key="venue">{of.venue}</bdi>],
              ['Check-in', <CheckIn key="check-in" of={of.checkIn} />],
              ['Revision', <Revision key="revision" of={of} match={match} />],
            ]}
          />
        </Section>
        <Section
          title="Gate"
          about="A screen at the gate shows a code that changes every few seconds. Fans scan it to check in."
        >
          {may('gate.show') && (
            <p>
              <a
                class="button plain"
                href={`/check-in/${encodeURIComponent(of.id)}`}
                target="_blank"
                rel="noreferrer"
              >
                Open the gate display
              </a>
            </p>
          )}
          <p class="quiet">
            If fans can touch the screen, use <a href={of.gateUrl}>the public page</a> instead, which needs no
            session. It asks once for a server key with the scope <code>matches:write</code>, or gets the code
            from a system of the club.
          </p>
        </Section>
      </div>
    </Columns>
  )
}

const CheckIn = ({ of }: { of: MatchDetail['checkIn'] }) =>
  of === null ? (
    <None why="Closed" />
  ) : (
    <>
      <Time at={of.opensAt} /> to <Time at={of.closesAt} />
    </>
  )

const ACTIONS = {
  settle: 'Settled by the result.',
  void: 'The match was cancelled: predictions do not count.',
  reopen: 'The result was removed: the granted points are taken back.',
}

function Settlement({ of: { progress } }: { of: MatchDetail }) {
  const { predictions, settled, points, action, state } = progress
  return (
    <Section
      title="Settlement"
      about={action === null ? 'They are settled when the match is finished.' : ACTIONS[action]}
      actions={
        state === 'none' ? null : (
          <Badge tone={state === 'done' ? 'good' : 'info'}>{state === 'done' ? 'Settled' : 'Settling'}</Badge>
        )
      }
    >
      {state !== 'none' && (
        <div class="settled">
          <progress
            max={Math.max(predictions, 1)}
            value={predictions === 0 ? 1 : settled}
            aria-label="Settled"
          />
          <p role="status">
            <span class="amount">{formatCount(settled)}</span> of{' '}
            <span class="amount">{formatCount(predictions)}</span> are settled by the current result
          </p>
        </div>
      )}
      <Facts
        of={[
          [
            'Predictions',
            <span key="all" class="amount">
              {formatCount(predictions)}
            </span>,
          ],
          ['Points of fans', <Points key="points" value={points} />],
        ]}
      />
    </Section>
  )
}

function Revision({ of: { id, revision }, match }: { of: MatchDetail; match: Resource<MatchDetail> }) {
  const [isOpen, setOpen] = useState(false)
  const [next, setNext] = useState<number | null>(null)
  return (
    <span class="with-action">
      <span class="amount">{formatCount(revision)}</span>
      {may('matches.write') && revision > 1 && (
        <Button small kind="quiet" onClick={() => setOpen(true)}>
          Lower
        </Button>
      )}
      {isOpen && (
        <ReasonDialog
          title="Lower the revision"
          action="Lower it"
          fields={
            <NumberField
              label="Last revision of the reporting system"
              pointer="/revision"
              required
              min={1}
              max={revision}
              value={next}
              onChange={setNext}
            />
          }
          onConfirm={async reason => {
            match.set(await api.resetMatchRevision({ matchId: id, revision: asWritten(next), reason }))
            toast('The revision was lowered.')
          }}
          onClose={() => setOpen(false)}
        >
          Each report of the match needs a higher revision than the previous one. If a report had a revision
          that is too high, all later reports are refused: lower it to the last correct one. Status, scores
          and kick-off stay as they are.
        </ReasonDialog>
      )}
    </span>
  )
}
