/** The devices on which the fan is signed in. */
import { endSession, readSessions, signOut } from '../api.ts'
import { formatMoment, text } from '../lang/lang.ts'
import { Loading, useLoaded, useWrite } from '../load.tsx'
import { Button } from '../parts/button.tsx'
import { Icon } from '../parts/icon.tsx'
import { Empty, Screen } from '../parts/layout.tsx'
import { MoreButton, useMore } from '../parts/more.tsx'
import { Notice } from '../parts/notice.tsx'
import { addressOf } from '../router.tsx'

export function Sessions() {
  const list = useLoaded('sessions', () => readSessions())
  const more = useMore(list, readSessions, (page, next) => ({
    ...next,
    sessions: [...page.sessions, ...next.sessions],
  }))
  const end = useWrite(async (id: string) => {
    await endSession(id)
    await list.reload()
  })
  const everywhere = useWrite(async (_: null) => signOut(true))
  const error = end.error ?? everywhere.error
  return (
    <Screen title={text.sessions.title} lead={text.sessions.lead} up={addressOf('profile')}>
      {error !== null && <Notice error={error} />}
      <Loading of={list}>
        {({ sessions, nextCursor }) =>
          sessions.length === 0 ? (
            <Empty>{text.sessions.empty}</Empty>
          ) : (
            <>
              <ul class="list">
                {sessions.map(({ id, deviceName, lastUsedAt, current }) => (
                  <li key={id} class="row">
                    <span class="disc">
                      <Icon name="sessions" />
                    </span>
                    <span class="grow">
                      <strong class="line">{deviceName ?? text.sessions.unnamed}</strong>
                      <small class="quiet">{text.sessions.used(formatMoment(lastUsedAt))}</small>
                    </span>
                    {current ? (
                      <span class="pill">{text.sessions.current}</span>
                    ) : (
                      <Button
                        kind="small"
                        busy={end.busy === id}
                        label={text.sessions.endOf(deviceName ?? text.sessions.unnamed)}
                        onClick={() => end.run(id)}
                      >
                        {text.sessions.end}
                      </Button>
                    )}
                  </li>
                ))}
              </ul>
              <MoreButton more={more} cursor={nextCursor} />
              <p class="leave">
                <Button kind="danger" busy={everywhere.isBusy} onClick={() => everywhere.run(null)}>
                  {text.sessions.everywhere}
                </Button>
              </p>
            </>
          )
        }
      </Loading>
    </Screen>
  )
}
