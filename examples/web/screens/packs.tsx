/** The packs on sale, and those of the fan that are not opened yet. */
import { type Pack, readDashboard, readOwnPacks, readPacks } from '../api.ts'
import { formatMoney, text } from '../lang/lang.ts'
import { Bones, Loading, useLoaded } from '../load.tsx'
import { Empty, Screen, Section } from '../parts/layout.tsx'
import { Picture } from '../parts/picture.tsx'
import { addressOf, Link } from '../router.tsx'

async function loadPacks() {
  const [{ packs }, own, { points }] = await Promise.all([readPacks(), readOwnPacks(), readDashboard()])
  return { packs, points, sealed: own.packs.filter(({ state }) => state === 'sealed') }
}

export const priceOf = ({ price: { amount, currency } }: Pick<Pack, 'price'>) =>
  currency === 'POINTS' ? text.packs.price(amount) : formatMoney(amount, currency)

export function Packs() {
  const list = useLoaded('packs', loadPacks)
  return (
    <Screen title={text.packs.title} lead={text.packs.lead}>
      <Loading of={list} skeleton={<Bones kind="card" count={3} />}>
        {({ packs, sealed }) => (
          <>
            {sealed.length > 0 && (
              <Section title={text.packs.sealed}>
                <ul class="list">
                  {sealed.map(({ id, packId }) => {
                    const pack = packs.find(({ id }) => id === packId)
                    return (
                      <li key={id} class="row">
                        <Picture src={pack?.imageUrl ?? null} class="thumb" />
                        <strong class="grow line">{pack?.name ?? packId}</strong>
                        <Link
                          to={addressOf('packs', 'own', id)}
                          class="button small"
                          aria-label={text.packs.openOf(pack?.name ?? packId)}
                        >
                          {text.packs.open}
                        </Link>
                      </li>
                    )
                  })}
                </ul>
              </Section>
            )}
            {packs.length === 0 ? (
              <Empty>{text.packs.empty}</Empty>
            ) : (
              <ul class="pack-grid">
                {packs.map(pack => (
                  <li key={pack.id}>
                    <PackTile pack={pack} />
                  </li>
                ))}
              </ul>
            )}
          </>
        )}
      </Loading>
    </Screen>
  )
}

const PackTile = ({ pack }: { pack: Pack }) => (
  <Link to={addressOf('packs', pack.id)} class="tile pack-tile">
    <Picture src={pack.imageUrl} class="pack-picture" />
    <span class="tile-text">
      <strong>{pack.name}</strong>
      <span class="quiet clamp">{pack.description}</span>
      <span class="tile-foot">
        <span class="pill strong">{priceOf(pack)}</span>
        <small class="quiet">{text.packs.cards(pack.itemsPerPack)}</small>
      </span>
      {pack.supply && (
        <small class="quiet">
          {pack.supply.remaining === 0
            ? text.packs.soldOut
            : text.packs.left(pack.supply.remaining, pack.supply.total)}
        </small>
      )}
    </span>
  </Link>
)
