import type { ComponentChildren } from 'preact'
import type { Competition, Match, Team } from '../api.ts'
import { formatKickoffDay, formatTime, text } from '../lang/lang.ts'
import { Crest } from './picture.tsx'
import { PresentedBy } from './presented-by.tsx'

interface MatchCardProps {
  match: Match
  teams: Team[]
  /** Those with rules of their own: a match names one by its id. */
  competitions: Competition[]
  children?: ComponentChildren
}

/** Both teams with the score, or the kick-off before there is one. */
export function MatchCard({ match, teams, competitions, children }: MatchCardProps) {
  const { kickoffAt, competition, round, venue, status, homeScore, awayScore } = match
  const teamOf = (id: string) => teams.find(team => team.id === id)
  const called = competitions.find(({ id }) => id === competition)?.name ?? competition
  const word = text.matches.statuses[status]
  return (
    <article class="match">
      <p class="match-about">
        <span>{[called, round].filter(Boolean).join(' · ')}</span>
        {word && <span class={`pill ${status}`}>{word}</span>}
      </p>
      <div class="match-teams">
        <Side team={teamOf(match.homeTeamId)} id={match.homeTeamId} />
        {homeScore === null ? (
          <span class="match-middle">
            <strong>{formatTime(kickoffAt)}</strong>
            <span class="quiet">{formatKickoffDay(kickoffAt)}</span>
          </span>
        ) : (
          <span class="match-middle">
            {/* In Arabic the home team and its goals are on the right. */}
            <strong class="score">
              {homeScore} – {awayScore}
            </strong>
            <span class="quiet">{formatKickoffDay(kickoffAt)}</span>
          </span>
        )}
        <Side team={teamOf(match.awayTeamId)} id={match.awayTeamId} />
      </div>
      {venue && homeScore === null && <p class="match-venue quiet">{venue}</p>}
      <PresentedBy sponsor={match.sponsor} />
      {children && <div class="match-more">{children}</div>}
    </article>
  )
}

const Side = ({ team, id }: { team: Team | undefined; id: string }) => (
  <span class="match-side">
    <Crest team={team} size="l" />
    <span class="match-name">
      <bdi>{team?.name ?? id}</bdi>
    </span>
  </span>
)
