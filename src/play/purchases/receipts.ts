/**
 * Receipts of paid purchases, and credit notes of their refunds. Each series has the numbers 1, 2, 3 … without a gap: numbers are taken
 * at the end of the unit of work, on PostgreSQL together with COMMIT, so that payments wait for each other only then, and a
 * rollback returns them.
 */
import { and, asc, eq, gte, inArray, lt, sql } from 'drizzle-orm'
import type { Deferred, Reader, Tables, Transaction } from '../../../db/index.ts'
import { rowFrom } from '../../../db/insert-select.ts'
import { eachRow } from '../../../db/keyset.ts'
import { prepared, preparedLast } from '../../../db/prepared.ts'
import type { Text } from '../../club/catalogue/texts.ts'
import type { Settings } from '../../platform/config/settings.ts'
import { settingsOf } from '../../platform/settings/settings.ts'
import { POINTS, type Purchase } from './purchase.ts'
import { taxIn } from './tax-rate.ts'

export type ReceiptRow = Tables['receipts']['$inferSelect']

/** As it is stored, in minor units of the currency. */
export interface ReceiptLine {
  /** 1, 2, 3 … in the purchase. */
  number: number
  name: Text
  /** Null: there is only one. */
  variant: Text | null
  quantity: number
  /** Null: no tax is stated. */
  taxMillionths: number | null
  net: number
  tax: number
  gross: number
}

export interface Seller {
  name: string | null
  address: string | null
  taxId: string | null
}

/** A row that has no number yet. */
export type ReceiptDraft = Omit<ReceiptRow, 'number' | 'seller'>

type Amounts = Pick<ReceiptLine, 'net' | 'tax' | 'gross'>

/** What was paid for a line. */
export type PaidLine = Omit<ReceiptLine, keyof Amounts> & Pick<ReceiptLine, 'gross'>

type Sold = Pick<Purchase, 'id' | 'priceCurrency'> & { taxCountry: string | null }

const withTax = (line: PaidLine): ReceiptLine => {
  const tax = taxIn(line.gross, line.taxMillionths)
  return { ...line, net: line.gross - tax, tax }
}

/** Of a purchase that was just paid. Tax is rounded by line; totals are sums of the lines. */
export function draftReceipt(
  purchase: Sold,
  { purchaseKind, lines, createdAt }: { purchaseKind: string; lines: PaidLine[]; createdAt: Date },
): ReceiptDraft {
  const { id, priceCurrency: currency, taxCountry: country } = purchase
  const isPoints = currency === POINTS
  return draft(
    {
      series: isPoints ? 'points' : 'money',
      kind: 'receipt',
      purchaseKind,
      purchaseId: id,
      ref: id,
      currency,
      country: isPoints ? null : country,
      createdAt,
    },
    lines.map(line => withTax({ ...line, taxMillionths: isPoints ? null : line.taxMillionths })),
  )
}

function draft(of: Omit<ReceiptDraft, keyof Amounts | 'lines'>, lines: ReceiptLine[]): ReceiptDraft {
  const sum = (name: keyof Amounts) => lines.reduce((total, line) => total + line[name], 0)
  return { ...of, net: sum('net'), tax: sum('tax'), gross: sum('gross'), lines: JSON.stringify(lines) }
}

/** Guarantee of the cast: only `draft` writes them. */
export const linesOf = ({ lines }: Pick<ReceiptRow, 'lines'>) => JSON.parse(lines) as ReceiptLine[]

/** Guarantee of the cast: only `sellerOf` writes it. */
export const readSeller = ({ seller }: Pick<ReceiptRow, 'seller'>) => JSON.parse(seller) as Seller

const sellerOf = ({ sellerName: name, sellerAddress: address, sellerTaxId: taxId }: Settings): Seller => ({
  name,
  address,
  taxId,
})

/** What was refunded of a line: `before` and `after` are what was paid for the units that are refunded, until now and by now. */
export interface CreditedUnits {
  number: number
  units: number
  before: number
  after: number
}

/**
 * The credit note of a refund of a part. Its tax is the difference of two rounded taxes, so that all credit notes together add up to the
 * receipt. Requires that the purchase is locked.
 */
export async function creditPart(
  tx: Transaction,
  purchaseId: string,
  { ref, credited }: { ref: string; credited: CreditedUnits[] },
): Promise<void> {
  const [receipt] = await readDrafted(tx, purchaseId)
  if (!receipt) return
  const lines = linesOf(receipt).flatMap(line => {
    const part = credited.find(({ number }) => number === line.number)
    if (!part) return []
    const [gross, tax] = [part.after - part.before, taxBetween(part, line.taxMillionths)]
    return [{ ...line, quantity: part.units, net: gross - tax, tax, gross }]
  })
  addReceipts(tx, [creditNoteOf(tx, receipt, ref, lines)])
}

