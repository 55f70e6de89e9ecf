/** A purchase for money: the time of the hold, the payment with all its outcomes, and the result. */
import { useEffect } from 'preact/hooks'
import {
  cancelPurchase,
  completePurchase,
  followEvents,
  hasCode,
  orNull,
  type Purchase as PurchaseData,
  payInSandbox,
  preparePayment,
  readPack,
  readPurchase,
} from '../api.ts'
import { text } from '../lang/lang.ts'
import { Bones, Loading, useLoaded, useWrite } from '../load.tsx'
import { Button } from '../parts/button.tsx'
import { Countdown } from '../parts/countdown.tsx'
import { Icon } from '../parts/icon.tsx'
import { NotFound, Screen } from '../parts/layout.tsx'
import { Notice } from '../parts/notice.tsx'
import { Picture } from '../parts/picture.tsx'
import { addressOf, Link } from '../router.tsx'
import { priceOf } from './packs.tsx'

async function loadPurchase(id: string) {
  const purchase = await readPurchase(id)
  const [pack, gateway] = await Promise.all([
    orNull(readPack(purchase.packId), 'pack_not_found'),
    purchase.status === 'pending'
      ? orNull(preparePayment(id), 'payment_not_confirmed', 'purchase_expired', 'purchase_not_pending')
      : null,
  ])
  return { purchase, pack, gateway: gateway?.gateway ?? null }
}
type PurchaseScreen = Awaited<ReturnType<typeof loadPurchase>>

export function Purchase({ id }: { id: string }) {
  const loaded = useLoaded(`purchase ${id}`, () => loadPurchase(id))
  const { reload } = loaded
  // The gateway can confirm the payment without this page.
  useEffect(() => followEvents(() => void reload()), [reload])
  if (hasCode(loaded.error, 'purchase_not_found')) return <NotFound />
  const { pack, purchase } = loaded.data ?? {}
  const title = pack?.name ?? purchase?.packId ?? text.checkout.title
  return (
    <Screen title={title} up={addressOf('packs')} bare>
      <Loading of={loaded} skeleton={<Bones kind="card" count={1} />}>
        {data => (
          <article class="detail checkout">
            <Picture src={data.pack?.imageUrl ?? null} class="detail-pack" />
            <div class="detail-text">
              <p class="kicker">{text.checkout.title}</p>
              <h1>{title}</h1>
              <p class="price">{priceOf(data.purchase)}</p>
              {data.purchase.status === 'pending' ? (
                <Payment data={data} reload={reload} />
              ) : (
                <Outcome purchase={data.purchase} name={title} />
              )}
            </div>
          </article>
        )}
      </Loading>
    </Screen>
  )
}

function Payment({ data, reload }: { data: PurchaseScreen; reload: () => Promise<void> }) {
  const { purchase, gateway } = data
  const { id: purchaseId } = purchase
  const pay = useWrite(async (kind: 'paid' | 'unpaid', key) => {
    const { paymentReference } = await payInSandbox(purchaseId, kind, `${key}:payment`)
    await settled(completePurchase({ purchaseId, paymentReference }, `${key}:complete`), reload)
  })
  const cancel = useWrite(async (_: null, key) => settled(cancelPurchase(purchaseId, key), reload))
  const isBusy = pay.isBusy || cancel.isBusy
  const declined = hasCode(pay.error, 'payment_not_confirmed')
  const error = pay.error ?? cancel.error
  return (
    <>
      <Countdown until={purchase.expiresAt} words={text.checkout.held} onEnd={reload} />
      {error !== null && <Notice error={error} onRetry={declined || isBusy ? undefined : reload} />}
      <p class="quiet">{text.checkout.gateways[gateway ?? 'none']}</p>
      {gateway === 'sandbox' && (
        <>
          <Button busy={pay.busy === 'paid'} onClick={() => isBusy || pay.run('paid')}>
            {pay.busy === 'paid' ? text.checkout.waiting : text.checkout.pay(priceOf(purchase))}
          </Button>
          <Button kind="plain" busy={pay.busy === 'unpaid'} onClick={() => isBusy || pay.run('unpaid')}>
            {text.checkout.decline}
          </Button>
        </>
      )}
      <Button kind="plain" busy={cancel.isBusy} onClick={() => isBusy || cancel.run(null)}>
        {text.checkout.cancel}
      </Button>
    </>
  )
}

/** Shows the result of a write, also if it came too late. */
async function settled(write: Promise<unknown>, reload: () => Promise<void>): Promise<void> {
  await orNull(write, 'purchase_expired', 'purchase_not_pending')
  await reload()
}

function Outcome({ purchase: { status, packId, userPack }, name }: { purchase: PurchaseData; name: string }) {
  if (status === 'pending') return null
  return (
    <>
      <p class={status === 'completed' ? 'outcome ready' : 'outcome'} role="status">
        <Icon name={status === 'completed' ? 'check' : 'alert'} />
        <span>{text.checkout.outcomes[status]}</span>
      </p>
      {userPack?.state === 'sealed' ? (
        <Link to={addressOf('packs', 'own', userPack.id)} class="button main">
          {text.packs.openOf(name)}
        </Link>
      ) : userPack ? (
        <Link to={addressOf('collection')} class="button main">
          {text.packs.toCollection}
        </Link>
      ) : (
        <Link to={addressOf('packs', packId)} class="button main">
          {text.checkout.again}
        </Link>
      )}
    </>
  )
}
