/** One pack: the odds, what can be inside, buying with points or money, and the cards that came out. */
import { useEffect, useRef, useState } from 'preact/hooks'
import { hasCode, readDashboard, readPack, readPurchases, startPurchase } from '../api.ts'
import { buyPack, type Drawn } from '../draw.ts'
import { formatPercent, text } from '../lang/lang.ts'
import { Bones, Loading, useLoaded, useWrite } from '../load.tsx'
import { Button } from '../parts/button.tsx'
import { CardTile } from '../parts/card-tile.tsx'
import { NotFound, Screen, Section } from '../parts/layout.tsx'
import { Notice } from '../parts/notice.tsx'
import { Picture } from '../parts/picture.tsx'
import { Reveal } from '../parts/reveal.tsx'
import { addressOf, Link, navigate } from '../router.tsx'
import { priceOf } from './packs.tsx'

async function loadPack(packId: string) {
  const [pack, { points }, { purchases }] = await Promise.all([
    readPack(packId),
    readDashboard(),
    readPurchases(),
  ])
  const pending = purchases.find(({ status, packId }) => status === 'pending' && packId === pack.id)
  return { pack, points, pending }
}
type PackData = Awaited<ReturnType<typeof loadPack>>

export function Pack({ id }: { id: string }) {
  const loaded = useLoaded(`pack ${id}`, () => loadPack(id))
  if (hasCode(loaded.error, 'pack_not_found')) return <NotFound />
  return (
    <Screen title={loaded.data?.pack.name ?? text.packs.title} up={addressOf('packs')} bare>
      <Loading of={loaded} skeleton={<Bones kind="card" count={1} />}>
        {data => <Detail {...data} reload={loaded.reload} />}
      </Loading>
    </Screen>
  )
}

function Detail({ pack, points, pending, reload }: PackData & { reload: () => Promise<void> }) {
  const [drawn, setDrawn] = useState<Drawn | null>(null)
  const buy = useWrite(async (packId: string, key) => {
    setDrawn(await buyPack(packId, key))
    await reload()
  })
  const checkOut = useWrite(async (packId: string, key) => {
    const purchase = await startPurchase(packId, key)
    navigate(addressOf('packs', 'purchases', purchase.id))
  })
  const top = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (drawn) top.current?.scrollIntoView({ block: 'start' })
  }, [drawn])
  const { id, name, description, imageUrl, price, supply, itemsPerPack, odds, items } = pack
  const inPoints = price.currency === 'POINTS'
  const inMoney = !inPoints && price.amount > 0
  const start = inMoney ? checkOut : buy
  const missing = inPoints ? price.amount - points : 0
  return (
    <>
      <div ref={top} class="scroll-target">
        {drawn && <Reveal drawn={drawn} key={drawn.userPackId} />}
      </div>
      <article class="detail">
        <Picture src={imageUrl} class="detail-pack" />
        <div class="detail-text">
          <p class="kicker">{text.packs.cards(itemsPerPack)}</p>
          <h1>{name}</h1>
          <p>{description}</p>
          {supply && <p class="quiet">{text.packs.left(supply.remaining, supply.total)}</p>}
          {start.error !== null && <Notice error={start.error} onRetry={() => start.run(id)} />}
          {inMoney && pending ? (
            <Link to={addressOf('packs', 'purchases', pending.id)} class="button main">
              {text.checkout.goOn}
            </Link>
          ) : missing > 0 ? (
            <p class="panel">
              <strong>{priceOf(pack)}</strong> · {text.packs.missing(missing)}
            </p>
          ) : (
            <Button
              busy={start.isBusy}
              label={
                inMoney ? text.checkout.buyOf(name, priceOf(pack)) : text.packs.buyOf(name, priceOf(pack))
              }
              onClick={() => start.run(id)}
            >
              {text.packs.buy(priceOf(pack))}
            </Button>
          )}
          <h2>{text.packs.odds}</h2>
          <ul class="odds">
            {odds.map(({ rarity, probability }) => (
              <li key={rarity} class={`rarity-${rarity}`}>
                <span class="gem" aria-hidden="true" />
                <span class="grow">{text.packs.rarities[rarity] ?? rarity}</span>
                <strong>{formatPercent(probability)}</strong>
              </li>
            ))}
          </ul>
        </div>
      </article>
      <Section title={text.packs.inside}>
        <ul class="cards">
          {items.map(item => (
            <li key={item.id}>
              <CardTile card={item} />
            </li>
          ))}
        </ul>
      </Section>
    </>
  )
}
