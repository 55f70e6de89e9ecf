/** A pack of the fan: sealed, or opened with its cards. */
import { orNull, readOwnPacks, readPack, type UserPack } from '../api.ts'
import { openSealed, readDrawn } from '../draw.ts'
import { text } from '../lang/lang.ts'
import { Bones, Loading, useLoaded, useWrite } from '../load.tsx'
import { Button } from '../parts/button.tsx'
import { NotFound, Screen } from '../parts/layout.tsx'
import { Notice } from '../parts/notice.tsx'
import { Picture } from '../parts/picture.tsx'
import { Reveal } from '../parts/reveal.tsx'
import { addressOf } from '../router.tsx'

async function findOwn(id: string): Promise<UserPack | undefined> {
  let cursor: string | undefined
  do {
    const page = await readOwnPacks(cursor)
    const found = page.packs.find(pack => pack.id === id)
    if (found) return found
    cursor = page.nextCursor ?? undefined
  } while (cursor !== undefined)
}

/** Null if the fan has no such pack. */
export async function loadOwn(id: string) {
  const userPack = await findOwn(id)
  if (!userPack) return null
  const [pack, drawn] = await Promise.all([
    orNull(readPack(userPack.packId), 'pack_not_found'),
    userPack.state === 'opened' ? readDrawn(userPack) : undefined,
  ])
  return { userPack, pack, drawn, name: pack?.name ?? text.packs.gone }
}

export function OwnPack({ id }: { id: string }) {
  const loaded = useLoaded(`own pack ${id}`, async () => ({ own: await loadOwn(id) }))
  const open = useWrite(async (_: string, key) => {
    if (loaded.data?.own) await openSealed(loaded.data.own.userPack, key)
    await loaded.reload()
    scrollTo(0, 0)
  })
  if (loaded.data?.own === null) return <NotFound />
  const name = loaded.data?.own.name ?? text.packs.title
  return (
    <Screen title={name} up={addressOf('packs')} bare>
      <Loading of={loaded} skeleton={<Bones kind="card" count={3} />}>
        {({ own }) =>
          own?.drawn ? (
            <>
              <h1 class="unseen">{name}</h1>
              <Reveal drawn={own.drawn} />
            </>
          ) : (
            <article class="detail">
              <Picture src={own?.pack?.imageUrl ?? null} class="detail-pack" />
              <div class="detail-text">
                <h1>{name}</h1>
                {open.error !== null && <Notice error={open.error} />}
                {own?.userPack.state === 'sealed' ? (
                  <Button busy={open.isBusy} onClick={() => open.run(id)}>
                    {text.packs.openOf(name)}
                  </Button>
                ) : (
                  <p class="panel quiet">{text.packs.revoked}</p>
                )}
              </div>
            </article>
          )
        }
      </Loading>
    </Screen>
  )
}
