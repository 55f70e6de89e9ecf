/** An order: the time of its hold, the payment, and the state of each line. */
import { useEffect, useState } from 'preact/hooks'
import {
  cancelOrder,
  completeOrder,
  followEvents,
  hasCode,
  holdCash,
  issueDownload,
  type Order as OrderData,
  type OrderLine,
  orNull,
  type Product,
  payInSandbox,
  prepareOrder,
  readOrder,
  readProduct,
  readReceiptFile,
  readWallets,
  withdrawOrder,
} from '../api.ts'
import { countryName, formatMoney, text } from '../lang/lang.ts'
import { Bones, Loading, useLoaded, useWrite } from '../load.tsx'
import { Button } from '../parts/button.tsx'
import { Confirm } from '../parts/confirm.tsx'
import { Countdown } from '../parts/countdown.tsx'
import { Icon } from '../parts/icon.tsx'
import { NotFound, Screen, Section } from '../parts/layout.tsx'
import { Notice } from '../parts/notice.tsx'
import { Passes } from '../parts/passes.tsx'
import { Picture } from '../parts/picture.tsx'
import { beginKeeping, findKept, groupOfOrder } from '../passes.ts'
import { addressOf, Link } from '../router.tsx'
import { passesOf } from './codes.tsx'
import { priceOf } from './packs.tsx'

const POINTS = 'POINTS'

async function loadOrder(id: string) {
  const keep = beginKeeping()
  const order = await readOrder(id)
  const isToPay = order.status === 'pending' && order.total.currency !== POINTS
  const ids = [...new Set(order.lines.map(({ productId }) => productId))]
  const [wallets, prepared, ...products] = await Promise.all([
    isToPay ? readWallets() : null,
    isToPay ? orNull(prepareOrder(id), 'payment_not_confirmed', 'order_expired', 'order_not_pending') : null,
    ...ids.map(productId => orNull(readProduct(productId), 'product_not_found')),
  ])
  const nameOf = (productId: string) => products.find(product => product?.id === productId)?.name
  keep(groupOfOrder(id), passesOf(order, nameOf))
  const cash = wallets?.cash.find(({ currency }) => currency === order.total.currency) ?? null
  return { order, products, gateway: prepared?.payment?.gateway ?? null, cash }
}
type OrderScreen = Awaited<ReturnType<typeof loadOrder>>

export function Order({ id }: { id: string }) {
  const loaded = useLoaded(`order ${id}`, () => loadOrder(id))
  const { reload } = loaded
  // The club ships lines, and the gateway can confirm a payment without this page.
  useEffect(() => followEvents(() => void reload()), [reload])
  if (hasCode(loaded.error, 'order_not_found')) return <NotFound />
  const kept = findKept(groupOfOrder(id))
  return (
    <Screen title={text.shop.orderTitle} up={addressOf('orders')}>
      {loaded.data === null && kept && <Passes kept={kept} />}
      <Loading of={loaded} skeleton={!kept && <Bones />}>
        {data => <Detail data={data} reload={reload} />}
      </Loading>
    </Screen>
  )
}

function Detail({ data, reload }: { data: OrderScreen; reload: () => Promise<void> }) {
  const { order, products } = data
  return (
    <>
      <p
        class={order.status === 'paid' || order.status === 'fulfilled' ? 'outcome ready' : 'outcome'}
        role="status"
      >
        <Icon name={order.status === 'paid' || order.status === 'fulfilled' ? 'check' : 'alert'} />
        <span>{text.shop.outcomes[order.status]}</span>
      </p>
      <ul class="list">
        {order.lines.map(line => (
          <Line
            key={line.number}
            line={line}
            product={products.find(product => product?.id === line.productId) ?? null}
            order={order}
          />
        ))}
        <li class="row total">
          <strong class="grow">{text.shop.total}</strong>
          <strong>{priceOf({ price: order.total })}</strong>
        </li>
      </ul>
      {(order.status === 'paid' || order.status === 'fulfilled') && (
        <Withdrawal order={order} reload={reload} />
      )}
      {order.paidAt !== null && <Receipt orderId={order.id} />}
      {order.status === 'pending' && <Payment data={data} reload={reload} />}
      {order.address && <ShippedTo address={order.address} />}
    </>
  )
}

