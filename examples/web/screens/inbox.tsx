/** The messages of the fan, newest first, with a mark on those that are not read. */
import { useEffect } from 'preact/hooks'
import { followEvents, openMessage, readInbox, readUntil } from '../api.ts'
import { text } from '../lang/lang.ts'
import { Bones, Loading, useLoaded, useWrite } from '../load.tsx'
import { Button } from '../parts/button.tsx'
import { Empty, Screen } from '../parts/layout.tsx'
import { MessageRow } from '../parts/message-row.tsx'
import { MoreButton, useMore } from '../parts/more.tsx'
import { Refused } from '../parts/refused.tsx'
import { addressOf, Link } from '../router.tsx'

export function Inbox() {
  const loaded = useLoaded('inbox', () => readInbox())
  useEffect(() => followEvents(() => void loaded.reload()), [loaded.reload])
  const more = useMore(loaded, readInbox, (page, next) => ({
    ...next,
    messages: [...page.messages, ...next.messages],
  }))
  const readAll = useWrite(async (createdAt: string, key) => {
    await readUntil(createdAt, key)
    await loaded.reload()
  })
  return (
    <Screen title={text.nav.inbox} lead={text.inbox.lead}>
      <Refused write={readAll} />
      <Loading of={loaded} skeleton={<Bones count={6} />}>
        {({ messages: [newest, ...others], unread, nextCursor }) =>
          newest === undefined ? (
            <Empty
              action={
                <Link to={addressOf('rewards')} class="button main">
                  {text.inbox.toRewards}
                </Link>
              }
            >
              {text.inbox.empty}
            </Empty>
          ) : (
            <>
              {unread > 0 && (
                <p class="actions">
                  <Button kind="plain" busy={readAll.isBusy} onClick={() => readAll.run(newest.createdAt)}>
                    {text.inbox.readAll}
                  </Button>
                  <span class="quiet">{text.inbox.waiting(unread)}</span>
                </p>
              )}
              <ul class="list board">
                {[newest, ...others].map(message => (
                  <MessageRow key={message.id} message={message} onOpen={() => openMessage(message.id)} />
                ))}
              </ul>
              <MoreButton more={more} cursor={nextCursor} label={text.inbox.more} />
            </>
          )
        }
      </Loading>
    </Screen>
  )
}
