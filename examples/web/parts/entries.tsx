import type { PointsEntry } from '../api.ts'
import { formatMoment, formatSigned, text } from '../lang/lang.ts'

interface EntryListProps {
  entries: PointsEntry[]
  /** The cause of an entry, such as the name of a quest, if it is known. */
  nameOf?: (entry: PointsEntry) => string | undefined
  /** With the balance after each. */
  balances?: boolean
}

/** Entries of the ledger in words. */
export const EntryList = ({ entries, nameOf, balances = false }: EntryListProps) => (
  <ul class="list">
    {entries.map(entry => {
      const { id, delta, reason, createdAt, balanceAfter } = entry
      const words = text.points.reasons[reason] ?? reason.replaceAll('_', ' ')
      const name = nameOf?.(entry)
      return (
        <li key={id} class="row">
          <span class={delta < 0 ? 'sign minus' : 'sign plus'} aria-hidden="true">
            {delta < 0 ? '−' : '+'}
          </span>
          <span class="grow">
            <span class="line">{name ? text.points.of(words, name) : words}</span>
            <small class="quiet">{formatMoment(createdAt)}</small>
          </span>
          <span class="end">
            <strong class={delta < 0 ? 'amount' : 'amount gain'}>{formatSigned(delta)}</strong>
            {balances && <small class="quiet">{text.points.after(balanceAfter)}</small>}
          </span>
        </li>
      )
    })}
  </ul>
)
