/** The fan's ledger in words. */
import { type PointsEntry, readMatches, readPoints, readQuests, readTeams } from '../api.ts'
import { formatInteger, text } from '../lang/lang.ts'
import { Loading, useLoaded } from '../load.tsx'
import { EntryList } from '../parts/entries.tsx'
import { Empty, Screen } from '../parts/layout.tsx'
import { MoreButton, useMore } from '../parts/more.tsx'
import { addressOf, Link } from '../router.tsx'

/** The entries, and the names of what they refer to. */
async function loadLedger() {
  const [page, { quests }, { matches }, { teams }] = await Promise.all([
    readPoints(),
    readQuests(),
    readMatches({ status: 'finished', limit: 100 }),
    readTeams(),
  ])
  const shortOf = (id: string) => teams.find(team => team.id === id)?.shortName ?? id
  const names = new Map(quests.map(({ id, title }) => [id, title]))
  for (const { id, homeTeamId, awayTeamId, homeScore, awayScore } of matches)
    names.set(id, `${shortOf(homeTeamId)} ${homeScore}–${awayScore} ${shortOf(awayTeamId)}`)
  return { ...page, names }
}

/** The ref of a quest and of a match begins with its id, which has no colon. */
const nameOf = (names: Map<string, string>) => (entry: PointsEntry) =>
  ['quest', 'prediction', 'prediction_void'].includes(entry.reason)
    ? names.get(entry.ref.split(':')[0] ?? '')
    : undefined

export function Points() {
  const loaded = useLoaded('points', loadLedger)
  const more = useMore(loaded, readPoints, (page, next) => ({
    ...next,
    names: page.names,
    entries: [...page.entries, ...next.entries],
  }))
  return (
    <Screen title={text.points.title}>
      <Loading of={loaded}>
        {({ balance, lifetime, entries, nextCursor, names }) => (
          <>
            <dl class="figures on-page">
              <div class="figure">
                <dt>{text.points.balance}</dt>
                <dd>{formatInteger(balance)}</dd>
              </div>
              <div class="figure">
                <dt>{text.points.lifetime}</dt>
                <dd>{formatInteger(lifetime)}</dd>
              </div>
            </dl>
            {entries.length === 0 ? (
              <Empty
                action={
                  <Link to={addressOf('quests')} class="button main">
                    {text.points.toQuests}
                  </Link>
                }
              >
                {text.points.empty}
              </Empty>
            ) : (
              <EntryList entries={entries} nameOf={nameOf(names)} balances />
            )}
            <MoreButton more={more} cursor={nextCursor} />
          </>
        )}
      </Loading>
    </Screen>
  )
}
