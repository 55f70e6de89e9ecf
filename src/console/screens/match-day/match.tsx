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
import { ScoreEntry } from './score-entry.tsx'
import { type MatchDetail, nameOf, statusOf } from './words.ts'

const POLL_MS = 15_000
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
          <Note tone="warn">The catalogue has switched this match off: it cannot be changed.</Note>
        )}
        {may('matches.write') ? (
          <ScoreEntry of={of} match={match} />
        ) : (
          <Section title="Score">
            <p class="score-shown">
              {of.homeScore ?? '–'} : {of.awayScore ?? '–'}
            </p>
          </Section>
        )}
        <Settlement of={of} />
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
        <Section title="Gate" about="A screen at the gate shows the code of the moment, which fans scan.">
          <Facts
            of={[
              [
                'Checked in',
                <span key="checked-in" class="amount">
                  {formatCount(of.checkIns)}
                </span>,
              ],
            ]}
          />
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
            Fans at the gate can reach its screen? Then use <a href={of.gateUrl}>the public page</a>, which
            needs no session: it asks once for a server key with the scope <code>matches:write</code>, or
            takes the code from a system of the club.
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
  void: 'The match was cancelled: predictions count for nothing.',
  reopen: 'Without a result again: what was granted is taken back.',
}

function Settlement({ of: { progress } }: { of: MatchDetail }) {
  const { predictions, settled, points, action, state } = progress
  return (
    <Section
      title="Predictions"
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
            <span class="amount">{formatCount(predictions)}</span> follow the current result
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
              label="Last revision that the reporting system counted"
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
          Each report of the match has a greater revision than the one before. A wrong number shuts out all
          later reports: lower it to the last right one. Status, scores and kick-off stay as they are.
        </ReasonDialog>
      )}
    </span>
  )
}
