/** Fans by earned points, the position of the fan, and joining or leaving. */
import {
  type Board,
  joinLeaderboard,
  leaveLeaderboard,
  type RankedEntry,
  readDashboard,
  readLeaderboard,
} from '../api.ts'
import { formatInteger, text } from '../lang/lang.ts'
import { Bones, type Loaded, Loading, useLoaded, useWrite } from '../load.tsx'
import { Button } from '../parts/button.tsx'
import { Choice, Empty, Screen } from '../parts/layout.tsx'
import { MoreButton, useMore } from '../parts/more.tsx'
import { Notice } from '../parts/notice.tsx'
import { Avatar } from '../parts/picture.tsx'
import { addressOf, Link, useView } from '../router.tsx'

const BOARD_NAMES = ['all', 'month', 'week', 'predictions'] as const satisfies Board[]
/** The top of the board, or the part around the fan. */
const PARTS = ['top', 'around'] as const

/** `rank`: on the board of all time; null for a fan who is on no board. */
async function loadBoard(board: Board, around: boolean) {
  const [page, { rank }] = await Promise.all([
    readLeaderboard(board, { around: around ? 'me' : undefined }),
    readDashboard(),
  ])
  return { ...page, rank }
}
type Page = Awaited<ReturnType<typeof loadBoard>>

export function Leaderboard() {
  const [board, setBoard] = useView('board', BOARD_NAMES)
  const [part, setPart] = useView('part', PARTS)
  const around = part === 'around'
  const setAround = (wanted: boolean) => setPart(wanted ? 'around' : 'top')
  const loaded = useLoaded(`leaderboard ${board} ${around}`, () => loadBoard(board, around))
  const join = useWrite(async (wanted: boolean, key) => {
    await (wanted ? joinLeaderboard(key) : leaveLeaderboard())
    setAround(false)
    await loaded.reload()
  })
  const choose = (next: Board) => {
    setAround(false)
    setBoard(next)
  }
  return (
    <Screen title={text.leaderboard.title} lead={loaded.data && text.leaderboard.fans(loaded.data.total)}>
      <Choice
        label={text.leaderboard.board}
        names={text.leaderboard.boards}
        value={board}
        onChange={choose}
      />
      {join.error !== null && <Notice error={join.error} />}
      <Loading of={loaded} skeleton={<Bones count={8} />}>
        {page => (
          <>
            {page.rank === null && (
              <section class="panel join-board">
                <p class="grow">
                  <strong class="line">{text.leaderboard.notMember}</strong>
                  <span class="quiet">{text.leaderboard.joinLead}</span>
                </p>
                <Button busy={join.isBusy} onClick={() => join.run(true)}>
                  {text.leaderboard.join}
                </Button>
              </section>
            )}
            {page.entries.length === 0 ? (
              <Empty>{text.leaderboard.empty}</Empty>
            ) : (
              <Entries loaded={loaded} page={page} board={board} around={around} setAround={setAround} />
            )}
            {page.rank !== null && (
              <p class="leave">
                <Button kind="plain" busy={join.isBusy} onClick={() => join.run(false)}>
                  {text.leaderboard.leave}
                </Button>
              </p>
            )}
          </>
        )}
      </Loading>
    </Screen>
  )
}

interface EntriesProps {
  loaded: Loaded<Page>
  page: Page
  board: Board
  around: boolean
  setAround: (around: boolean) => void
}

function Entries({ loaded, page, board, around, setAround }: EntriesProps) {
  const { entries, me, rank, nextCursor, previousCursor } = page
  const read = (cursor: string) => readLeaderboard(board, { cursor })
  const before = useMore(loaded, read, (page, above) => ({
    ...page,
    previousCursor: above.previousCursor,
    entries: [...above.entries, ...page.entries],
  }))
  const after = useMore(loaded, read, (page, below) => ({
    ...page,
    nextCursor: below.nextCursor,
    entries: [...page.entries, ...below.entries],
  }))
  const isListed = entries.some(({ rank }) => rank === me?.rank)
  return (
    <>
      {(around || (me && !isListed)) && (
        <p class="board-top">
          <Button kind="small" onClick={() => setAround(!around)}>
            {around ? text.leaderboard.top : text.leaderboard.around}
          </Button>
        </p>
      )}
      <MoreButton more={before} cursor={previousCursor} label={text.leaderboard.before} />
      <div class="boards">
        <ol class="list board">
          {entries.map(entry => (
            <Row key={entry.rank} entry={entry} mine={entry.rank === me?.rank} />
          ))}
        </ol>
        <MoreButton more={after} cursor={nextCursor} />
        {me !== null && !isListed && (
          <ol class="list board own-rank">
            <Row entry={me} mine />
          </ol>
        )}
      </div>
      {me === null && rank !== null && <p class="panel quiet">{text.leaderboard.notOn}</p>}
    </>
  )
}

const Row = ({ entry, mine }: { entry: RankedEntry; mine: boolean }) => (
  <li class={`row rank-${entry.rank} ${mine ? 'mine' : ''}`} value={entry.rank}>
    <span class="rank">{formatInteger(entry.rank)}</span>
    <Avatar name={entry.displayName} src={entry.avatarUrl} />
    <span class="grow line">
      {entry.handle ? (
        <Link to={mine ? addressOf('profile') : addressOf('fans', entry.handle)} class="whole-row">
          {entry.displayName ?? text.leaderboard.unnamed}
        </Link>
      ) : (
        (entry.displayName ?? text.leaderboard.unnamed)
      )}
      {mine && <span class="pill">{text.leaderboard.you}</span>}
    </span>
    <strong class="amount">{formatInteger(entry.points)}</strong>
  </li>
)
