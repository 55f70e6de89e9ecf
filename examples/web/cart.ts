/** The cart, kept in this browser until it is ordered: each variant once. */

export interface CartLine {
  productId: string
  variantId: string
  quantity: number
}

const KEY = 'matchday cart'
/** Maximum lines of an order. */
const MAX_LINES = 20
export const MAX_QUANTITY = 50

const listeners = new Set<() => void>()

/** Ignores entries that another version or a person wrote. */
function isLine(value: unknown): value is CartLine {
  const { productId, variantId, quantity } = (value ?? {}) as Partial<Record<keyof CartLine, unknown>>
  return typeof productId === 'string' && typeof variantId === 'string' && Number.isInteger(quantity)
}

export function readCart(): CartLine[] {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(KEY) ?? '[]')
    return Array.isArray(stored) ? stored.filter(isLine).slice(0, MAX_LINES) : []
  } catch {
    return []
  }
}

function writeCart(lines: CartLine[]): void {
  localStorage.setItem(KEY, JSON.stringify(lines.slice(0, MAX_LINES)))
  for (const listener of listeners) listener()
}

const isSame = (a: CartLine, b: Omit<CartLine, 'quantity'>) =>
  a.productId === b.productId && a.variantId === b.variantId

/** Sets how many of a variant are in the cart. 0 takes it out. */
export function setQuantity(variant: Omit<CartLine, 'quantity'>, quantity: number): void {
  const lines = readCart()
  const line = { ...variant, quantity: Math.min(quantity, MAX_QUANTITY) }
  const changed = lines.some(one => isSame(one, variant))
    ? lines.map(one => (isSame(one, variant) ? line : one))
    : [...lines, line]
  writeCart(changed.filter(({ quantity }) => quantity > 0))
}

export const quantityOf = (variant: Omit<CartLine, 'quantity'>) =>
  readCart().find(line => isSame(line, variant))?.quantity ?? 0

export const removeFromCart = (ordered: CartLine[]) =>
  writeCart(readCart().filter(line => !ordered.some(one => isSame(line, one))))

/** Calls `listener` when the cart changes, in this tab or another. Returns a function that stops it. */
export function watchCart(listener: () => void): () => void {
  const onStorage = ({ key }: StorageEvent) => {
    if (key === null || key === KEY) listener()
  }
  listeners.add(listener)
  addEventListener('storage', onStorage)
  return () => {
    listeners.delete(listener)
    removeEventListener('storage', onStorage)
  }
}

export const emptyCart = () => writeCart([])
