import { FanName } from '../../parts/values.tsx'
import { addressOf, navigate } from '../../router.tsx'
import { StateBadges } from './states.tsx'
import type { FoundFan } from './types.ts'

/** The kind of match, as written after “by”. */
const REASONS: Record<FoundFan['matches'][number]['by'], string> = {
  user_id: 'id',
  subject: 'subject',
  redemption_code: 'redemption code',
  voucher_code: 'voucher code',
  order: 'order',
  trade: 'trade',
  pack: 'pack',
  top_up: 'top-up',
  payment: 'payment',
  email: 'e-mail',
  handle: 'handle',
  name: 'name',
  provider_name: 'name at the provider',
}

const reasonOf = ({ by, exact }: FoundFan['matches'][number]) =>
  exact ? REASONS[by] : `beginning of the ${REASONS[by]}`

interface FoundRowProps {
  id: string
  fan: FoundFan
  isChosen: boolean
  onChoose: () => void
}

export const FoundRow = ({ id, fan, isChosen, onChoose }: FoundRowProps) => (
  // biome-ignore lint/a11y/useKeyWithClickEvents: the input has the focus and its keys choose an option
  <div
    id={id}
    role="option"
    tabIndex={-1}
    aria-selected={isChosen}
    class="found-row"
    onMouseMove={onChoose}
    onClick={() => navigate(addressOf('fans', fan.id))}
  >
    <FanName fan={fan} link={false} />
    <span class="found-facts">
      {fan.name !== null && fan.name !== fan.displayName && <bdi>{fan.name}</bdi>}
      {fan.email !== null && <bdi>{fan.email}</bdi>}
    </span>
    <span class="found-states">
      <StateBadges states={fan.states} />
    </span>
    <span class="found-reason quiet">by {fan.matches.map(reasonOf).join(', ')}</span>
  </div>
)
