/** A match as it is played: the score with large buttons, what fans predict, and who comes in. */
import { useState } from 'preact/hooks'
import { api, hasCode } from '../../api.ts'
import { Button } from '../../parts/button.tsx'
import { Section } from '../../parts/page.tsx'
import { type Resource, useAction } from '../../parts/resource.ts'
import { Failed, Loaded } from '../../parts/states.tsx'
import { toast } from '../../parts/toast.tsx'
import { timeNow } from '../../parts/values.tsx'
import { addressOf, Link } from '../../router.tsx'
import { may } from '../../session.ts'
import { FinishDialog } from './finish.tsx'
import { CheckInRate, Crest, PredictionRules, Score, Split, usePulse } from './parts.tsx'
import { reportWithUndo, type State, stateOf } from './report.ts'
import { Rounds } from './rounds.tsx'
import { type MatchDetail, scoreOf } from './words.ts'

/** Before it, a match is started only in the form. */
const START_MS = 30 * 60_000
const SIDES = ['home', 'away'] as const

interface CockpitProps {
  of: MatchDetail
  match: Resource<MatchDetail>
}

export function Cockpit({ of, match }: CockpitProps) {
  const pulse = usePulse(of.id, of.status === 'live')
  return (
    <>
      <Board of={of} match={match} />
      {may('catalogue.read') && <Rounds matchId={of.id} />}
      <Section title="What fans predict">
        <Loaded of={pulse}>
          {data => (
            <>
              <Split of={of} pulse={data} />
              <PredictionRules of={of.rules} jokers={data.jokers} />
            </>
          )}
        </Loaded>
      </Section>
      <Section title="Check-ins">
        <Loaded of={pulse}>{data => <CheckInRate of={data} />}</Loaded>
      </Section>
    </>
  )
}

function Board({ of, match }: CockpitProps) {
  const [isFinishing, setFinishing] = useState(false)
  const send = useAction(async ({ next, what }: { next: State; what: string }) => {
    try {
      await reportWithUndo(match, of, next, what)
    } catch (error) {
      if (hasCode(error, 'stale_revision')) await match.reload()
      throw error
    }
  })
  const goal = (side: (typeof SIDES)[number], by: 1 | -1) => {
    const next = stateOf(of)
    next.homeScore ??= 0
    next.awayScore ??= 0
    const member = side === 'home' ? 'homeScore' : 'awayScore'
    next[member] = Math.max(0, (next[member] ?? 0) + by)
    const { name } = of[side]
    return send.run({ next, what: `${by > 0 ? 'Goal for' : 'One goal less for'} ${name}: ${scoreOf(next)}.` })
  }
  const mayWrite = may('matches.write')
  const blocked = of.active ? false : 'This match is switched off in the catalogue.'
  return (
    <section class="board" aria-label="Score">
      <div class="board-teams">
        {SIDES.map(side => (
          <div key={side} class={`board-team ${side}`}>
            <Crest team={of[side]} />
            <bdi class="board-name">{of[side].name}</bdi>
          </div>
        ))}
        <div class="board-middle">
          <Score of={of} className="board-score" />
        </div>
      </div>
      {mayWrite && of.status === 'live' && (
        <div class="board-goals">
          {SIDES.map(side => (
            <div key={side}>
              <Button
                kind="primary"
                label={`Goal for ${of[side].name}`}
                busy={send.isBusy}
                blocked={blocked}
                onClick={() => goal(side, 1)}
              >
                Goal
              </Button>
              <Button
                label={`−1: one goal less for ${of[side].name}`}
                blocked={blocked || ((of[`${side}Score`] ?? 0) === 0 && 'There is no goal to take back.')}
                onClick={() => goal(side, -1)}
              >
                −1
              </Button>
            </div>
          ))}
        </div>
      )}
      {send.error !== null && <Failed error={send.error} onRetry={send.clear} />}
      <div class="actions board-actions">
        <Link to={addressOf('match-day', of.id, 'wall')} class="button plain">
          <span>Wall screen</span>
        </Link>
        {mayWrite && of.status === 'scheduled' && (
          <Button
            kind="primary"
            icon="play"
            busy={send.isBusy}
            blocked={
              blocked ||
              (timeNow() < Date.parse(of.kickoffAt) - START_MS &&
                'It can be started from 30 minutes before its kick-off.')
            }
            onClick={() =>
              send.run({
                next: { ...stateOf(of), status: 'live', homeScore: 0, awayScore: 0 },
                what: 'The match is live.',
              })
            }
          >
            Start the match
          </Button>
        )}
        {mayWrite && of.status === 'live' && (
          <Button icon="check" blocked={blocked} onClick={() => setFinishing(true)}>
            Finish …
          </Button>
        )}
      </div>
      {isFinishing && (
        <FinishDialog
          of={of}
          state={{
            ...stateOf(of),
            status: 'finished',
            homeScore: of.homeScore ?? 0,
            awayScore: of.awayScore ?? 0,
          }}
          onConfirm={async (reason, early) => {
            const { kickoffAt, homeScore, awayScore } = of
            const result = {
              status: 'finished',
              kickoffAt,
              homeScore: homeScore ?? 0,
              awayScore: awayScore ?? 0,
            } as const
            match.set(
              await api.reportMatch({ matchId: of.id, ...result, revision: of.revision + 1, reason, early }),
            )
            toast('The match is finished. Its predictions are being settled.')
          }}
          onClose={() => setFinishing(false)}
        />
      )}
    </section>
  )
}
