/** The cards that the fan has. */
import { type Card, readCollection } from '../api.ts'
import { text } from '../lang/lang.ts'
import { Bones, Loading, useLoaded } from '../load.tsx'
import { CardTile } from '../parts/card-tile.tsx'
import { CardsNav } from '../parts/cards-nav.tsx'
import { Empty, Screen } from '../parts/layout.tsx'
import { MoreButton, useMore } from '../parts/more.tsx'
import { addressOf, Link } from '../router.tsx'

/** Maximum copies of a card that are listed with links to their history. */
const LISTED = 12

export function Collection() {
  const loaded = useLoaded('collection', () => readCollection())
  const more = useMore(loaded, readCollection, (page, next) => ({
    ...next,
    items: [...page.items, ...next.items],
  }))
  const count = loaded.data?.items.length ?? 0
  return (
    <Screen title={text.collection.title} lead={count > 0 && text.collection.lead(count)}>
      <CardsNav current="collection" />
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
                    <Owned card={item} />
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

/** Links to the history of each copy. */
const Owned = ({ card }: { card: Card }) => (
  <div class="owned">
    <Link to={addressOf('cards', card.id, String(card.serialNumbers[0] ?? 1))} class="item-link">
      <CardTile
        card={card}
        note={
          card.count > 1 ? text.collection.copies(card.count) : text.packs.serial(card.serialNumbers[0] ?? 1)
        }
      />
    </Link>
    {card.count > 1 && (
      <p class="copies">
        {card.serialNumbers.slice(0, LISTED).map(serialNumber => (
          <Link key={serialNumber} to={addressOf('cards', card.id, String(serialNumber))} class="pill">
            {text.packs.serial(serialNumber)}
          </Link>
        ))}
      </p>
    )}
  </div>
)
