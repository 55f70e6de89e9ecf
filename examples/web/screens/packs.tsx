/** The packs on sale, and the sealed packs of the fan. */
import type { ComponentChildren } from 'preact'
import { type Pack, readOwnPacks, readPacks, readPurchases } from '../api.ts'
import { formatMoment, formatMoney, text } from '../lang/lang.ts'
import { Bones, Loading, useLoaded, useReloadAt } from '../load.tsx'
import { Empty, Screen, Section } from '../parts/layout.tsx'
import { Picture } from '../parts/picture.tsx'
import { PresentedBy } from '../parts/presented-by.tsx'
import { addressOf, Link } from '../router.tsx'

/** Maximum number of opened packs that are shown. */
const OPENED = 10

async function loadPacks() {
  const [{ packs }, own, { purchases }] = await Promise.all([readPacks(), readOwnPacks(), readPurchases()])
  return {
    packs,
    sealed: own.packs.filter(({ state }) => state === 'sealed'),
    opened: own.packs.filter(({ state }) => state === 'opened').slice(0, OPENED),
    // Packs for points are paid when they are bought.
    unpaid: purchases.filter(({ status, price }) => status === 'pending' && price.currency !== 'POINTS'),
  }
}

export const priceOf = ({ price: { amount, currency } }: Pick<Pack, 'price'>) =>
  currency === 'POINTS' ? text.packs.price(amount) : formatMoney(amount, currency)

export function Packs() {
  const list = useLoaded('packs', loadPacks)
  useReloadAt(list.data?.packs.map(({ endsAt }) => endsAt) ?? [], list.reload)
  return (
    <Screen title={text.packs.title} lead={text.packs.lead}>
      <Loading of={list} skeleton={<Bones kind="card" count={3} />}>
        {({ packs, sealed, opened, unpaid }) => (
          <>
            {unpaid.length > 0 && (
              <Section title={text.checkout.unpaid}>
                <ul class="list">
                  {unpaid.map(({ id, packId, price }) => (
                    <PackRow key={id} pack={packs.find(({ id }) => id === packId)} note={priceOf({ price })}>
                      {name => (
                        <Link
                          to={addressOf('packs', 'purchases', id)}
                          class="button small"
                          aria-label={text.checkout.goOnOf(name)}
                        >
                          {text.checkout.payShort}
                        </Link>
                      )}
                    </PackRow>
                  ))}
                </ul>
              </Section>
            )}
            {sealed.length > 0 && (
              <Section title={text.packs.sealed}>
                <ul class="list">
                  {sealed.map(({ id, packId }) => (
                    <PackRow key={id} pack={packs.find(({ id }) => id === packId)}>
                      {name => (
                        <Link
                          to={addressOf('packs', 'own', id)}
                          class="button small"
                          aria-label={text.packs.openOf(name)}
                        >
                          {text.packs.open}
                        </Link>
                      )}
                    </PackRow>
                  ))}
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
            {opened.length > 0 && (
              <Section title={text.packs.openedBefore}>
                <ul class="list">
                  {opened.map(({ id, packId, openedAt, createdAt }) => {
                    const date = formatMoment(openedAt ?? createdAt)
                    return (
                      <PackRow key={id} pack={packs.find(({ id }) => id === packId)} note={date}>
                        {name => (
                          <Link
                            to={addressOf('packs', 'own', id)}
                            class="button small"
                            aria-label={text.packs.seeOf(name, date)}
                          >
                            {text.packs.see}
                          </Link>
                        )}
                      </PackRow>
                    )
                  })}
                </ul>
              </Section>
            )}
          </>
        )}
      </Loading>
    </Screen>
  )
}

interface PackRowProps {
  /** Undefined: it is no longer on sale. */
  pack: Pack | undefined
  note?: string
  children: (name: string) => ComponentChildren
}

function PackRow({ pack, note, children }: PackRowProps) {
  const name = pack?.name ?? text.packs.gone
  return (
    <li class="row">
      <Picture src={pack?.imageUrl ?? null} class="thumb" />
      <span class="grow">
        <strong class="line">{name}</strong>
        {note && <small class="quiet">{note}</small>}
      </span>
      {children(name)}
    </li>
  )
}

export const PackTile = ({ pack }: { pack: Pack }) => (
  <Link to={addressOf('packs', pack.id)} class="tile pack-tile">
    <Picture src={pack.imageUrl} class="pack-picture" />
    <span class="tile-text">
      <strong>{pack.name}</strong>
      <span class="quiet clamp">{pack.description}</span>
      <span class="tile-foot">
        <span class="pill strong">{priceOf(pack)}</span>
        <small class="quiet">{text.packs.cards(pack.itemsPerPack)}</small>
      </span>
      <PresentedBy sponsor={pack.sponsor} plain />
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
