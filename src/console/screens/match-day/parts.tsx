/** What the cockpit and the wall screen both show of a match. */
import { useState } from 'preact/hooks'
import { api, type Data } from '../../api.ts'
import { Badge } from '../../parts/badge.tsx'
import { initialOf } from '../../parts/capital.ts'
import { formatClock, formatCount } from '../../parts/format.ts'
import { Facts } from '../../parts/page.tsx'
import { useResource } from '../../parts/resource.ts'
import { Time, timeNow } from '../../parts/values.tsx'
import { session } from '../../session.ts'
import { minuteOf } from './report.ts'
import { type MatchDetail, scoreOf, statusOf } from './words.ts'

export type Pulse = Data<'readMatchPulse'>

export const usePulse = (matchId: string, isLive: boolean) =>
  useResource(`pulse ${matchId}`, signal => api.readMatchPulse({ matchId }, { signal }), {
    pollMs: isLive ? 5_000 : 20_000,
  })

/** The crest, or the first letter where it is missing. Its address may be a path of the API. */
export function Crest({ team: { name, crestUrl } }: { team: MatchDetail['home'] }) {
  const [isBroken, setBroken] = useState(false)
  const url = crestUrl === null ? null : URL.parse(crestUrl, session.value?.apiOrigin)
  return url === null || isBroken ? (
    <span class="crest initial" aria-hidden="true">
      {initialOf(name)}
    </span>
  ) : (
    <img class="crest" src={url.href} alt="" onError={() => setBroken(true)} />
  )
}

/** The minute of a live match, estimated: no report says it. */
function Minute({ of: { status, kickoffAt } }: { of: MatchDetail }) {
  const minute = status === 'live' ? minuteOf(kickoffAt, timeNow()) : null
  return minute === null ? null : (
    <span class="minute" title="Estimated from the kick-off, with a break of 15 minutes">
      <span class="unseen">About minute </span>
      {minute}
    </span>
  )
}

/** The score, or the kick-off before it, with the status. */
export function Score({ of, className }: { of: MatchDetail; className: string }) {
  const status = statusOf(of.status)
  return (
    <>
      <p class={className} aria-live="polite">
        {scoreOf(of) ?? <Time at={of.kickoffAt} clock />}
      </p>
      <p>
        <Badge tone={status.tone}>{status.title}</Badge> <Minute of={of} />
      </p>
    </>
  )
}

const shareOf = (part: number, all: number) => (all === 0 ? 0 : Math.round((part / all) * 100))

/** Home, draw and away as shares of the predictions. */
export function Split({ of: match, pulse }: { of: MatchDetail; pulse: Pulse }) {
  const { predictions, home, draw, away, scores } = pulse
  if (predictions === 0) return <p class="quiet">Nobody has predicted this match yet.</p>
  const parts = [
    { id: 'home', title: match.home.name, fans: home },
    { id: 'draw', title: 'Draw', fans: draw },
    { id: 'away', title: match.away.name, fans: away },
  ] as const
  const { split } = match.rules
  return (
    <div class="split">
      <div class="split-bar" aria-hidden="true">
        {parts.map(({ id, fans }) => (
          <span key={id} class={id} style={{ flexGrow: fans }} />
        ))}
      </div>
      <dl>
        {parts.map(({ id, title, fans }) => (
          <div key={id} class={id}>
            <dt>
              <bdi>{title}</bdi>
            </dt>
            <dd>
              <strong>{shareOf(fans, predictions)} %</strong>{' '}
              <span class="quiet">
                {formatCount(fans)}
                {split && `, ${formatCount(split[id].points)} points`}
              </span>
            </dd>
          </div>
        ))}
      </dl>
      <p class="quiet">
        {scores.map(({ homeScore, awayScore, predictions: fans }, nth) => (
          <span key={`${homeScore} ${awayScore}`}>
            {nth > 0 && ' · '}
            <span class="amount">
              {homeScore} : {awayScore}
            </span>{' '}
            by {formatCount(fans)}
          </span>
        ))}
      </p>
    </div>
  )
}

/** Until when fans predict, and for how many points. */
export function PredictionRules({ of, jokers }: { of: MatchDetail['rules']; jokers: number }) {
  const { name, deadline, closesAt, points, joker, crowd } = of
  const isClosed = timeNow() >= Date.parse(closesAt)
  return (
    <Facts
      of={[
        [
          'Rules',
          name === null ? 'The settings of the club' : <bdi key="rules">{`Competition ${name}`}</bdi>,
        ],
        [
          isClosed ? 'Closed' : 'Open until',
          <>
            <Time key="closes" at={closesAt} />,{' '}
            {deadline === 'round' ? 'the first kick-off of the round' : 'its kick-off'}
          </>,
        ],
        [
          'Points',
          `${formatCount(points.exact)} for the score, ${formatCount(points.difference)} for the difference, ${formatCount(points.outcome)} for the outcome${crowd ? ', and more the fewer fans chose it' : ''}`,
        ],
        ...(joker === null
          ? []
          : [
              [
                'Jokers',
                `${formatCount(jokers)} on this match; ${formatCount(joker)} a season for each fan`,
              ] satisfies [string, string],
            ]),
      ]}
    />
  )
}

/** Check-ins a minute, in the last half hour. */
export function CheckInRate({ of: { checkIns, minutes } }: { of: Pulse }) {
  const most = Math.max(...minutes.map(one => one.checkIns), 1)
  // The current minute is not over.
  const last = minutes.at(-2)?.checkIns ?? 0
  return (
    <div class="rate">
      <p>
        <strong class="amount">{formatCount(checkIns)}</strong> checked in,{' '}
        <strong class="amount">{formatCount(last)}</strong> in the last minute
      </p>
      <div class="rate-bars" aria-hidden="true">
        {minutes.map(one => (
          <span
            key={one.at}
            style={{ height: `${(one.checkIns / most) * 100}%` }}
            title={`${formatClock(one.at)}: ${formatCount(one.checkIns)}`}
          />
        ))}
      </div>
      <p class="quiet rate-scale" aria-hidden="true">
        <span>{formatClock(minutes[0]?.at ?? new Date().toISOString())}</span>
        {checkIns > 0 && <span>at most {formatCount(most)} a minute</span>}
        <span>now</span>
      </p>
    </div>
  )
}