const taxBetween = ({ before, after }: CreditedUnits, millionths: number | null) =>
  taxIn(after, millionths) - taxIn(before, millionths)

/** The credit note of a refund of all that is left. Without a receipt, or with nothing left, there is none. */
export async function creditRest(tx: Transaction, purchaseId: string): Promise<void> {
  const [receipt, ...notes] = await readDrafted(tx, purchaseId)
  if (!receipt) return
  const credited = notes.flatMap(linesOf)
  const lines = linesOf(receipt).flatMap(line => {
    const own = credited.filter(({ number }) => number === line.number)
    const rest = (name: 'quantity' | keyof Amounts) =>
      own.reduce((left, part) => left - part[name], line[name])
    const quantity = rest('quantity')
    return quantity > 0
      ? [{ ...line, quantity, net: rest('net'), tax: rest('tax'), gross: rest('gross') }]
      : []
  })
  const note = creditNoteOf(tx, receipt, purchaseId, lines)
  if (note.gross > 0) addReceipts(tx, [note])
}

function creditNoteOf(tx: Transaction, receipt: ReceiptDraft, ref: string, lines: ReceiptLine[]) {
  const { series, purchaseKind, purchaseId, currency, country } = receipt
  const of = { series, purchaseKind, purchaseId, currency, country }
  return draft({ ...of, kind: 'credit_note', ref, createdAt: tx.now() }, lines)
}

/** The receipt, then the credit notes, with those of this unit of work. */
async function readDrafted(tx: Transaction, purchaseId: string): Promise<ReceiptDraft[]> {
  const drafts = tx.deferred(drafted).filter(one => one.purchaseId === purchaseId)
  return [...(await readReceipts(tx, purchaseId)), ...drafts]
}

/** The receipt of a purchase, then its credit notes. Empty: it is not paid, or was paid before there were receipts. */
export const readReceipts = prepared((reader: Reader, purchaseId: string) => {
  const { receipts } = reader.tables
  return reader
    .select()
    .from(receipts)
    .where(eq(receipts.purchaseId, purchaseId))
    .orderBy(asc(receipts.number))
})

/** Subquery: the purchases of the receipts and credit notes with this number, one of each series. */
export function purchasesNumbered(reader: Reader, number: number) {
  const { receipts } = reader.tables
  return reader
    .select({ id: receipts.purchaseId })
    .from(receipts)
    .where(and(inArray(receipts.series, ['money', 'points']), eq(receipts.number, number)))
}

/** All receipts and credit notes of a time: series after series, by number. */
export function eachReceipt(reader: Reader, startsAt: Date, endsAt: Date) {
  const { receipts } = reader.tables
  return eachRow({ series: receipts.series, number: receipts.number }, after =>
    reader
      .select()
      .from(receipts)
      .where(and(gte(receipts.createdAt, startsAt), lt(receipts.createdAt, endsAt), after)),
  )
}

/** They get their numbers in this order. */
export function addReceipts(tx: Transaction, drafts: ReceiptDraft[]): void {
  if (drafts.length > 0) tx.deferred(drafted).push(...drafts)
}

const drafted: Deferred<ReceiptDraft[]> = {
  // After all others: its row is the busiest.
  order: 7,
  start: () => [],
  async write(tx, drafts) {
    if (drafts.length === 0) return []
    const seller = JSON.stringify(sellerOf(await settingsOf(tx)))
    // One order for all writers prevents deadlocks.
    return ['money', 'points'].flatMap(series => {
      const own = drafts.filter(one => one.series === series)
      const [first] = own
      if (!first) return []
      return [
        takeNumbers(tx, { id: series, last: own.length, startedAt: first.createdAt }),
        ...own.map((one, index) => insertReceipt(tx, { ...one, seller }, own.length - 1 - index)),
      ]
    })
  },
}

const takeNumbers = preparedLast((tx, taken: Tables['receiptSeries']['$inferSelect']) => {
  const { receiptSeries: series } = tx.tables
  return tx
    .insert(series)
    .values(taken)
    .onConflictDoUpdate({ target: series.id, set: { last: sql`${series.last} + excluded.last` } })
})

/** `back`: numbers of this unit of work that follow it. */
const insertReceipt = preparedLast((tx, row: ReceiptDraft & { seller: string }, back: number) => {
  const { receipts, receiptSeries: series } = tx.tables
  const last = sql`select ${series.last} from ${series} where ${series.id} = ${row.series}`
  return tx
    .insert(receipts)
    .select(rowFrom(receipts, { last }, found => ({ ...row, number: sql`${found.last} - ${back}` })))
})
