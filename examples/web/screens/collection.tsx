/** The cards that the fan has. */
import { readCollection } from '../api.ts'
import { text } from '../lang/lang.ts'
import { Bones, Loading, useLoaded } from '../load.tsx'
import { CardTile } from '../parts/card-tile.tsx'
import { Empty, Screen } from '../parts/layout.tsx'
import { MoreButton, useMore } from '../parts/more.tsx'
import { addressOf, Link } from '../router.tsx'

export function Collection() {
  const loaded = useLoaded('collection', () => readCollection())
  const more = useMore(loaded, readCollection, (page, next) => ({
    ...next,
    items: [...page.items, ...next.items],
  }))
  const count = loaded.data?.items.length ?? 0
  return (
    <Screen title={text.collection.title} lead={count > 0 && text.collection.lead(count)}>
      <Loading of={loaded} skeleton={<Bones kind="card" count={6} />}>
        {({ items, nextCursor }) =>
          items.length === 0 ? (
            <Empty
              action={
                <Link to={addressOf('packs')} class="button main">
                  {text.collection.toPacks}
                </Link>
              }
            >
              {text.collection.empty}
            </Empty>
          ) : (
            <>
              <ul class="cards">
                {items.map(item => (
                  <li key={item.id}>
                    <CardTile
                      card={item}
                      note={
                        item.count > 1
                          ? text.collection.copies(item.count)
                          : text.packs.serial(item.serialNumbers[0] ?? 1)
                      }
                    />
                  </li>
                ))}
              </ul>
              <MoreButton more={more} cursor={nextCursor} />
            </>
          )
        }
      </Loading>
    </Screen>
  )
}
