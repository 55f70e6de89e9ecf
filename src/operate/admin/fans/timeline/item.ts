/** An item of the timeline: a sentence, and facts that can be opened below it. */
import { Closed, Instant, Nullable, OneOf } from '../../../../core/schemas.ts'
import { Type } from '../../../../core/typebox.ts'
import { TIMELINE_KINDS } from './kinds.ts'

const TONES = ['neutral', 'good', 'warn', 'bad'] as const

const Fact = Closed(
  {
    name: Type.String({ description: 'Such as `Reference`.' }),
    value: Type.String({ description: 'May be text of a fan or of the catalogue.' }),
    format: OneOf(['text', 'id', 'time'], { description: '`time`: an instant. `id`: to be copied.' }),
  },
  { title: 'TimelineFact' },
)
export type Fact = typeof Fact.static

export const TimelineItem = Closed(
  {
    id: Type.String({ description: 'Unique in the timeline.' }),
    at: Instant('When it was recorded.'),
    kind: OneOf(TIMELINE_KINDS, { description: 'What the timeline can be filtered by.' }),
    title: Type.String({ description: 'What happened, in a sentence.' }),
    detail: Nullable(Type.String(), { description: 'More of it, such as what the rules decided.' }),
    tone: OneOf(TONES, { description: '`warn`, `bad`: it asks for attention.' }),
    state: Nullable(Type.String(), { description: 'In a word, such as `voided`.' }),
    points: Nullable(Type.Integer(), { description: 'Change of the balance, for an entry of the ledger.' }),
    money: Nullable(Closed({ amount: Type.Integer(), currency: Type.String() }), {
      description: 'Minor units, or `POINTS`. Amounts of money are null without `orders.read`.',
    }),
    facts: Type.Array(Fact, { description: 'Details.' }),
    event: Nullable(Closed({ source: Type.String(), eventId: Type.String() }), {
      description: 'Of an event: for `explainFanEvent`.',
    }),
    purchaseId: Nullable(Type.String(), {
      description: 'Of an order or the purchase of a pack that was paid: for `listConsoleReceipts`.',
    }),
    isBare: Type.Boolean({ description: 'An event whose details are no longer stored.' }),
    otherFanId: Nullable(Type.String(), { description: 'The other fan of a trade.' }),
  },
  { title: 'TimelineItem' },
)
export type TimelineItem = typeof TimelineItem.static

/** The parts of an item that depend on the row; the rest depends on its list. */
export type Shown = Pick<TimelineItem, 'title'> &
  Partial<Omit<TimelineItem, 'id' | 'at' | 'title' | 'facts'>> & { facts?: (Fact | null)[] }

export const fact = (name: string, value: unknown): Fact | null =>
  value === null || value === undefined || value === ''
    ? null
    : { name, value: String(value), format: 'text' }
export const idFact = (name: string, value: string | null): Fact | null =>
  value === null ? null : { name, value, format: 'id' }
export const timeFact = (name: string, value: Date | null | undefined): Fact | null =>
  value ? { name, value: value.toISOString(), format: 'time' } : null

export const plural = (count: number, one: string, many = `${one}s`) => `${count} ${count === 1 ? one : many}`

export const isCount = (value: unknown): value is number => typeof value === 'number'
