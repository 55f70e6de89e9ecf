/** The fans that the fan follows, mutes or blocks, and those who follow the fan. */
import { useState } from 'preact/hooks'
import { type FanList, type ListedFan, type Relating, readFans, relate } from '../api.ts'
import { formatDay, formatHandle, text } from '../lang/lang.ts'
import { Loading, useLoaded, useWrite, type Write } from '../load.tsx'
import { Button } from '../parts/button.tsx'
import { Empty, Screen } from '../parts/layout.tsx'
import { MoreButton, useMore } from '../parts/more.tsx'
import { Notice } from '../parts/notice.tsx'
import { Avatar } from '../parts/picture.tsx'
import { addressOf, Link } from '../router.tsx'

const LISTS: readonly FanList[] = ['following', 'followers', 'mutes', 'blocks']

export const isFanList = (name: string | undefined): name is FanList => LISTS.some(list => list === name)

/** The actions that end a relation and start it again. */
const UNDO: Partial<Record<FanList, [end: Relating, again: Relating]>> = {
  following: ['unfollow', 'follow'],
  mutes: ['unmute', 'mute'],
  blocks: ['unblock', 'block'],
}

interface Change {
  handle: string
  action: Relating
}

export function Fans({ list }: { list: FanList }) {
  const loaded = useLoaded(`fans ${list}`, () => readFans(list))
  const more = useMore(
    loaded,
    cursor => readFans(list, cursor),
    (page, next) => ({ ...next, fans: [...page.fans, ...next.fans] }),
  )
  // A removed fan stays on the screen until it is opened again, so that the action can be undone.
  const [latest, setLatest] = useState<Record<string, Relating>>({})
  const change = useWrite(async ({ handle, action }: Change, key) => {
    await relate[action](handle, key)
    setLatest(all => ({ ...all, [handle]: action }))
  })
  return (
    <Screen title={text.nav.fans} up={addressOf('profile')}>
      <nav class="choice" aria-label={text.nav.fans}>
        {LISTS.map(name => (
          <Link key={name} to={addressOf('profile', name)} aria-current={name === list ? 'page' : undefined}>
            {text.fans.lists[name]}
          </Link>
        ))}
      </nav>
      {change.error !== null && <Notice error={change.error} />}
      <Loading of={loaded}>
        {({ fans, nextCursor }) => (
          <>
            {fans.length === 0 ? (
              <Empty>{text.fans.empty[list]}</Empty>
            ) : (
              <ul class="list board">
                {fans.map(fan => (
                  <Row
                    key={`${fan.handle} ${fan.since}`}
                    fan={fan}
                    list={list}
                    change={change}
                    latest={latest[fan.handle ?? '']}
                  />
                ))}
              </ul>
            )}
            <MoreButton more={more} cursor={nextCursor} />
          </>
        )}
      </Loading>
    </Screen>
  )
}

interface RowProps {
  fan: ListedFan
  list: FanList
  change: Write<Change>
  /** The last action on the fan on this screen. */
  latest: Relating | undefined
}

function Row({ fan: { handle, displayName, avatarUrl, since }, list, change, latest }: RowProps) {
  const name = displayName ?? (handle === null ? text.leaderboard.unnamed : formatHandle(handle))
  const [end, again] = UNDO[list] ?? []
  const action = latest === end ? again : end
  return (
    <li class="row">
      <Avatar name={displayName ?? handle} src={avatarUrl} />
      <span class="grow">
        <strong class="line">
          {handle === null ? (
            name
          ) : (
            <Link to={addressOf('fans', handle)} class="whole-row">
              {name}
            </Link>
          )}
        </strong>
        <small class="quiet">{text.fans.since(formatDay(since))}</small>
      </span>
      {handle !== null && action && (
        <Button
          kind="small"
          busy={change.busy?.handle === handle}
          label={`${text.fan.actions[action]}: ${name}`}
          onClick={() => change.run({ handle, action })}
        >
          {text.fan.actions[action]}
        </Button>
      )}
    </li>
  )
}
