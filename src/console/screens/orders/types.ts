/** Orders as the pages read them: the schemas of `orders/schema.ts` lead to what runs on the server alone. */
import type { PurchaseKindName } from '../../../play/purchases/kind-names.ts'

interface Price {
  amount: number
  currency: string
}

export interface ListedOrder {
  id: string
  status: string
  fan: { id: string; displayName: string | null }
  total: Price
  units: number
  products: string[]
  states: string[]
  createdAt: string
  paidAt: string | null
}

export interface OrderLine {
  number: number
  productName: string
  variantName: string
  kind: string
  quantity: number
  price: Price
  state: 'none' | 'ready' | 'shipped' | 'delivered' | 'returned'
  carrier: string | null
  tracking: string | null
  vouchers: { code: string; state: string }[]
  packPurchaseIds: string[]
}

interface Address {
  name: string
  line1: string
  line2: string | null
  city: string
  region: string | null
  postalCode: string | null
  country: string
  phone: string | null
}

export interface OrderDetail {
  id: string
  status: string
  lines: OrderLine[]
  discount: Price
  total: Price
  address: Address | null
  addressHidden: boolean
  createdAt: string
  expiresAt: string
  paidAt: string | null
  refundedAt: string | null
  fan: { id: string; displayName: string | null }
  refund: {
    consequences: { item: string; consequence: string }[]
    paidBy: 'points' | 'cash' | 'gateway'
  } | null
}

export interface RefundDue {
  purchaseId: string
  kind: PurchaseKindName
  fan: { id: string; displayName: string | null }
  price: Price
  paymentReference: string | null
  createdAt: string
  since: string
}
