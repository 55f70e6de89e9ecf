/** The locker of another fan. */
import { hasCode, readLocker, readProfile } from '../api.ts'
import { describe } from '../describe.ts'
import { formatHandle, text } from '../lang/lang.ts'
import { Bones, Loading, useLoaded } from '../load.tsx'
import { Empty, Screen } from '../parts/layout.tsx'
import { Avatar } from '../parts/picture.tsx'
import { Report } from '../parts/report.tsx'
import { Shelves } from '../parts/shelves.tsx'
import { addressOf, Link } from '../router.tsx'

async function loadLocker(handle: string) {
  const [locker, own] = await Promise.all([readLocker(handle), readProfile()])
  return { locker, isOwn: own?.handle === handle }
}

export function FanLocker({ handle }: { handle: string }) {
  const loaded = useLoaded(`locker ${handle}`, () => loadLocker(handle))
  const name = loaded.data?.locker.displayName ?? formatHandle(handle)
  return (
    <Screen title={text.locker.of(name)} up={addressOf('fans', handle)} bare>
      {hasCode(loaded.error, 'locker_not_found', 'fan_not_found') ? (
        <>
          <h1>{formatHandle(handle)}</h1>
          <Empty>{describe(loaded.error)}</Empty>
        </>
      ) : (
        <Loading of={loaded} skeleton={<Bones kind="card" count={4} />}>
          {({ locker, isOwn }) => (
            <>
              <div class="who">
                <Avatar name={locker.displayName ?? handle} src={locker.avatarUrl} size="l" />
                <div class="grow">
                  <h1>{text.locker.of(name)}</h1>
                  <p class="quiet">{formatHandle(handle)}</p>
                </div>
              </div>
              <Shelves locker={locker} />
              {!isOwn && (
                <>
                  <p class="actions">
                    <Link to={addressOf('fans', handle, 'trade')} class="button main">
                      {text.trades.offer}
                    </Link>
                  </p>
                  <Report subject={{ kind: 'locker', id: handle }} />
                </>
              )}
            </>
          )}
        </Loading>
      )}
    </Screen>
  )
}
