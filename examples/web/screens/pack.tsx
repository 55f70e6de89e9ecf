/** One pack: the odds, the possible cards, buying with points or money, and the drawn cards. */
import { useState } from 'preact/hooks'
import { hasCode, readDashboard, readPack, readPurchases, startPurchase } from '../api.ts'
import { buyPack } from '../draw.ts'
import { formatInteger, formatMoment, formatPercent, text } from '../lang/lang.ts'
import { Bones, isAhead, Loading, useLoaded, useReloadAt, useWrite } from '../load.tsx'
import { Button } from '../parts/button.tsx'
import { CardTile } from '../parts/card-tile.tsx'
import { Confirm } from '../parts/confirm.tsx'
import { NotFound, Screen, Section } from '../parts/layout.tsx'
import { Notice } from '../parts/notice.tsx'
import { Picture } from '../parts/picture.tsx'
import { PresentedBy } from '../parts/presented-by.tsx'
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
  const [asking, setAsking] = useState(false)
  const buy = useWrite(async (packId: string, key) => {
    try {
      const { userPackId } = await buyPack(packId, key)
      navigate(addressOf('packs', 'own', userPackId))
    } finally {
      setAsking(false)
    }
  })
  const checkOut = useWrite(async (packId: string, key) => {
    const purchase = await startPurchase(packId, key)
    navigate(addressOf('packs', 'purchases', purchase.id))
  })
  useReloadAt([pack.startsAt, pack.endsAt], reload)
  const { id, name, description, imageUrl, price, supply, itemsPerPack, odds, items, active, startsAt } = pack
  const inPoints = price.currency === 'POINTS'
  const inMoney = !inPoints && price.amount > 0
  const start = inMoney ? checkOut : buy
  const missing = inPoints ? price.amount - points : 0
  return (
    <>
      <article class="detail">
        <Picture src={imageUrl} class="detail-pack" />
        <div class="detail-text">
          <p class="kicker">{text.packs.cards(itemsPerPack)}</p>
          <h1>{name}</h1>
          <p>{description}</p>
          <PresentedBy sponsor={pack.sponsor} />
          {supply && <p class="quiet">{text.packs.left(supply.remaining, supply.total)}</p>}
          {start.error !== null && <Notice error={start.error} onRetry={() => start.run(id)} />}
          {inMoney && pending ? (
            <Link to={addressOf('packs', 'purchases', pending.id)} class="button main">
              {text.checkout.goOn}
            </Link>
          ) : !active ? (
            <p class="panel quiet">
              {isAhead(startsAt) ? text.packs.from(formatMoment(startsAt)) : text.problems.pack_inactive}
            </p>
          ) : supply?.remaining === 0 ? (
            <p class="panel quiet">{text.packs.soldOut}</p>
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
              onClick={() => (inMoney ? checkOut.run(id) : setAsking(true))}
            >
              {text.packs.buy(priceOf(pack))}
            </Button>
          )}
          {asking && (
            <Confirm
              title={text.confirm.buy(name)}
              action={text.packs.buy(priceOf(pack))}
              busy={buy.isBusy}
              onConfirm={() => buy.run(id)}
              onCancel={() => setAsking(false)}
            >
              {inPoints && (
                <dl class="costs">
                  <Cost name={text.confirm.have} points={points} />
                  <Cost name={text.confirm.costs} points={price.amount} />
                  <Cost name={text.confirm.left} points={points - price.amount} />
                </dl>
              )}
              <p class="quiet">{text.confirm.buyLead}</p>
            </Confirm>
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

const Cost = ({ name, points }: { name: string; points: number }) => (
  <div>
    <dt>{name}</dt>
    <dd>{formatInteger(points)}</dd>
  </div>
)
