/** The fan's own locker as others see it, with links to arrange and share it. */
import { readOwnLocker, readPrivacy, readProfile } from '../api.ts'
import { text } from '../lang/lang.ts'
import { Bones, Loading, useLoaded } from '../load.tsx'
import { CardsNav } from '../parts/cards-nav.tsx'
import { Empty, Screen } from '../parts/layout.tsx'
import { Share } from '../parts/share.tsx'
import { hasItems, Shelves } from '../parts/shelves.tsx'
import { addressOf, Link } from '../router.tsx'

async function loadLocker() {
  const [locker, profile, privacy] = await Promise.all([readOwnLocker(), readProfile(), readPrivacy()])
  return { locker, handle: profile?.handle ?? null, audience: privacy.locker }
}

export function Locker() {
  const loaded = useLoaded('locker', loadLocker)
  return (
    <Screen title={text.nav.locker} lead={text.locker.lead}>
      <CardsNav current="locker" />
      <Loading of={loaded} skeleton={<Bones kind="card" count={4} />}>
        {({ locker, handle, audience }) =>
          hasItems(locker) ? (
            <>
              <Shelves locker={locker} />
              <div class="actions">
                <Link to={addressOf('locker', 'edit')} class="button main">
                  {text.locker.edit}
                </Link>
                {handle && audience === 'public' && (
                  <Share path={`/lockers/${handle}`} title={locker.title || text.nav.locker} />
                )}
              </div>
              <p class="quiet">
                {audience === 'public' ? (
                  handle === null && <Link to={addressOf('profile')}>{text.locker.needsHandle}</Link>
                ) : (
                  <Link to={addressOf('profile', 'privacy')}>{text.locker.audiences[audience]}</Link>
                )}
              </p>
            </>
          ) : (
            <Empty
              action={
                <Link to={addressOf('locker', 'edit')} class="button main">
                  {text.locker.begin}
                </Link>
              }
            >
              {text.locker.empty}
            </Empty>
          )
        }
      </Loading>
    </Screen>
  )
}
