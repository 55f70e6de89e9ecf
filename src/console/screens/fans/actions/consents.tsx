/** The withdrawal of a consent that a fan has sent to the club. */
import { useState } from 'preact/hooks'
import { api } from '../../../api.ts'
import { Button } from '../../../parts/button.tsx'
import { Dialog, ReasonDialog } from '../../../parts/dialog.tsx'
import { SelectField } from '../../../parts/form.tsx'
import { Failed, Skeleton } from '../../../parts/states.tsx'
import { toast } from '../../../parts/toast.tsx'
import { useConsents } from '../consents.tsx'
import { type ActionProps, nameOf } from './fan.ts'

const TITLE = 'Withdraw a consent'

export function WithdrawConsent({ fan, onClose, onDone }: ActionProps) {
  const { data, error, reload } = useConsents(fan.id)
  const [chosen, setChosen] = useState<string | null>(null)
  const granted = data?.consents.filter(consent => consent.granted) ?? []
  const purpose = chosen ?? granted[0]?.purpose ?? ''
  if (data === null || granted.length === 0)
    return (
      <Dialog title={TITLE} onClose={onClose}>
        <div class="dialog-text">
          {error !== null ? (
            <Failed error={error} onRetry={reload} />
          ) : data === null ? (
            <Skeleton lines={2} />
          ) : (
            <p>The fan agrees to nothing.</p>
          )}
        </div>
        <div class="form-foot">
          <Button onClick={onClose}>Close</Button>
        </div>
      </Dialog>
    )
  return (
    <ReasonDialog
      title={`${TITLE} of ${nameOf(fan)}`}
      action="Withdraw the consent"
      tone="danger"
      fields={
        <SelectField
          label="Purpose"
          required
          value={purpose}
          options={granted.map(consent => ({ value: consent.purpose, title: consent.purpose }))}
          onChange={setChosen}
        />
      }
      onConfirm={async reason => {
        await api.withdrawConsentOfFan({ fanId: fan.id, purpose, reason })
        toast('The consent was withdrawn.')
        onDone()
      }}
      onClose={onClose}
    >
      <p>
        For a withdrawal that the fan has sent, such as a letter. Only the fan can agree again, in the app.
      </p>
    </ReasonDialog>
  )
}