/** Saves it as a file: the page to print needs the token, which a link would not send. */
function Receipt({ orderId }: { orderId: string }) {
  const save = useWrite(async (_: null) => {
    const { name, file } = await readReceiptFile(orderId)
    const link = document.createElement('a')
    link.href = URL.createObjectURL(file)
    link.download = name
    link.click()
    URL.revokeObjectURL(link.href)
  })
  return (
    <div class="form-foot">
      <Button kind="plain" busy={save.isBusy} onClick={() => save.run(null)}>
        {text.shop.receipt}
      </Button>
      {hasCode(save.error, 'receipt_not_found') ? (
        <span role="status">{text.shop.noReceipt}</span>
      ) : (
        save.error !== null && <Notice error={save.error} />
      )}
    </div>
  )
}

interface LineProps {
  line: OrderLine
  /** Null: it is no longer on sale. */
  product: Product | null
  order: OrderData
}

function Line({ line, product, order }: LineProps) {
  const variant = product?.variants.find(({ id }) => id === line.variantId)
  const isOne = product?.variants.length === 1
  return (
    <li class="row">
      <Picture src={product?.images[0] ?? null} class="thumb" />
      <span class="grow">
        <strong class="line">{product?.name ?? line.productId}</strong>
        <small class="quiet">
          {!isOne && `${variant?.name ?? line.variantId} · `}
          {text.shop.times(line.quantity, priceOf(line))}
        </small>
        <Delivered line={line} order={order} />
        {line.carrier && (
          <small class="quiet line">
            {line.carrier}
            {line.tracking && ` · ${line.tracking}`}
          </small>
        )}
      </span>
      {order.paidAt !== null && <span class="pill">{text.shop.lineStates[line.state]}</span>}
    </li>
  )
}

/** Deliveries without shipping: codes of vouchers, links to packs, and files. */
function Delivered({ line, order }: { line: OrderLine; order: OrderData }) {
  const { vouchers, packPurchaseIds, delivers } = line
  const download = useWrite(async (_: null) => {
    const { url } = await issueDownload(order.id, line.number)
    location.assign(url)
  })
  const hasFile = delivers?.download && (order.status === 'paid' || order.status === 'fulfilled')
  return (
    <>
      {vouchers.map(({ code, state }) => (
        <span key={code} class="line">
          <code dir="ltr">{code}</code>
          {state !== 'valid' && ` · ${text.shop.voucherStates[state]}`}
        </span>
      ))}
      {vouchers.some(({ state }) => state === 'valid') && (
        <small class="quiet line">{text.shop.voucherHint}</small>
      )}
      {packPurchaseIds.length > 0 && (
        <small class="line">
          <Link to={addressOf('packs')}>{text.collection.toPacks}</Link>
        </small>
      )}
      {hasFile && (
        <Button kind="small" busy={download.isBusy} onClick={() => download.run(null)}>
          {text.shop.download}
        </Button>
      )}
      {download.error !== null && <Notice error={download.error} />}
    </>
  )
}

/** Until all lines are withdrawn; the server knows which still can be. The buttons say what Directive 2011/83/EU, Article 11a, asks for. */
function Withdrawal({ order, reload }: { order: OrderData; reload: () => Promise<void> }) {
  const [asks, setAsks] = useState(false)
  const withdraw = useWrite(async (_: null, key) => {
    await withdrawOrder(order.id, key).finally(() => setAsks(false))
    await reload()
  })
  const open = order.lines.filter(({ withdrawnAt }) => withdrawnAt === null)
  const { amount, currency } = order.refunded
  return (
    <>
      {open.length < order.lines.length && (
        <p class="quiet" role="status">
          {text.withdrawal.done(priceOf({ price: { amount, currency } }))}
        </p>
      )}
      {withdraw.error !== null && <Notice error={withdraw.error} />}
      {open.length > 0 && (
        <Button kind="plain" onClick={() => setAsks(true)}>
          {text.withdrawal.start}
        </Button>
      )}
      {asks && (
        <Confirm
          title={text.withdrawal.start}
          action={text.withdrawal.confirm}
          busy={withdraw.isBusy}
          onConfirm={() => withdraw.run(null)}
          onCancel={() => setAsks(false)}
        >
          <p>{text.withdrawal.lead}</p>
        </Confirm>
      )}
    </>
  )
}

