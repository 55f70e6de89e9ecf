/** Fans by the points that they earned, and where the fan is among them. */
import { useState } from 'preact/hooks'
import { type Period, type RankedEntry, readLeaderboard } from '../api.ts'
import { formatInteger, text } from '../lang/lang.ts'
import { Bones, Loading, useLoaded } from '../load.tsx'
import { Choice, Empty, Screen } from '../parts/layout.tsx'
import { MoreButton, useMore } from '../parts/more.tsx'
import { Avatar } from '../parts/picture.tsx'

export function Leaderboard() {
  const [period, setPeriod] = useState<Period>('all')
  const board = useLoaded(`leaderboard ${period}`, () => readLeaderboard(period))
  const more = useMore(
    board,
    cursor => readLeaderboard(period, { cursor }),
    (page, next) => ({ ...next, entries: [...page.entries, ...next.entries] }),
  )
  return (
    <Screen title={text.leaderboard.title} lead={board.data && text.leaderboard.fans(board.data.total)}>
      <Choice
        label={text.leaderboard.period}
        names={text.leaderboard.periods}
        value={period}
        onChange={setPeriod}
      />
      <Loading of={board} skeleton={<Bones count={8} />}>
        {({ entries, me, nextCursor }) =>
          entries.length === 0 ? (
            <Empty>{text.leaderboard.empty}</Empty>
          ) : (
            <>
              <ol class="list board">
                {entries.map(entry => (
                  <Row key={entry.userId} entry={entry} mine={entry.userId === me?.userId} />
                ))}
              </ol>
              <MoreButton more={more} cursor={nextCursor} />
              {me === null ? (
                <p class="panel quiet">{text.leaderboard.notOn}</p>
              ) : (
                !entries.some(({ userId }) => userId === me.userId) && (
                  <ol class="list board own-rank">
                    <Row entry={me} mine />
                  </ol>
                )
              )}
            </>
          )
        }
      </Loading>
    </Screen>
  )
}

const Row = ({ entry, mine }: { entry: RankedEntry; mine: boolean }) => (
  <li class={`row rank-${entry.rank} ${mine ? 'mine' : ''}`} value={entry.rank}>
    <span class="rank">{formatInteger(entry.rank)}</span>
    <Avatar name={entry.displayName} src={entry.avatarUrl} />
    <span class="grow line">
      {entry.displayName ?? text.leaderboard.unnamed}
      {mine && <span class="pill">{text.leaderboard.you}</span>}
    </span>
    <strong class="amount">{formatInteger(entry.points)}</strong>
  </li>
)
