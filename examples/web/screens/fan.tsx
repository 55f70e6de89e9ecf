/** Another fan, with the actions follow, mute, block and report. */
import { type FanPage, type Relating, readFan, readFans, readProfile, relate } from '../api.ts'
import { formatHandle, formatInteger, text } from '../lang/lang.ts'
import { Bones, Loading, useLoaded, useWrite } from '../load.tsx'
import { Button } from '../parts/button.tsx'
import { Icon } from '../parts/icon.tsx'
import { Empty, Screen } from '../parts/layout.tsx'
import { Notice } from '../parts/notice.tsx'
import { Avatar, Crest } from '../parts/picture.tsx'
import { Report } from '../parts/report.tsx'
import { addressOf, Link } from '../router.tsx'

/** The size of one page. */
const LISTED = 100

/** A fan who is blocked is hidden, and is found on the list of blocks. */
async function loadFan(handle: string) {
  const [fan, own] = await Promise.all([readFan(handle), readProfile()])
  const blocks = fan === null ? (await readFans('blocks', undefined, LISTED)).fans : []
  const isBlocked = blocks.some(blocked => blocked.handle === handle)
  return { fan, isBlocked, isOwn: own?.handle === handle }
}
type FanData = Awaited<ReturnType<typeof loadFan>>

export function Fan({ handle }: { handle: string }) {
  const loaded = useLoaded(`fan ${handle}`, () => loadFan(handle))
  const name = loaded.data?.fan?.displayName ?? formatHandle(handle)
  return (
    <Screen title={name} up={addressOf('leaderboard')} bare>
      <Loading of={loaded} skeleton={<Bones count={2} />}>
        {({ fan, ...data }) =>
          fan || data.isBlocked ? (
            <>
              <Head handle={handle} name={name} fan={fan} />
              {fan && <Shown fan={fan} />}
              {fan?.locker && <LockerLink handle={handle} locker={fan.locker} />}
              <p role="status">{data.isBlocked && text.fan.blocked}</p>
              {!data.isOwn && <Actions handle={handle} data={{ fan, ...data }} reload={loaded.reload} />}
              {fan && !data.isOwn && <Report subject={{ kind: 'fan', id: handle }} />}
            </>
          ) : (
            <>
              <h1>{formatHandle(handle)}</h1>
              <Empty>{text.problems.fan_not_found}</Empty>
            </>
          )
        }
      </Loading>
    </Screen>
  )
}

const Head = ({ handle, name, fan }: { handle: string; name: string; fan: FanPage | null }) => (
  <div class="who">
    <Avatar name={fan?.displayName ?? handle} src={fan?.avatarUrl ?? null} size="l" />
    <div class="grow">
      <h1>{name}</h1>
      {name !== formatHandle(handle) && <p class="quiet">{formatHandle(handle)}</p>}
      {fan?.followsYou && <span class="pill">{text.fan.followsYou}</span>}
    </div>
  </div>
)

/** The members that the fan's privacy settings allow. */
function Shown({ fan: { displayName, favoriteTeam, rank, points } }: { fan: FanPage }) {
  if (displayName === null && favoriteTeam === null && points === null)
    return <p class="panel quiet">{text.fan.nothingShown}</p>
  return (
    <>
      {favoriteTeam && (
        <p class="team-line">
          <Crest team={favoriteTeam} />
          <span class="grow">{favoriteTeam.name}</span>
        </p>
      )}
      {points !== null && (
        <dl class="figures on-page">
          <div class="figure">
            <dt>{text.home.rank}</dt>
            <dd>{rank === null ? text.home.noRank : formatInteger(rank)}</dd>
          </div>
          <div class="figure">
            <dt>{text.home.points}</dt>
            <dd>{formatInteger(points)}</dd>
          </div>
        </dl>
      )}
    </>
  )
}

const LockerLink = ({ handle, locker }: { handle: string; locker: NonNullable<FanPage['locker']> }) => (
  <Link to={addressOf('fans', handle, 'locker')} class={`locker-link theme-${locker.theme}`}>
    <Icon name="locker" />
    <span class="grow">
      <strong class="line">{locker.title || text.nav.locker}</strong>
      {locker.title && <small>{text.nav.locker}</small>}
    </span>
    <Icon name="next" />
  </Link>
)

interface ActionsProps {
  handle: string
  data: FanData
  reload: () => Promise<void>
}

/** After a click, each button becomes the button that undoes the action, and keeps the focus. */
function Actions({ handle, data: { fan, isBlocked }, reload }: ActionsProps) {
  const act = useWrite(async (action: Relating, key) => {
    await relate[action](handle, key)
    await reload()
  })
  const buttonOf = (key: string, action: Relating, kind: 'main' | 'plain' | 'danger') => (
    <Button key={key} kind={kind} busy={act.busy === action} onClick={() => act.run(action)}>
      {text.fan.actions[action]}
    </Button>
  )
  return (
    <>
      {act.error !== null && <Notice error={act.error} />}
      <div class="actions">
        {fan && buttonOf('follow', fan.following ? 'unfollow' : 'follow', fan.following ? 'plain' : 'main')}
        {fan && (
          <Link to={addressOf('fans', handle, 'trade')} class="button plain">
            {text.trades.offer}
          </Link>
        )}
        {fan && buttonOf('mute', fan.muted ? 'unmute' : 'mute', 'plain')}
        {buttonOf('block', isBlocked ? 'unblock' : 'block', isBlocked ? 'plain' : 'danger')}
      </div>
    </>
  )
}
