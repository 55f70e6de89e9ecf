/** Actions that cannot be undone: merge and erasure. */
import { useState } from 'preact/hooks'
import { api, type Data } from '../../../api.ts'
import { Dialog, DialogFoot, ReasonDialog } from '../../../parts/dialog.tsx'
import { Form, TextField } from '../../../parts/form.tsx'
import { formatCount, formatMoney } from '../../../parts/format.ts'
import type { Target } from '../../../parts/palette.tsx'
import { useAction } from '../../../parts/resource.ts'
import { toast } from '../../../parts/toast.tsx'
import { type ActionProps, nameOf, typedNameOf } from './fan.ts'
import { FanField } from './fan-field.tsx'

type Plan = Data<'planMergeOfFan'>

/** First asks for the remaining fan and shows what would move, then asks for the reason. */
export function MergeFan(props: ActionProps) {
  const { fan, onClose, onDone } = props
  const [into, setInto] = useState<Target | null>(null)
  const [plan, setPlan] = useState<Plan | null>(null)
  const ask = useAction(async () => {
    if (into !== null) setPlan(await api.planMergeOfFan({ fanId: fan.id, into: into.id }))
  })
  if (plan !== null)
    return (
      <ReasonDialog
        title={`Merge ${nameOf(fan)} into another fan`}
        action="Merge permanently"
        tone="danger"
        onConfirm={async reason => {
          await api.mergeFan({ fanId: fan.id, into: plan.intoId, reason })
          toast('Merged. Both sign-ins lead to the fan that remains.')
          onDone()
        }}
        onClose={onClose}
      >
        <p>
          <bdi>{into?.title}</bdi> remains, and gets from {nameOf(fan)}:
        </p>
        <PlanTable plan={plan} />
        <p>
          {nameOf(fan)} is signed out, and open trades become void. <strong>This cannot be undone.</strong>
        </p>
      </ReasonDialog>
    )
  return (
    <Dialog title={`Merge ${nameOf(fan)} into another fan`} busy={ask.isBusy} onClose={onClose}>
      <Form
        action={ask}
        onSubmit={() => ask.run()}
        foot={
          <DialogFoot
            busy={ask.isBusy}
            blocked={into === null && 'Find the fan that remains first.'}
            onClose={onClose}
          >
            Show what would move
          </DialogFoot>
        }
      >
        <FanField
          label="Fan that remains"
          pointer="/into"
          hint="By name, handle, e-mail, id or order. Points, items and purchases become theirs."
          required
          except={fan.id}
          value={into}
          onChange={setInto}
        />
      </Form>
    </Dialog>
  )
}

const TABLES: Record<string, string> = {
  pack_purchases: 'Purchases of packs',
  user_packs: 'Packs',
  orders: 'Orders',
  top_ups: 'Top-ups',
  wallets: 'Wallets',
  check_ins: 'Check-ins',
}

function PlanTable({ plan }: { plan: Plan }) {
  const { points, cash, rewards, moved } = plan
  const counted: [name: string, count: number][] = [
    ['Points in accounts', plan.accounts],
    ['Claims', rewards.moved],
    ['Claims of rewards that both claimed (one claim ends)', rewards.ended],
    ['Items', plan.items],
    ['Progress of quests', plan.quests],
    ['Completed sets', plan.sets],
    ['Open predictions', plan.predictions],
    ['Open votes', plan.votes],
    ['Follows, blocks and mutes', plan.relations],
    ['Leagues', plan.leagues],
    ['Divisions', plan.divisions],
    ...Object.entries(TABLES).map(([table, name]): [string, number] => [name, moved[table] ?? 0]),
  ]
  return (
    <dl class="plan">
      <div>
        <dt>Points</dt>
        <dd>
          {formatCount(points.balance)} of {formatCount(points.lifetime)} earned
        </dd>
      </div>
      {cash.map(({ currency, amount }) => (
        <div key={currency}>
          <dt>Cash</dt>
          <dd>{formatMoney(amount, currency)}</dd>
        </div>
      ))}
      {counted
        .filter(([, count]) => count > 0)
        .map(([name, count]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{formatCount(count)}</dd>
          </div>
        ))}
    </dl>
  )
}

export function EraseFan({ fan, onClose, onDone }: ActionProps) {
  const [confirm, setConfirm] = useState('')
  const typed = typedNameOf(fan)
  return (
    <ReasonDialog
      title={`Erase ${nameOf(fan)}`}
      action="Erase permanently"
      tone="danger"
      fields={
        <TextField
          label={fan.handle === null ? 'Id of the fan' : 'Handle of the fan'}
          pointer="/confirm"
          hint={`Type ${typed} to confirm.`}
          required
          value={confirm}
          onChange={setConfirm}
        />
      }
      onConfirm={async reason => {
        await api.eraseFan({ fanId: fan.id, confirm, reason })
        toast('The fan was erased.')
        onDone()
      }}
      onClose={onClose}
    >
      <p>
        Name, e-mail, devices, codes and the data of events are deleted. Points and purchases stay without a
        name. <strong>It cannot be undone, and the fan cannot sign in again.</strong>
      </p>
    </ReasonDialog>
  )
}
