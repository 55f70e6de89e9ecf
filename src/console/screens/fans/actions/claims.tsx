/** Corrections of a fan's claims. */
import { useState } from 'preact/hooks'
import { api, type Data } from '../../../api.ts'
import { Button } from '../../../parts/button.tsx'
import { Dialog, ReasonDialog } from '../../../parts/dialog.tsx'
import { SelectField } from '../../../parts/form.tsx'
import { formatTime } from '../../../parts/format.ts'
import { useResource } from '../../../parts/resource.ts'
import { Failed, Skeleton } from '../../../parts/states.tsx'
import { toast } from '../../../parts/toast.tsx'
import { type ActionProps, nameOf } from './fan.ts'

type Claim = Data<'listClaimsOfFan'>['claims'][number]

const CORRECTIONS = {
  'undo-claim': {
    title: 'Undo a claim',
    action: 'Undo the claim',
    tone: 'danger',
    about: 'The unit goes back into stock, the code stops working, and the fan can claim the reward again.',
    done: 'The claim was undone.',
    call: api.undoClaimOfFan,
    applies: (claim: Claim) => claim.usedAt === null,
    none: 'The fan has no unused claims.',
  },
  'replace-code': {
    title: 'Send a new code',
    action: 'Send a new code',
    tone: 'primary',
    about: 'The old code stops working at once. The fan finds the new one in the app.',
    done: 'The fan has a new code.',
    call: api.replaceCodeOfFan,
    applies: (claim: Claim) => claim.redeemedAt !== null && claim.usedAt === null,
    none: 'The fan has no unused codes.',
  },
  'undo-use': {
    title: 'Undo a use at the desk',
    action: 'Undo the use',
    tone: 'primary',
    about:
      'The code can be used again. Take back what was handed out. For a shop voucher, check its code at the desk.',
    done: 'The code can be used again.',
    call: api.undoUseOfReward,
    applies: (claim: Claim) => claim.usedAt !== null,
    none: 'The fan has used no reward code. For a shop voucher, check its code at the desk.',
  },
} as const

type Correction = keyof typeof CORRECTIONS

interface CorrectProps extends ActionProps {
  correction: Correction
}

export function CorrectClaim({ fan, correction, onClose, onDone }: CorrectProps) {
  const { title, action, tone, about, done, call, applies, none } = CORRECTIONS[correction]
  const { data, error, reload } = useResource(`fan ${fan.id} claims`, signal =>
    api.listClaimsOfFan({ fanId: fan.id }, { signal }),
  )
  const [chosen, setChosen] = useState<string | null>(null)
  const claims = data?.claims.filter(applies) ?? []
  const rewardId = chosen ?? claims[0]?.rewardId ?? ''
  if (data === null || claims.length === 0)
    return (
      <Dialog title={title} onClose={onClose}>
        <div class="dialog-text">
          {error !== null ? (
            <Failed error={error} onRetry={reload} />
          ) : data === null ? (
            <Skeleton lines={2} />
          ) : (
            <p>{none}</p>
          )}
        </div>
        <div class="form-foot">
          <Button onClick={onClose}>Close</Button>
        </div>
      </Dialog>
    )
  return (
    <ReasonDialog
      title={`${title} of ${nameOf(fan)}`}
      action={action}
      tone={tone}
      fields={
        <SelectField
          label="Reward"
          required
          value={rewardId}
          options={claims.map(claim => ({ value: claim.rewardId, title: describe(claim) }))}
          onChange={setChosen}
        />
      }
      onConfirm={async reason => {
        await call({ fanId: fan.id, rewardId, reason })
        toast(done)
        onDone()
      }}
      onClose={onClose}
    >
      <p>{about}</p>
    </ReasonDialog>
  )
}

function describe({ title, claimedAt, redeemedAt, usedAt }: Claim): string {
  const [words, at] = usedAt
    ? ['used', usedAt]
    : redeemedAt
      ? ['redeemed', redeemedAt]
      : ['claimed', claimedAt]
  return `${title}, ${words} ${formatTime(at)}`
}
