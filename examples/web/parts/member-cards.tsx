import type { Kept } from '../kept.ts'
import { formatDay, text } from '../lang/lang.ts'
import type { MemberCard } from '../passes.ts'
import { AsOf } from './as-of.tsx'
import { Code } from './code.tsx'

/** By the clock of this device, which may have no network. */
const isOver = ({ endsAt, startsAt }: MemberCard) => Date.parse(endsAt) <= Date.now() || startsAt === endsAt

/** Cards that are valid or will be, with their age. Without any, the last one that was. */
export function MemberCards({ kept: { passes, asOf } }: { kept: Kept<MemberCard> }) {
  const valid = passes.filter(card => !isOver(card))
  return (
    <>
      <ul class="member-cards">
        {(valid.length > 0 ? valid : passes.slice(0, 1)).map(card => (
          <li key={card.ref}>
            <Card card={card} />
          </li>
        ))}
      </ul>
      <AsOf instant={asOf} />
    </>
  )
}

export function Card({ card }: { card: MemberCard }) {
  const { name, holder, number, startsAt, endsAt, since, tiers } = card
  const isUpcoming = Date.parse(startsAt) > Date.now()
  const state = isOver(card)
    ? text.membership.ended(formatDay(endsAt))
    : isUpcoming
      ? text.membership.from(formatDay(startsAt))
      : text.membership.validUntil(formatDay(endsAt))
  return (
    <article class={isOver(card) ? 'member-card over' : 'member-card'}>
      <header>
        <span class="brand-name">{text.appName}</span>
        {tiers.length > 0 && <span class="tier">{tiers.join(' · ')}</span>}
      </header>
      <h2>{name}</h2>
      {holder !== null && (
        <p class="holder">
          <bdi>{holder}</bdi>
        </p>
      )}
      <dl>
        {number !== null && (
          <div>
            <dt>{text.membership.number}</dt>
            <dd dir="ltr">{number}</dd>
          </div>
        )}
        <div>
          <dt>{text.membership.validity}</dt>
          <dd>{state}</dd>
        </div>
        <div>
          <dt>{text.membership.member}</dt>
          <dd>{formatDay(since)}</dd>
        </div>
      </dl>
      {number !== null && !isOver(card) && (
        <details>
          <summary>{text.membership.show}</summary>
          <Code code={number} title={name} />
        </details>
      )}
    </article>
  )
}
