/** A match for a large screen in the room: nothing to press, readable from far away. */
import { useEffect, useRef } from 'preact/hooks'
import { api } from '../../api.ts'
import { Button, ButtonLink } from '../../parts/button.tsx'
import { useResource } from '../../parts/resource.ts'
import { Loaded } from '../../parts/states.tsx'
import { addressOf } from '../../router.tsx'
import { CheckInRate, Crest, Score, Split, usePulse } from './parts.tsx'
import { type MatchDetail, nameOf } from './words.ts'

const POLL_MS = 3_000

export function WallScreen({ matchId }: { matchId: string }) {
  const wall = useRef<HTMLElement>(null)
  const match = useResource(`match ${matchId}`, signal => api.readConsoleMatch({ matchId }, { signal }), {
    pollMs: POLL_MS,
  })
  useEffect(() => {
    document.title = 'Wall screen · Matchday console'
    // Refused while the tab is hidden or the battery is low: then the screen may go dark.
    const lock = navigator.wakeLock?.request('screen').catch(() => null)
    return () => {
      if (document.fullscreenElement) void document.exitFullscreen()
      void lock?.then(held => held?.release())
    }
  }, [])
  return (
    <section class="wall" ref={wall} aria-label="Wall screen">
      <div class="wall-tools">
        <Button small icon="open" onClick={() => wall.current?.requestFullscreen()}>
          Full screen
        </Button>
        <ButtonLink to={addressOf('match-day', matchId)} icon="close">
          Close
        </ButtonLink>
      </div>
      <Loaded of={match}>{of => <Wall of={of} />}</Loaded>
    </section>
  )
}

function Wall({ of }: { of: MatchDetail }) {
  const pulse = usePulse(of.id, of.status === 'live')
  return (
    <>
      <h1 class="unseen">{nameOf(of)}</h1>
      <div class="wall-teams">
        <div>
          <Crest team={of.home} />
          <bdi>{of.home.name}</bdi>
        </div>
        <div class="wall-middle">
          <Score of={of} className="wall-score" />
        </div>
        <div>
          <Crest team={of.away} />
          <bdi>{of.away.name}</bdi>
        </div>
      </div>
      <Loaded of={pulse}>
        {data => (
          <div class="wall-figures">
            <section>
              <h2>Predictions</h2>
              <Split of={of} pulse={data} />
            </section>
            <section>
              <h2>Check-ins</h2>
              <CheckInRate of={data} />
            </section>
          </div>
        )}
      </Loaded>
    </>
  )
}