function Payment({ data, reload }: { data: OrderScreen; reload: () => Promise<void> }) {
  const { order, gateway, cash } = data
  const { id: orderId } = order
  const inPoints = order.total.currency === POINTS
  const settle = async (write: Promise<unknown>) => {
    await orNull(write, 'order_expired', 'order_not_pending')
    await reload()
  }
  const pay = useWrite(async (kind: 'points' | 'cash' | 'paid' | 'unpaid', key) => {
    if (kind === 'points') return settle(completeOrder({ orderId }, key))
    if (kind === 'cash') {
      await orNull(holdCash(orderId, `${key}:hold`), 'order_expired', 'order_not_pending')
      return settle(completeOrder({ orderId }, `${key}:complete`))
    }
    const { paymentReference } = await payInSandbox(orderId, kind, `${key}:payment`)
    await settle(completeOrder({ orderId, paymentReference }, `${key}:complete`))
  })
  const cancel = useWrite(async (_: null, key) => settle(cancelOrder(orderId, key)))
  const suffices = cash !== null && cash.available >= order.total.amount
  const isBusy = pay.isBusy || cancel.isBusy
  const error = pay.error ?? cancel.error
  return (
    <div class="pay">
      <Countdown until={order.expiresAt} words={text.checkout.held} onEnd={reload} />
      {error !== null && (
        <Notice
          error={error}
          onRetry={hasCode(error, 'payment_not_confirmed') || isBusy ? undefined : reload}
        />
      )}
      {cash && (
        <p class="quiet">
          {text.wallet.balance(formatMoney(cash.available, cash.currency))}{' '}
          <Link to={addressOf('wallet')}>{text.wallet.topUp}</Link>
        </p>
      )}
      {suffices && (
        <Button busy={pay.busy === 'cash'} onClick={() => isBusy || pay.run('cash')}>
          {text.wallet.pay(priceOf({ price: order.total }))}
        </Button>
      )}
      {!inPoints && <p class="quiet">{text.checkout.gateways[gateway ?? 'none']}</p>}
      {(inPoints || gateway === 'sandbox') && (
        <Button
          kind={suffices ? 'plain' : 'main'}
          busy={pay.busy === 'points' || pay.busy === 'paid'}
          onClick={() => isBusy || pay.run(inPoints ? 'points' : 'paid')}
        >
          {pay.busy === 'paid' ? text.checkout.waiting : text.checkout.pay(priceOf({ price: order.total }))}
        </Button>
      )}
      {gateway === 'sandbox' && (
        <Button kind="plain" busy={pay.busy === 'unpaid'} onClick={() => isBusy || pay.run('unpaid')}>
          {text.checkout.decline}
        </Button>
      )}
      <Button kind="plain" busy={cancel.isBusy} onClick={() => isBusy || cancel.run(null)}>
        {text.shop.cancel}
      </Button>
    </div>
  )
}

const ShippedTo = ({ address }: { address: NonNullable<OrderData['address']> }) => (
  <Section title={text.shop.address}>
    <address class="panel">
      {[
        address.name,
        address.line1,
        address.line2,
        [address.postalCode, address.city].filter(Boolean).join(' '),
        address.region,
        countryName(address.country),
      ]
        .filter(Boolean)
        .map(line => (
          <span key={line} class="line">
            {line}
          </span>
        ))}
    </address>
  </Section>
)
