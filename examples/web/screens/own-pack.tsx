/** A pack of the fan that is not opened yet. */
import { useState } from 'preact/hooks'
import { readOwnPacks, readPacks } from '../api.ts'
import { type Drawn, openSealed } from '../draw.ts'
import { text } from '../lang/lang.ts'
import { Bones, Loading, useLoaded, useWrite } from '../load.tsx'
import { Button } from '../parts/button.tsx'
import { NotFound, Screen } from '../parts/layout.tsx'
import { Notice } from '../parts/notice.tsx'
import { Picture } from '../parts/picture.tsx'
import { Reveal } from '../parts/reveal.tsx'
import { addressOf } from '../router.tsx'

async function loadOwn(id: string) {
  const [own, { packs }] = await Promise.all([readOwnPacks(), readPacks()])
  const userPack = own.packs.find(pack => pack.id === id)
  return { userPack, pack: packs.find(({ id }) => id === userPack?.packId) }
}

export function OwnPack({ id }: { id: string }) {
  const loaded = useLoaded(`own pack ${id}`, () => loadOwn(id))
  const [drawn, setDrawn] = useState<Drawn | null>(null)
  const open = useWrite(async (_: string, key) => {
    if (loaded.data?.userPack) setDrawn(await openSealed(loaded.data.userPack, key))
  })
  if (loaded.data && !loaded.data.userPack) return <NotFound />
  const name = loaded.data?.pack?.name ?? loaded.data?.userPack?.packId ?? text.packs.title
  return (
    <Screen title={name} up={addressOf('packs')} bare>
      {drawn ? (
        <Reveal drawn={drawn} />
      ) : (
        <Loading of={loaded} skeleton={<Bones kind="card" count={1} />}>
          {({ pack }) => (
            <article class="detail">
              <Picture src={pack?.imageUrl ?? null} class="detail-pack" />
              <div class="detail-text">
                <h1>{name}</h1>
                {open.error !== null && <Notice error={open.error} />}
                <Button busy={open.isBusy} onClick={() => open.run(id)}>
                  {text.packs.openOf(name)}
                </Button>
              </div>
            </article>
          )}
        </Loading>
      )}
    </Screen>
  )
}
